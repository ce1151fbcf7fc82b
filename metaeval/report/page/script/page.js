
  /* All that follows the state is drawn again where it changes. */

  function update() {
    drawCharts();
    drawLists();
    drawSystems();
    drawDisagreements();
    drawSegments();
  }
  restoring(() => {
    frame();
    update();
  });
  restoreAll();
  parts.forEach((one) => one.addEventListener("toggle", () => {
    drawSystems();
    drawSegments();
  }));
  let [waiting, width] = [0, curvesRoom.clientWidth];
  new ResizeObserver(() => {
    if (curvesRoom.clientWidth === width) return; // as at first, or where only the height is another: focus and tip stay
    width = curvesRoom.clientWidth;
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => {
      drawCharts();
      drawSystems();
    });
  }).observe(curvesRoom);
