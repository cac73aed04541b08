"""What the README and the examples show is what they do."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_begins_with_the_two_commands():
    fences = re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL)
    assert fences[0].splitlines() == [
        'python -m pip install ".[cli]" && kappax demo',
        'python -m pip install ".[test]" && python -m pytest',
    ]


def test_python_in_the_readme_prints_what_it_says():
    source = "\n".join(re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL))
    examples = doctest.DocTestParser().get_doctest(source, {}, "README.md", "README.md", 0)
    output = []
    doctest.DocTestRunner().run(examples, out=output.append)
    assert not output, "".join(output)
    assert len(examples.examples) > 8


def test_links_of_the_readme_lead_somewhere():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", README):
        assert (ROOT / target).is_file(), target


@pytest.mark.parametrize("script", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.name)
def test_examples_run(script):
    command = [sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout
