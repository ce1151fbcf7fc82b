"""Arrays are read from the cache instead of computed again, and never when they are others or damaged."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import metaeval
from metaeval.cli import main
from metaeval.errors import MetaevalWarning, MetricError
from metaeval.runtime import cache
from metaeval.runtime import platform_fingerprint as numerics
from metaeval.runtime.cache import cached, digest, entries

ARRAY = np.arange(12.0).reshape(3, 4)


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """An empty directory for the cache, and a process that has written nothing there."""
    monkeypatch.setenv("METAEVAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("METAEVAL_CACHE_LIMIT", "1G")
    monkeypatch.setattr(cache, "_written", {})
    return tmp_path / "cache"


class Counter:
    """Compute an array, and count how often."""

    def __init__(self, array=ARRAY):
        self.array, self.calls = array, 0

    def __call__(self):
        self.calls += 1
        return self.array


def cached_statistics(compute=None, parts=("one",), shape=(3, None)):
    return cached("statistics", parts, compute or Counter(), shape)


def test_what_was_computed_is_found_again():
    make = Counter()
    for _ in range(3):
        np.testing.assert_array_equal(cached_statistics(make), ARRAY)
    assert make.calls == 1
    (entry,) = entries()
    # A file that numpy reads by itself, with the digest behind what it reads.
    np.testing.assert_array_equal(np.load(entry.path), ARRAY)
    assert isinstance(np.load(entry.path, mmap_mode="r"), np.memmap)


@pytest.mark.parametrize(
    "array", [np.zeros((0, 3)), np.array(2.5), np.array([True]), np.array([[1]], np.int32), np.array(["a", "bc"])]
)
def test_every_shape_and_kind_of_plain_array_comes_back(array):
    for _ in range(2):
        found = cached("scores", ("x",), Counter(array), array.shape)
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(found, array)


VALUES = [
    *(None, False, True, 0, 1, 0.0, -0.0, 1.0, "", "1", b"1", "a", ["a"], ["a", "b"], ["ab"], [["a"], "b"], {"a": "b"}),
    *(np.zeros(2), np.zeros((2, 1)), np.zeros(2, np.float32), np.array([0.0, -0.0]), np.zeros(16, np.uint8), [None]),
]


def test_different_values_have_different_digests():
    assert len({digest(one) for one in VALUES}) == len(VALUES)
    assert digest(["a", "b"]) == digest(("a", "b"))
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest(np.arange(6.0).reshape(2, 3).T) == digest(np.ascontiguousarray(np.arange(6.0).reshape(2, 3).T))
    with pytest.raises(TypeError, match="plain values; got object"):
        digest(object())


def test_other_code_packages_and_machines_have_names_of_their_own(monkeypatch):
    cached_statistics()
    make = Counter()
    for name in ("fingerprint", "environment_digest"):
        with monkeypatch.context() as patch:
            patch.setattr(cache, name, lambda: "another")
            cached("statistics", ("one",), make, (3, 4))
            cached("scores", ("one",), make, (3, 4))
    # Statistics depend on all of it by way of `environment_digest`, scores of users' metrics on the machine alone.
    assert make.calls == 3


def spoil_with(content):
    return lambda path, other: path.write_bytes(content)


def change(at, by):
    def spoil(path, other):
        content = bytearray(path.read_bytes())
        content[at] ^= by
        path.write_bytes(bytes(content))

    return spoil


def cut(n):
    return lambda path, other: path.write_bytes(path.read_bytes()[:n])


def exchange(path, other):
    mine, theirs = path.read_bytes(), other.read_bytes()
    path.write_bytes(theirs)
    other.write_bytes(mine)


def with_array(array, **options):
    def spoil(path, other):
        path.unlink()
        with path.open("wb") as file:
            np.lib.format.write_array(file, array, **options)
        path.write_bytes(path.read_bytes() + cache._checksum(path.stem, path.read_bytes()))

    return spoil


def link(path, other):
    path.unlink()
    path.symlink_to(other)


DAMAGE = {
    "a flipped bit of the numbers": change(-40, 1),
    "a flipped bit of the header": change(20, 1),
    "a flipped bit of the digest": change(-1, 1),
    "cut in half": cut(100),
    "without its last byte": cut(-1),
    "empty": spoil_with(b""),
    "zeros, as a crash can leave": spoil_with(bytes(256)),
    "text": spoil_with(b"<html>"),
    "exchanged with another": exchange,
    "longer": lambda path, other: path.write_bytes(path.read_bytes() + b"x"),
    "a link": link,
}
OTHERS = {
    "objects, which would run code": with_array(np.array([{"a": 1}]), allow_pickle=True),
    "another shape": with_array(np.zeros((4, 3))),
    "more axes": with_array(np.zeros((3, 4, 1))),
}


@pytest.mark.parametrize("damage", [*DAMAGE, *OTHERS])
def test_damage_is_noticed_told_and_mended(damage):
    cached_statistics(parts=("other",), compute=Counter(ARRAY + 1))
    (other,) = entries()
    cached_statistics()
    (path,) = (one.path for one in entries() if one.path != other.path)
    {**DAMAGE, **OTHERS}[damage](path, other.path)
    make = Counter()
    with pytest.warns(MetaevalWarning, match=r"\.npy: is damaged \(.*\); it is computed again\."):
        np.testing.assert_array_equal(cached_statistics(make), ARRAY)
    assert make.calls == 1
    np.testing.assert_array_equal(cached_statistics(make), ARRAY)
    assert make.calls == 1


@pytest.mark.parametrize("damage", ["a flipped bit of the numbers", "cut in half", "a link"])
def test_verify_names_what_is_damaged_and_removes_it(damage, capsys):
    cached_statistics(parts=("other",))
    (other,) = entries()
    cached_statistics()
    (path,) = (one.path for one in entries() if one.path != other.path)
    DAMAGE[damage](path, other.path)
    assert main(["cache", "verify"]) == 1
    out = capsys.readouterr().out
    assert path.name in out
    assert main(["cache", "verify"]) == 0
    assert not path.exists()


def write_at_once(number):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for part in range(40):
            found = cached("statistics", (part,), Counter(np.full((50, 20), float(part))), (50, 20))
            assert (found == part).all(), part
    return number


def test_several_processes_share_it():
    context = multiprocessing.get_context("spawn")
    with context.Pool(4) as pool:
        assert pool.map(write_at_once, range(4)) == [0, 1, 2, 3]
    assert len([*entries()]) == 40


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_whoever_shares_the_directory_may_read_what_others_keep():
    before = os.umask(0o002)
    try:
        cached_statistics()
    finally:
        os.umask(before)
    (entry,) = entries()
    assert entry.path.stat().st_mode & 0o777 == 0o664


def test_what_others_keep_for_themselves_is_computed_again_and_stays(monkeypatch):
    cached_statistics()
    (entry,) = entries()
    content = entry.path.read_bytes()

    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(cache, "_load", refuse)
        with pytest.warns(MetaevalWarning, match="files of other users cannot be read, .* `umask 002`"):
            assert cache.read("statistics", entry.path.stem, (3, None)) is None
    assert entry.path.read_bytes() == content


def test_what_was_used_least_recently_goes_first(monkeypatch):
    for number in range(30):
        cached_statistics(parts=(number,), compute=Counter(np.zeros((3, 1000))))
        (path,) = (one.path for one in entries() if one.used > 1e9)
        os.utime(path, (number, number))
    # The first one is used again.
    cached_statistics(parts=(0,))
    size = next(entries()).size
    used = {one.path: round(one.used) for one in entries()}
    removed = cache.prune(size=10 * size)
    assert [used[path] for path in removed] == [*range(1, 21)]
    make = Counter()
    cached_statistics(make, parts=(0,))
    assert make.calls == 0


def test_no_more_than_the_limit_is_kept(monkeypatch):
    # A quarter of 4 MB is for statistics, of which each takes 48 kB.
    monkeypatch.setenv("METAEVAL_CACHE_LIMIT", "4M")
    for number in range(100):
        cached_statistics(parts=(number,), compute=Counter(np.zeros((3, 2000))))
    assert 900_000 < sum(one.size for one in entries()) <= 1_100_000
    # What is a large share of the limit is not kept at all, or nothing else could be.
    cached_statistics(parts=("large",), compute=Counter(np.zeros((3, 20_000))))
    assert max(one.size for one in entries()) < 100_000


def test_what_takes_seconds_never_pushes_out_what_takes_hours(monkeypatch):
    monkeypatch.setenv("METAEVAL_CACHE_LIMIT", "4M")
    for number in range(8):
        cached("scores", (number,), Counter(np.zeros((3, 2000))), (3, 2000))
        (path,) = (one.path for one in entries(["scores"]) if one.used > 1e9)
        os.utime(path, (number, number))  # used last long ago
    for number in range(100):
        cached_statistics(parts=(number,), compute=Counter(np.zeros((3, 2000))))
    assert len(list(entries(["scores"]))) == 8
    # Nor the other way round: what is left of both is three quarters, and a quarter, of the limit.
    for number in range(200):
        cached("scores", (number, "more"), Counter(np.zeros((3, 2000))), (3, 2000))
    sizes = [sum(one.size for one in entries(kinds)) for kinds in (["scores"], ["statistics"])]
    assert 2_700_000 < sizes[0] <= 3_300_000
    assert 900_000 < sizes[1] <= 1_100_000
    monkeypatch.setenv("METAEVAL_CACHE_LIMIT", "2M")
    metaeval.prune_cache()
    assert 1_400_000 < sum(one.size for one in entries(["scores"])) <= 1.5 * 2**20
    assert 400_000 < sum(one.size for one in entries(["statistics"])) <= 0.5 * 2**20


def test_nothing_is_kept_with_a_limit_of_0(monkeypatch, place):
    monkeypatch.setenv("METAEVAL_CACHE_LIMIT", "0")
    make = Counter()
    assert cached_statistics(make) is cached_statistics(make)
    assert make.calls == 2
    assert not place.exists()


def test_nothing_is_read_or_written_where_it_is_disabled():
    cached_statistics()
    compute = Counter()
    with cache.disabled():
        cached_statistics(compute)
        cached_statistics(compute, parts=("two",))
    assert (compute.calls, len([*entries()])) == (2, 1)


def test_work_goes_on_where_the_directory_cannot_be_made(place):
    place.write_text("a file")
    with pytest.warns(MetaevalWarning, match=r"arrays: cannot be written \(Not a directory\), .* METAEVAL_CACHE names"):
        np.testing.assert_array_equal(cached_statistics(), ARRAY)


def test_a_full_disk_is_one_warning_and_leaves_nothing(place, monkeypatch):
    def fill(path, content):
        open(path, "xb").close()
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_bytes", fill)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")  # as outside of tests
        for number in range(3):
            np.testing.assert_array_equal(cached_statistics(parts=(number,)), ARRAY)
    assert ["cannot be written (No space left on device)" in str(one.message) for one in found] == [True]
    assert [path for path in place.rglob("*") if path.is_file()] == []


def test_what_a_killed_process_left_is_removed_after_a_day():
    cached_statistics()
    (entry,) = entries()
    left = [entry.path.with_name(f".new-{hours}") for hours in (23, 25)]
    for path, hours in zip(left, (23, 25), strict=True):
        path.write_bytes(b"half")
        os.utime(path, (time.time() - hours * 3600,) * 2)
    assert [one.path for one in entries()] == [entry.path]
    assert metaeval.prune_cache() == left[1:]
    assert [path.exists() for path in (*left, entry.path)] == [True, False, True]


CONFIG = {
    "title": "pseudo-documents",
    "corpora": ["demo"],
    "metrics": ["bleu(order=1)", "ter"],
    "criteria": ["fluency"],
    "documents": {"kind": "pseudo", "lengths": [2, 5], "count": 20},
    "judgments": {"rule": "draw", "inter_judge": True},
    "uncertainty": {"n_resamples": 30, "method": "bootstrap"},
    "tests": [{"method": "bootstrap"}],
}


def contents(run):
    files = {path.relative_to(run): path.read_bytes() for path in run.rglob("*") if path.is_file()}
    return {path: content for path, content in files.items() if path.name != "times.json"}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"metrics": ["bleu(order=1)", "ter", "wer"]},
        {"documents": {"kind": "all"}, "judgments": {"rule": "mean", "ceiling": 3}},
        {"documents": {"kind": "segments"}, "judgments": {"rule": "mean"}, "tests": [{"method": "permutation"}]},
        {
            "tasks": [{"level": "system", "coefficient": "pairwise-accuracy"}, {"level": "segment"}],
            "ranking": {"permutations": 20},
            "documents": {},
            "judgments": {},
            "tests": [],
            "uncertainty": {},
        },
        {"references": {"subsets": "leave-one-out", "combine": "scores"}},
        {"uncertainty": {"n_resamples": 30, "method": "bootstrap", "resample": "both"}},
    ],
    ids=str,
)
def test_with_a_cache_of_something_else_a_run_has_the_same_bytes_as_without(change, tmp_path, monkeypatch):
    metaeval.run(CONFIG, output=tmp_path / "other")
    config = {**CONFIG, **change}
    runs = [metaeval.run(config, output=tmp_path / "run", jobs=jobs).directory for jobs in (1, 2)]
    found = [contents(run) for run in runs]
    monkeypatch.setenv("METAEVAL_CACHE_LIMIT", "0")
    found.append(contents(metaeval.run(config, output=tmp_path / "run").directory))
    assert found[0] == found[1] == found[2]


def test_a_second_run_counts_nothing_and_draws_again(tmp_path, monkeypatch):
    first = contents(metaeval.run(CONFIG, output=tmp_path / "run").directory)

    def never(*_, **__):
        raise AssertionError("computed")

    for place in ("experiment.measure.measure_subsets", "experiment.measure.treat"):
        monkeypatch.setattr(f"metaeval.{place}", never)
    assert contents(metaeval.run(CONFIG, output=tmp_path / "run").directory) == first
    # Replicates, tests, ceilings and chance levels take seconds, and are not kept.
    assert {one.kind for one in entries()} == {"statistics"}


SLOW = """
from pathlib import Path
COUNT = Path({count!r})
def slow(candidates, references):
    with COUNT.open("a") as file:
        file.write("x")
    if len(COUNT.read_text()) == {fails}:
        raise ValueError("out of memory")
    return [len(text) for text in candidates]
"""


def slow_metric(tmp_path, fails=0):
    file = tmp_path / "slow.py"
    file.write_text(SLOW.format(count=str(tmp_path / "count"), fails=fails))
    return f"{file}:slow"


def calls(tmp_path):
    return len((tmp_path / "count").read_text())


def test_a_slow_metric_that_fails_on_the_last_system_keeps_the_others(tmp_path):
    n = len(metaeval.load_corpus("demo").systems)
    metric = slow_metric(tmp_path, fails=n)
    with pytest.raises(MetricError, match="out of memory"):
        metaeval.correlate("demo", [metric])
    assert calls(tmp_path) == n
    # The same file; its next call is another number, which does not fail.
    first = metaeval.correlate("demo", [metric])
    assert calls(tmp_path) == n + 1
    again = metaeval.correlate("demo", [metric, "ter"])
    assert calls(tmp_path) == n + 1
    assert [one.value for one in again.estimates if "slow" in one.metric] == [one.value for one in first.estimates]


def test_another_code_is_another_metric(tmp_path):
    metric = slow_metric(tmp_path)
    metaeval.correlate("demo", [metric])
    before = calls(tmp_path)
    (tmp_path / "slow.py").write_text((tmp_path / "slow.py").read_text().replace("len(text)", "-len(text)"))
    metaeval.correlate("demo", [metric])
    assert calls(tmp_path) == 2 * before


def test_a_check_of_a_metric_asks_it_each_time(tmp_path):
    metric = slow_metric(tmp_path)
    metaeval.check_metric(metric)
    before = calls(tmp_path)
    metaeval.check_metric(metric)
    # How much is asked depends on the time that it takes.
    assert calls(tmp_path) > 1.5 * before


def test_the_fingerprint_tells_machines_that_round_otherwise_apart(tmp_path):
    """OpenBLAS takes the code of another processor where it is asked to, as another machine would."""
    code = "from metaeval.runtime.platform_fingerprint import fingerprint; print(fingerprint())"
    found = {}
    for core in ("", "Prescott", "Sandybridge"):
        environment = {**os.environ, **({"OPENBLAS_CORETYPE": core} if core else {})}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        found[core] = done.stdout.strip()
    if len({*found.values()}) == 1:
        pytest.skip("the BLAS of this numpy does not take the code of another processor")
    assert found[""] == numerics.fingerprint()
    assert found[""] != found["Prescott"]


def test_the_manifest_has_the_fingerprint_and_no_place(tmp_path):
    run = metaeval.run({**CONFIG, "documents": {"kind": "all"}}, output=tmp_path / "run").directory
    assert json.loads((run / "manifest.json").read_text())["fingerprint"] == numerics.fingerprint()
    for path in run.rglob("*"):
        if path.is_file():
            assert str(tmp_path).encode() not in path.read_bytes(), path
            assert str(Path.home()).encode() not in path.read_bytes(), path


ACROSS = """
import sys, metaeval
metaeval.run({config!r}, output=sys.argv[1])
print(metaeval.load_run(sys.argv[1]).data.facts["fingerprint"])
"""


def test_another_processor_gives_the_same_numbers_within_rounding(tmp_path):
    """Sums of counts are the same; all else, p-values and bounds too, within 1e-12."""
    runs, fingerprints = [], []
    for core in ("", "Prescott"):
        environment = {**os.environ, "METAEVAL_CACHE_LIMIT": "0", **({"OPENBLAS_CORETYPE": core} if core else {})}
        code = ACROSS.format(config={**CONFIG, "metrics": ["bleu", "nist", "ter", "rouge-l"]})
        command = [sys.executable, "-c", code, str(tmp_path / f"run{core}")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        fingerprints.append(done.stdout.strip())
        runs.append(metaeval.load_run(tmp_path / f"run{core}"))
    if len({*fingerprints}) == 1:
        pytest.skip("the BLAS of this numpy does not take the code of another processor")
    for kind in ("correlations", "tests"):
        first, second = (getattr(run, kind) for run in runs)
        assert list(first.columns) == list(second.columns)
        for name in first.columns:
            if first[name].dtype.kind == "f":
                np.testing.assert_allclose(first[name], second[name], rtol=0, atol=1e-12, err_msg=name)
            else:
                assert first[name].equals(second[name]), name
    differences = metaeval.diff_runs(*runs).inputs
    assert "fingerprint" in str(differences)
