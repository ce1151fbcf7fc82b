"""Archives are built here with the standard library, which writes whatever names it is told."""

from __future__ import annotations

import errno
import gzip
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

    assert [path.relative_to(tmp_path / "into").as_posix() for path in sorted((tmp_path / "into").rglob("*"))] == [
        "d",
        "d/e",
        "d/run.sh",
    ]
    found = (tmp_path / "into" / "d" / "run.sh").stat()
    assert found.st_mode & 0o7111 == 0
    assert found.st_uid == (tmp_path / "into").stat().st_uid


def test_links_inside_become_copies(tmp_path):
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


def test_links_in_a_zip_file_become_copies(tmp_path):
    members = [(zip_special("d/soft", stat.S_IFLNK), "../a.txt"), ("a.txt", "text")]
    unpack(zip_of(tmp_path / "x.zip", members), tmp_path / "into")
    assert contents(tmp_path / "into") == {"a.txt": b"text", "d/soft": b"text"}


# What is meant to do harm

OUTSIDE = "would lie outside the directory that the archive is unpacked into."
ODD = "has a name with a backslash, a drive or a control character."


@pytest.mark.parametrize("kind", [".zip", ".tar.gz"])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../evil", OUTSIDE),
        ("a/../../evil", OUTSIDE),
        ("a/..", OUTSIDE),
        ("/tmp/evil", OUTSIDE),
        ("//tmp/evil", OUTSIDE),
        ("..\\evil", ODD),
        ("C:/evil", ODD),
        ("c:evil", ODD),
        ("a\nb", ODD),
        ("a\x1b[2Jb", ODD),
    ],
)
def test_names_that_lead_elsewhere_are_refused(tmp_path, kind, name, words):
    archive = archive_of(tmp_path / f"x{kind}", [("good", b"1"), (name, b"evil")])
    assert refusal(archive) == f"member {name!r} {words}"


def test_what_follows_a_nul_character_counts(tmp_path):
    archive = zip_of(tmp_path / "x.zip", [("good.txtX/../../evil", b"")])
    archive.write_bytes(archive.read_bytes().replace(b"txtX", b"txt\0"))
    assert refusal(archive) == f"member 'good.txt\\x00/../../evil' {OUTSIDE}"


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
    ("members", "words"),
    [
        ([special("l", tarfile.SYMTYPE, "/etc/passwd")], "member 'l' is a link to '/etc/passwd', which lies outside"),
        ([special("d/l", tarfile.SYMTYPE, "../../x")], "member 'd/l' is a link to '../../x', which lies outside the"),
        ([special("l", tarfile.SYMTYPE, "..")], "member 'l' is a link to '..', which lies outside the archive."),
        ([special("l", tarfile.LNKTYPE, "/etc/passwd")], "member 'l' is a link to '/etc/passwd', which lies outside"),
        (
            [special("d/l", tarfile.LNKTYPE, "../x")],
            "member 'd/l' is a link to '../x', which lies outside the archive.",
        ),
        (
            [special("l", tarfile.SYMTYPE, "/tmp"), ("l/evil", b"")],
            "member 'l' is a link to '/tmp', which lies outside",
        ),
        (
            [special("l", tarfile.SYMTYPE, "gone")],
            "member 'l' is a link to 'gone', which is not a file of the archive.",
        ),
        ([special("l", tarfile.SYMTYPE, "l")], "member 'l' is a link to 'l', which is not a file of the archive."),
        (
            [special("l", tarfile.SYMTYPE, "m"), special("m", tarfile.SYMTYPE, "l")],
            "member 'l' is a link to 'm', which is not a file of the archive.",
        ),
        ([special("l", tarfile.SYMTYPE, "d"), ("d/a", b"")], "member 'l' is a link to 'd', which is not a file of the"),
        ([("a", b""), ("b", b""), *[special("l", tarfile.SYMTYPE, name) for name in "ab"]], "member 'l' is in the"),
        ([special("d", tarfile.SYMTYPE, "."), ("d/a", b"")], "member 'd' is a link to '.', which is not a file of the"),
        ([special("x", tarfile.CHRTYPE)], "member 'x' is neither a file nor a directory."),
        ([special("x", tarfile.BLKTYPE)], "member 'x' is neither a file nor a directory."),
        ([special("x", tarfile.FIFOTYPE)], "member 'x' is neither a file nor a directory."),
        ([("a", b"1"), ("a", b"2")], "member 'a' cannot be created (File exists); its name is taken, or one that this"),
        ([("a", b"1"), ("./a", b"2")], "member 'a' cannot be created (File exists); its name is taken, or one that"),
        ([("a", b"1"), ("a/b", b"2")], "member 'a' cannot be created (File exists); its name is taken, or one that"),
        ([("a/b", b"1"), ("a", b"2")], "member 'a' cannot be created (File exists); its name is taken, or one that"),
        ([("a", b"1"), ("a/b/c", b"2")], "member 'a' cannot be created (File exists); its name is taken, or one that"),
        ([("a", b"1"), special("a", tarfile.DIRTYPE)], "member 'a' cannot be created (File exists); its name is taken"),
        ([("n" * 300, b"")], f"member '{'n' * 300}' cannot be created (File name too long); its name is taken, or one"),
        (
            [("n" * 300 + "/a", b"")],
            f"member '{'n' * 300}' cannot be created (File name too long); its name is taken, ",
        ),
        ([("./", b"")], "member '' cannot be created"),
    ],
)
def test_members_that_are_not_plain_are_refused(tmp_path, members, words):
    archive = tar_of(tmp_path / "x.tar", members)
    assert refusal(archive).startswith(words)


@pytest.mark.parametrize(
    ("member", "words"),
    [
        ((zip_special("l", stat.S_IFLNK), "/etc/passwd"), "member 'l' is a link to '/etc/passwd', which lies outside"),
        ((zip_special("d/l", stat.S_IFLNK), "../../x"), "member 'd/l' is a link to '../../x', which lies outside the"),
        (
            (zip_special("l", stat.S_IFLNK), "gone"),
            "member 'l' is a link to 'gone', which is not a file of the archive",
        ),
        ((zip_special("l", stat.S_IFLNK), "x" * 5000), "member 'l' is a link to a path that is too long."),
        ((zip_special("x", stat.S_IFIFO), ""), "member 'x' is neither a file nor a directory."),
        ((zip_special("x", stat.S_IFCHR), ""), "member 'x' is neither a file nor a directory."),
    ],
)
def test_members_of_zip_files_that_are_not_plain_are_refused(tmp_path, member, words):
    assert refusal(zip_of(tmp_path / "x.zip", [member])).startswith(words)


def patched(archive, local, central, value, code="<H"):
    """Change a number in the headers of the only member of a zip file, at offsets that APPNOTE.TXT 4.3 tells."""
    content = bytearray(archive.read_bytes())
    for mark, offset in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
        struct.pack_into(code, content, content.index(mark) + offset, value)
    archive.write_bytes(content)
    return archive


def test_encrypted_members_are_refused(tmp_path):
    archive = patched(zip_of(tmp_path / "x.zip", [("a", b"1")]), 6, 8, 1)
    assert refusal(archive).startswith("member 'a' is encrypted; unpack the archive with its password and use the dir")


def test_unknown_ways_of_packing_are_refused(tmp_path):
    archive = patched(zip_of(tmp_path / "x.zip", [("a", b"1")]), 8, 10, 99)
    assert refusal(archive).startswith("member 'a' is packed in a way that is not known here (That compression method")


@pytest.mark.parametrize("kind", KINDS)
def test_too_many_members_are_refused(tmp_path, kind, monkeypatch):
    archive = archive_of(tmp_path / f"x{kind}", [(f"f{number}", b"") for number in range(4)])
    monkeypatch.setattr(unpacking, "MOST_MEMBERS", 3)
    assert refusal(archive) == (
        "has more than 3 members. If you trust it, unpack it by other means and use the directory."
    )
    monkeypatch.setattr(unpacking, "MOST_MEMBERS", 4)
    unpack(archive, tmp_path / "into")


@pytest.mark.parametrize("kind", KINDS)
def test_too_many_or_too_deep_directories_are_refused(tmp_path, kind, monkeypatch):
    archive = archive_of(tmp_path / f"x{kind}", [(f"{number}/a/f", b"") for number in range(4)])
    monkeypatch.setattr(unpacking, "MOST_DIRECTORIES", 7)
    assert refusal(archive).startswith("has more than 7 directories. If you trust it, unpack it by other means")
    monkeypatch.setattr(unpacking, "MOST_DIRECTORIES", 8)
    monkeypatch.setattr(unpacking, "DEEPEST", 2)
    assert refusal(archive) == "member '0/a/f' lies more than 2 directories deep."
    monkeypatch.setattr(unpacking, "DEEPEST", 3)
    unpack(archive, tmp_path / "into")


def test_a_chain_of_directories_is_refused_before_one_is_made(tmp_path):
    archive = tar_of(tmp_path / "x.tar.gz", [("d/" * 33 + "f", b"")])
    assert refusal(archive).endswith("lies more than 32 directories deep.")


def large(limit):
    return (
        f"unpacks to more than {limit} bytes, which is too much for a corpus, or for an archive of its size. If you "
        "trust it, unpack it by other means and use the directory."
    )


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_too_large_is_refused(tmp_path, kind, monkeypatch):
    archive = archive_of(tmp_path / f"x{kind}", [("a", b"1" * 60_000), ("b", b"2" * 60_000)])
    monkeypatch.setattr(unpacking, "MOST_BYTES", 100_000)
    assert refusal(archive) == large(100_000)


@pytest.mark.parametrize("kind", [".zip", ".tar.gz", ".tar.bz2", ".tar.xz"])
def test_what_grows_too_much_is_refused(tmp_path, kind, monkeypatch):
    archive = archive_of(tmp_path / f"x{kind}", [("zeros", bytes(10**6))])
    size = archive.stat().st_size
    monkeypatch.setattr(unpacking, "LEAST_LIMIT", 1000)
    monkeypatch.setattr(unpacking, "LARGEST_RATIO", 10)
    assert refusal(archive) == large(10 * size)

    # Up to the least limit no archive is suspected.
    monkeypatch.setattr(unpacking, "LEAST_LIMIT", 2 * 10**6)
    unpack(archive, tmp_path / "into")


def test_the_size_that_a_member_claims_counts(tmp_path):
    archive = patched(zip_of(tmp_path / "x.zip", [("a", b"1")]), 22, 24, 1 << 30, "<I")
    assert refusal(archive) == large(16 << 20)


def test_what_follows_the_end_counts(tmp_path, monkeypatch):
    archive = tar_of(tmp_path / "x.tar", [("a", b"1")])
    packed = tmp_path / "y.tar.gz"
    packed.write_bytes(gzip.compress(archive.read_bytes() + bytes(10**6)))
    monkeypatch.setattr(unpacking, "LEAST_LIMIT", 500_000)
    monkeypatch.setattr(unpacking, "LARGEST_RATIO", 1)
    assert refusal(packed) == large(500_000)


def test_a_sparse_file_that_claims_less_than_it_skips_is_refused(tmp_path):
    info = special("a", tarfile.GNUTYPE_SPARSE)
    info.size = 1 << 34
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    # The real size, one byte, stands at 483; the checksum at 148 is that of the header with blanks in its place.
    header[483:495] = b"00000000001\0"
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    archive = tmp_path / "x.tar.gz"
    archive.write_bytes(gzip.compress(bytes(header) + bytes(1 << 20)))
    assert refusal(archive) == large(16 << 20)


def test_copies_of_links_count(tmp_path, monkeypatch):
    links = [special(f"l{number}", tarfile.LNKTYPE, "a") for number in range(20)]
    archive = tar_of(tmp_path / "x.tar", [("a", b"1" * 10_000), *links])
    # 21 times 10,000 bytes would be written; the archive itself has some 30,000.
    monkeypatch.setattr(unpacking, "MOST_BYTES", 100_000)
    assert refusal(archive) == large(100_000)


def test_a_header_that_would_fill_the_memory_is_refused(tmp_path):
    info = special("x", tarfile.XHDTYPE)
    info.size = 1 << 30
    archive = tmp_path / "x.tar.gz"
    archive.write_bytes(gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 20)))
    assert refusal(archive).startswith("cannot be unpacked: a header of 1073741824 bytes. It was cut off or damaged")


def test_a_negative_size_is_refused(tmp_path):
    info = tarfile.TarInfo("a")
    info.size = -512
    archive = tmp_path / "x.tar"
    archive.write_bytes(info.tobuf(tarfile.GNU_FORMAT) + bytes(1024))
    assert refusal(archive).startswith("cannot be unpacked: 'a' has a negative size.")


# What is broken


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6])
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
    assert message.endswith("It was cut off or damaged, or is not what the end of its name says.")


def test_what_is_not_there_or_no_file_is_refused(tmp_path):
    assert refusal(tmp_path / "x.zip") == "cannot be read: No such file or directory."
    (tmp_path / "d.zip").mkdir()
    assert refusal(tmp_path / "d.zip") == "cannot be read: Is a directory."


def test_another_kind_of_archive_is_refused(tmp_path):
    assert refusal(tmp_path / "x.rar", UsageError) == (
        "the name of an archive must end in one of '.zip', '.tar', '.tar.gz', '.tgz', '.tar.bz2', '.tar.xz'."
    )


def test_a_directory_that_holds_something_is_left_alone(tmp_path):
    archive = zip_of(tmp_path / "x.zip", FILES.items())
    (tmp_path / "into").mkdir()
    (tmp_path / "into" / "mine").write_text("")
    with pytest.raises(UsageError, match="exists and is not an empty directory"):
        unpack(archive, tmp_path / "into")
    assert list(contents(tmp_path / "into")) == ["mine"]
