"""Tests of `leaf_data.extensions` and `extras`."""

import inspect
import sys
from importlib import metadata

import pytest

from leaf_data import extensions, extras


@pytest.fixture
def write_module(tmp_path, monkeypatch):
    """Writes a file that can be imported; what was imported of it is forgotten afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)

    def write(name, source):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
        return path

    yield write
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_reference_is_a_module_and_a_name_and_what_it_names_is_loaded(write_module):
    assert all(map(extensions.is_reference, ["a:b", "a.b:c", "a_1.b:C.d"]))
    others = ["", "a", "a:", ":b", "a-b:c", "a:b:c", "a b:c", "a.:b", "1:b"]
    assert not any(map(extensions.is_reference, others))
    write_module("own_package/inner.py", "class Outer:\n    value = 3\n")
    write_module("own_package/__init__.py", "")
    assert extensions.load("own_package.inner:Outer.value") == 3


@pytest.mark.parametrize(
    ("before", "after", "alone"),
    [
        ("", "", True),
        ("if True:\n    SIZE = 4\n", "", False),
        ("@decorator\n", "", False),
        ("", "\nbuild = functools.partial(build, size=4)", False),
        ("", "\nfrom elsewhere import build", False),
    ],
)
def test_a_default_is_read_from_the_source_if_that_decides_it(write_module, before, after, alone):
    source = f"SIZE = 3\n{before}def build(*, size: int = SIZE): ...{after}"
    write_module("outlined/__init__.py", source)
    outlined = extensions.outline("outlined:build")
    assert (outlined is not None) is alone
    if alone:
        assert inspect.signature(outlined).parameters["size"].default == 3


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (None, "'own_module' cannot be imported: ModuleNotFoundError: No module named"),
        ("", "'own_module:build': the module own_module has no build"),
        ("build = 1 / 0", r"ZeroDivisionError: division by zero \(.*own_module.py, line 1\)"),
        ("def build(:", "SyntaxError: .*own_module.py, line 1"),
        ("import no_such", "No module named 'no_such' .*own_module.py, line 1"),
    ],
)
def test_what_cannot_be_loaded_is_a_sentence(write_module, source, message):
    if source is not None:
        write_module("own_module.py", source)
    with pytest.raises(ValueError, match=message):
        extensions.load("own_module:build")
    with pytest.raises(ValueError, match="__main__, cannot be imported by other processes"):
        extensions.load("__main__:build")


def test_an_entry_point_stands_for_its_reference(monkeypatch, request):
    extensions.entry_points.cache_clear()
    request.addfinalizer(extensions.entry_points.cache_clear)
    points = [
        metadata.EntryPoint(name, value, "some.group")
        for name, value in (("mine", "own.module:build [extra]"), ("half", "own"), ("a", "b:c"))
    ]
    monkeypatch.setattr(metadata, "entry_points", lambda: {"some.group": points})
    assert extensions.entry_points("some.group")["mine"] == "own.module:build"
    assert extensions.entry_points("another.group") == {}
    assert extensions.reference_of("mine", "some.group") == "own.module:build"
    assert extensions.reference_of("x:y", "some.group") == "x:y"
    assert extensions.reference_of("nobody", "some.group") is None
    with pytest.raises(ValueError, match="entry point 'half' of some.group is 'own': it must be"):
        extensions.reference_of("half", "some.group")
    with pytest.raises(ValueError, match="entry point 'a' of some.group is 'b:c': that name is"):
        extensions.reference_of("a", "some.group", taken=["a"])


@pytest.mark.parametrize("reference", ["own_module:x", "own_package:z", "own_package.module:z"])
@pytest.mark.parametrize(
    "changed", ["helper.py", "of_helper/deep/inner.py", "own_package/deep/inner.py"]
)
def test_a_checksum_is_of_all_that_is_imported_from_the_same_folder(
    write_module, reference, changed
):
    """A package has all its files, whatever is imported; a cycle of imports ends."""
    write_module("own_module.py", "import helper, os\nimport own_package.module\n")
    write_module("own_package/__init__.py", "")
    write_module("own_package/module.py", "from . import deep\nfrom helper import f\n")
    write_module("own_package/deep/__init__.py", "")
    write_module("own_package/deep/inner.py", "")
    write_module("of_helper/__init__.py", "import helper\n")
    write_module("of_helper/deep/inner.py", "")
    write_module("helper.py", "f = 1\ndef late():\n    from of_helper import deep\n")
    unused = write_module("unused.py", "import tff_weights\n")

    first = extensions.checksums([reference, reference.partition(":")[0]])
    assert [len(checksum) for checksum in first.values()] == [12]
    unused.write_text("")
    extensions.check_unchanged(first)
    write_module(changed, "x = 2\n")
    with pytest.raises(ValueError, match="the source of own_.* is another than when"):
        extensions.check_unchanged(first)


def test_a_checksum_does_not_cover_what_is_installed():
    assert extensions.checksums(["sys"]) == {"sys": None}  # Which has no source.
    extensions.check_unchanged({"sys": None})
    extensions.check_unchanged(extensions.checksums(["random", "tff_weights.checks"]))


def test_of_one_that_is_not_there_the_extra_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ijson", None)  # As if it were not installed.
    with pytest.raises(ModuleNotFoundError, match=r"tff-weights\[data\]") as raised:
        extras.require("ijson")
    assert raised.value.name == "ijson"
    # What a package itself lacks is named as it is.
    (tmp_path / "package_with_a_need.py").write_text("import no_such_package")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError) as raised:
        extras.require("package_with_a_need")
    assert raised.value.name == "no_such_package"
