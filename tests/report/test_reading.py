"""What a folder may hold, and what becomes of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypair.errors import InvalidValue
from anypair.report import write_report
from anypair.report.reading import collect
from tests.report.samples import result, trace, write

SPOILED: dict[str, tuple[Any, str]] = {
    "a list": ([1, 2], "holds a list, neither a result nor a trace"),
    "a number": (5, "holds a int"),
    "something else": ({"name": "x"}, "neither a result nor a trace"),
    "no scale": ({"harmonic_mean_TEPS": 1.0}, "has no field 'scale'"),
    "scale in words": (result() | {"scale": "ten"}, "the field 'scale' is 'ten', not a whole number"),
    "negative scale": (result() | {"scale": -1}, "the field 'scale' is -1"),
    "scale true": (result() | {"scale": True}, "the field 'scale' is True"),
    "times in words": (result() | {"teps": [1.0, "fast"]}, "the field 'teps' is [1.0, 'fast']"),
    "mean not a number": (
        result() | {"harmonic_mean_TEPS": float("nan")},
        "is nan, not a finite number",
    ),
    "mean infinite": (result() | {"harmonic_mean_TEPS": float("inf")}, "is inf, not a finite number"),
    "machine a text": (result() | {"machine": "fast"}, "'machine' is 'fast', not an object"),
    "validated a text": (result() | {"validated": "yes"}, "'validated' is 'yes', not true or false"),
    "backend a number": (result() | {"backend": 7}, "the field 'backend' is 7, not a text"),
    "results not a list": ({"results": 1}, "the field 'results' is 1, not a list"),
    "results of numbers": ({"results": [1]}, "holds 1 where an object with fields has to be"),
    "one spoiled result": ({"results": [result(), {}]}, "has no field 'scale'"),
    "operations not a list": ({"operations": {}}, "the field 'operations' is {}, not a list"),
    "operation without time": ({"operations": [{"operation": "vxm"}]}, "has no field 'seconds'"),
    "phases in words": (trace([1, 2], expand="long"), "holds 'long' where an object"),
}


@pytest.mark.parametrize("what", SPOILED)
def test_what_is_not_ours_is_named_and_left_out(tmp_path: Path, what: str) -> None:
    content, words = SPOILED[what]
    write(tmp_path / "bad.json", content)
    write(tmp_path / "good.json", result(11))
    found = collect(tmp_path)
    assert [run.scale for run in found.runs] == [11]
    assert found.traces == []
    (warning,) = found.warnings
    assert warning.startswith("bad.json: ")
    assert words in warning
    assert words in write_report(tmp_path).path.read_text().replace("&#x27;", "'")


@pytest.mark.parametrize("text", [b"", b"{", b"\xff\xfe\x00", b"[" * 100_000, b"NaN,"])
def test_what_is_no_json_is_named_and_left_out(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "bad.json").write_bytes(text)
    write(tmp_path / "good.json", result())
    assert collect(tmp_path).warnings[0].startswith("bad.json: is no JSON: ")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(sorted(result())), json_values)
def test_any_field_may_hold_anything(tmp_path: Path, field: str, value: Any) -> None:
    write(tmp_path / "some.json", result() | {field: value})
    write(tmp_path / "good.json", result(11))
    found = collect(tmp_path)
    assert len(found.runs) + len(found.warnings) == 2
    json.dumps(write_report(tmp_path).path.read_text())


def test_results_are_found_in_subfolders_and_lists(tmp_path: Path) -> None:
    write(tmp_path / "a" / "b" / "one.json", result(9))
    write(tmp_path / "many.json", {"results": [result(8), result(7)]})
    write(tmp_path / "trace.json", trace([1, 5, 2]))
    found = collect(tmp_path)
    assert [run.scale for run in found.runs] == [7, 8, 9]
    assert [each.file for each in found.traces] == ["trace.json"]
    assert found.warnings == []


def test_fields_that_older_results_lack_have_defaults(tmp_path: Path) -> None:
    lean = {
        k: v for k, v in result().items() if k not in ("threads", "ranks", "machine", "versions", "seed")
    }
    write(tmp_path / "lean.json", lean | {"validated": None, "sssp": None})
    (run,) = collect(tmp_path).runs
    assert (run.workers, run.validated, run.machine) == (1, False, {})


@pytest.mark.parametrize("content", [None, [1]])
def test_a_folder_without_results_is_an_error_with_the_remedy(tmp_path: Path, content: Any) -> None:
    if content is not None:
        write(tmp_path / "foreign.json", content)
    with pytest.raises(InvalidValue, match="anypair bench --json") as error:
        write_report(tmp_path)
    assert ("foreign.json" in str(error.value)) == (content is not None)
    assert not (tmp_path / "report.html").exists()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="is not a folder"):
        collect(write(tmp_path / "x.json", result()))
