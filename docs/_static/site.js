// What the theme leaves out for those who use a keyboard or a screen reader.
addEventListener("load", () => {
  document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "All pages");
  document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
  document.querySelector("#search-results")?.insertAdjacentHTML("beforebegin", "<h1>Search</h1>");
  for (const box of document.querySelectorAll("pre, .table-wrapper"))
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
});
