"""The examples of every public docstring run and print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import kappax

MODULES = sorted(
    name
    for _, name, _ in pkgutil.walk_packages(kappax.__path__, "kappax.")
    if not name.endswith(("__main__", "._core"))
)


@pytest.mark.parametrize("name", ["kappax", *MODULES])
def test_examples(name):
    module = importlib.import_module(name)
    output = []
    runner = doctest.DocTestRunner()
    for example in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        runner.run(example, out=output.append)
    assert runner.failures == 0, "".join(output)


def test_every_public_function_has_an_example():
    public = [getattr(kappax, name) for name in kappax.__all__]
    functions = [f for f in public if callable(f) and not isinstance(f, type)]
    assert not [f.__name__ for f in functions if ">>>" not in (f.__doc__ or "")]
