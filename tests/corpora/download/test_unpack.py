"""Archives are built here with the standard library, which writes whatever names it is told."""

from __future__ import annotations

import errno
import io
import stat
import struct
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.corpora.download import unpack as unpacking
from metaeval.corpora.download.unpack import is_archive, unpack
from metaeval.errors import CorpusError, UsageError

KINDS = [".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz"]
FILES = {"readme.txt": b"hello\n", "data/sys/a.sgm": b"<seg>\n" * 5000, "data/empty": b""}


def tar_of(path, members):
    """Write a tar file of (name, content) or of ready TarInfo."""
    kind = {".gz": "gz", ".tgz": "gz", ".bz2": "bz2", ".xz": "xz"}.get(path.suffix.lower(), "")
    with tarfile.open(path, f"w:{kind}", format=tarfile.GNU_FORMAT) as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
                continue
            name, content = member
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def zip_of(path, members):
    """Write a zip file of (name, content) or (ZipInfo, content)."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


def archive_of(path, members):
    return zip_of(path, members) if path.suffix == ".zip" else tar_of(path, members)


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def zip_special(name, kind):
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, (kind | 0o777) << 16
    return info


def contents(directory):
    return {
        path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()
    }


def refusal(archive, kind=CorpusError):
    """Unpack what must be refused, make sure that nothing was written anywhere, and return the message."""
    above = archive.parent / "above"
    above.mkdir()
    before = sorted(archive.parent.rglob("*"))
    with pytest.raises(kind) as caught:
        unpack(archive, above / "into")
    assert sorted(archive.parent.rglob("*")) == before
    above.rmdir()
    return str(caught.value).removeprefix(f"{archive}: ")


@pytest.mark.parametrize("kind", KINDS)
def test_files_are_unpacked_as_they_are(tmp_path, kind):
    archive = archive_of(tmp_path / f"x{kind}", FILES.items())
    unpack(archive, tmp_path / "into")

    assert contents(tmp_path / "into") == FILES
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["into", archive.name])


def test_the_kind_is_told_by_the_name_in_any_case(tmp_path):
    unpack(tar_of(tmp_path / "X.TAR.XZ", FILES.items()), tmp_path / "into")
    assert contents(tmp_path / "into") == FILES
    assert [is_archive(Path(name)) for name in ("a.zip", "a.Tgz", "a.gz", "a.rar", "zip")] == [True, True, *[False] * 3]


def test_names_are_tidied_and_rights_and_owners_are_not_taken(tmp_path):
    inner = tarfile.TarInfo("./d//run.sh")
    inner.mode, inner.uid = 0o6777, 12345
    folder = special("./", tarfile.DIRTYPE)
    folder.mode = 0
    unpack(tar_of(tmp_path / "x.tar", [folder, inner, special("d/e/", tarfile.DIRTYPE)]), tmp_path / "into")

    assert contents(tmp_path / "into") == {"d/run.sh": b""}
    found = (tmp_path / "into" / "d" / "run.sh").stat()
    assert found.st_mode & 0o7111 == 0
    assert found.st_uid == (tmp_path / "into").stat().st_uid


def test_links_inside_a_tar_file_become_copies(tmp_path):
    members = [
        special("late.txt", tarfile.SYMTYPE, "data/chain"),
        ("data/a.txt", b"text"),
        special("data/hard", tarfile.LNKTYPE, "./data/a.txt"),
        special("data/soft", tarfile.SYMTYPE, "a.txt"),
        special("data/chain", tarfile.SYMTYPE, "../data/soft"),
    ]
    unpack(tar_of(tmp_path / "x.tar.gz", members), tmp_path / "into")

    names = ["late.txt", "data/a.txt", "data/hard", "data/soft", "data/chain"]
    assert contents(tmp_path / "into") == dict.fromkeys(names, b"text")
    assert not any(path.is_symlink() for path in (tmp_path / "into").rglob("*"))
    assert {(tmp_path / "into" / name).stat().st_nlink for name in names} == {1}


def test_of_two_members_of_one_name_the_last_is_taken(tmp_path):
    # As tar -r writes them when a file is put into an archive again.
    unpack(tar_of(tmp_path / "x.tar", [("a", b"old"), ("a", b"new")]), tmp_path / "into")
    assert contents(tmp_path / "into") == {"a": b"new"}


# What is meant to do harm


@pytest.mark.parametrize("kind", [".zip", ".tar.gz"])
@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "a/..", "/tmp/evil", "//tmp/evil"])
def test_names_that_lead_elsewhere_are_refused(tmp_path, kind, name):
    archive = archive_of(tmp_path / f"x{kind}", [("good", b"1"), (name, b"evil")])
    assert refusal(archive) == f"member {name!r} would lie outside the directory that it is unpacked into."


@settings(max_examples=60)
@given(st.text("./ab\\:\n~", min_size=1, max_size=10), st.sampled_from([".zip", ".tar"]))
def test_whatever_the_name_nothing_lies_outside(name, kind):
    with tempfile.TemporaryDirectory() as folder:
        archive = archive_of(Path(folder) / f"x{kind}", [(name, b"1")])
        try:
            unpack(archive, Path(folder) / "deep" / "into")
        except CorpusError:
            return
        found = [path for path in Path(folder).rglob("*") if path.is_file() and path != archive]
        assert all(path.is_relative_to(Path(folder) / "deep" / "into") for path in found)
        # In a zip file a name that ends in a slash is that of a directory.
        assert len(found) == (0 if kind == ".zip" and name.endswith("/") else 1)


@pytest.mark.parametrize(
    "members",
    [
        [special("l", tarfile.SYMTYPE, "/etc/passwd")],
        [special("l", tarfile.LNKTYPE, "/etc/passwd")],
        [special("d/l", tarfile.SYMTYPE, "../../x")],
        [special("l", tarfile.SYMTYPE, "/tmp"), ("l/evil", b"")],
        [special("l", tarfile.SYMTYPE, "gone")],
        [special("l", tarfile.SYMTYPE, "l")],
        [special("l", tarfile.SYMTYPE, "m"), special("m", tarfile.SYMTYPE, "l")],
    ],
)
def test_links_to_what_is_no_file_of_the_archive_are_refused(tmp_path, members):
    assert refusal(tar_of(tmp_path / "x.tar", members)).startswith("cannot be unpacked: ")


@pytest.mark.parametrize(
    "members",
    [
        [special("x", tarfile.SYMTYPE, "d"), special("d", tarfile.DIRTYPE)],
        [special("x", tarfile.CHRTYPE)],
        [special("x", tarfile.BLKTYPE)],
        [special("x", tarfile.FIFOTYPE)],
    ],
)
def test_what_is_no_file_is_refused(tmp_path, members):
    assert refusal(tar_of(tmp_path / "x.tar", members)).startswith("member 'x' is neither a file nor a directory.")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_what_is_no_file_in_a_zip_file_is_refused(tmp_path, kind):
    archive = zip_of(tmp_path / "x.zip", [("a", ""), (zip_special("x", kind), "a")])
    assert refusal(archive).startswith("member 'x' is neither a file nor a directory.")


def patched(archive, local, central, value, code="<H"):
    """Change a number in the headers of the only member of a zip file, at offsets that APPNOTE.TXT 4.3 tells."""
    content = bytearray(archive.read_bytes())
    for mark, offset in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
        struct.pack_into(code, content, content.index(mark) + offset, value)
    archive.write_bytes(content)
    return archive


def test_encrypted_members_are_refused(tmp_path):
    archive = patched(zip_of(tmp_path / "x.zip", [("a", b"1")]), 6, 8, 1)
    assert refusal(archive) == (
        "cannot be unpacked: File 'a' is encrypted, password required for extraction. It was cut off or damaged, is "
        "encrypted, or is not what the end of its name says."
    )


def test_unknown_ways_of_packing_are_refused(tmp_path):
    archive = patched(zip_of(tmp_path / "x.zip", [("a", b"1")]), 8, 10, 99)
    assert refusal(archive).startswith("cannot be unpacked: That compression method is not supported.")


BY_HAND = "If you trust it, unpack it by other means and use the directory."


@pytest.mark.parametrize("kind", KINDS)
def test_too_many_files_are_refused(tmp_path, kind, monkeypatch):
    archive = archive_of(tmp_path / f"x{kind}", [(f"f{number}", b"") for number in range(4)])
    monkeypatch.setattr(unpacking, "MAX_FILES", 3)
    assert refusal(archive) == f"has more than 3 files. {BY_HAND}"
    monkeypatch.setattr(unpacking, "MAX_FILES", 4)
    unpack(archive, tmp_path / "into")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_too_large_is_refused(tmp_path, kind, monkeypatch):
    archive = archive_of(tmp_path / f"x{kind}", [("a", b"1" * 60_000), ("b", b"2" * 60_000)])
    monkeypatch.setattr(unpacking, "MAX_BYTES", 119_999)
    assert refusal(archive) == f"unpacks to more than 119999 bytes. {BY_HAND}"
    monkeypatch.setattr(unpacking, "MAX_BYTES", 120_000)
    unpack(archive, tmp_path / "into")


def test_copies_of_links_count(tmp_path, monkeypatch):
    links = [special(f"l{number}", tarfile.LNKTYPE, "a") for number in range(20)]
    archive = tar_of(tmp_path / "x.tar", [("a", b"1" * 10_000), *links])
    # 21 times 10,000 bytes would be written; the archive itself has some 30,000.
    monkeypatch.setattr(unpacking, "MAX_BYTES", 100_000)
    assert refusal(archive) == f"unpacks to more than 100000 bytes. {BY_HAND}"


# What is broken


@pytest.mark.parametrize(
    ("kind", "share"), [*((kind, 0.6) for kind in KINDS), *((kind, 0.0) for kind in (".zip", ".tar", ".tar.gz"))]
)
def test_an_archive_that_was_cut_off_is_refused(tmp_path, kind, share):
    archive = archive_of(tmp_path / f"x{kind}", [("a", b"".join(b"%d\n" % n for n in range(9999))), ("b", b"1" * 999)])
    archive.write_bytes(archive.read_bytes()[: int(archive.stat().st_size * share)])
    assert refusal(archive).startswith("cannot be unpacked: ")


def test_a_tar_file_that_was_cut_off_between_members_is_refused(tmp_path):
    archive = tar_of(tmp_path / "x.tar", [("a", b"1" * 512), ("b", b"2")])
    archive.write_bytes(archive.read_bytes()[:1024])
    assert refusal(archive).startswith("cannot be unpacked: the mark of its end is missing. It was cut off or damaged")


def test_a_damaged_header_between_members_is_not_the_end(tmp_path):
    archive = tar_of(tmp_path / "x.tar", [("a", b"1" * 512), ("b", b"2")])
    content = bytearray(archive.read_bytes())
    content[1024] ^= 1
    archive.write_bytes(content)
    assert refusal(archive).startswith("cannot be unpacked: the mark of its end is missing.")


@pytest.mark.parametrize("kind", [".zip", ".tar.gz", ".tar.bz2", ".tar.xz"])
def test_a_damaged_content_is_refused(tmp_path, kind):
    archive = archive_of(tmp_path / f"x{kind}", [("a", bytes(range(256)) * 40)])
    content = bytearray(archive.read_bytes())
    # Of gzip the checksum of the whole, which follows all else; of the others a byte amid the packed content.
    content[-8 if kind == ".tar.gz" else 80] ^= 1
    archive.write_bytes(content)
    assert refusal(archive).startswith("cannot be unpacked: ")


@pytest.mark.parametrize("method", ["mkdir", "open"])
def test_a_full_disk_is_not_the_fault_of_the_archive(tmp_path, monkeypatch, method):
    archive = zip_of(tmp_path / "x.zip", [("made/file", b"1")])
    right = getattr(Path, method)

    def full(path, *arguments, **keywords):
        if path.name in ("made", "file"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return right(path, *arguments, **keywords)

    monkeypatch.setattr(Path, method, full)
    assert refusal(archive, UsageError) == f"{tmp_path}/above/into: cannot be written: No space left on device."


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_archive_is_refused(tmp_path, kind):
    path = tmp_path / f"x{kind}"
    path.write_bytes(b"<html>not found</html>\n" * 100)
    message = refusal(path)
    assert message.startswith("cannot be unpacked: ")
    assert message.endswith("It was cut off or damaged, is encrypted, or is not what the end of its name says.")


def test_what_is_not_there_or_no_file_is_refused(tmp_path):
    assert refusal(tmp_path / "x.zip").startswith("cannot be unpacked: No such file or directory.")
    (tmp_path / "d.tar.gz").mkdir()
    assert refusal(tmp_path / "d.tar.gz").startswith("cannot be unpacked: Is a directory.")


def test_a_directory_that_holds_something_is_left_alone(tmp_path):
    archive = zip_of(tmp_path / "x.zip", FILES.items())
    (tmp_path / "into").mkdir()
    (tmp_path / "into" / "mine").write_text("")
    with pytest.raises(UsageError, match="exists and is not an empty directory"):
        unpack(archive, tmp_path / "into")
    assert list(contents(tmp_path / "into")) == ["mine"]
