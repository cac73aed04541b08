"""Published and worked figures that lie beside the repository, not in it; tests skip without them."""

import json
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
DATA = SHARED / "data"
GOLDEN_FILE = SHARED / "golden.json"
GOLDEN = json.loads(GOLDEN_FILE.read_text(encoding="utf-8")) if GOLDEN_FILE.exists() else {}
COMPUTED = {name: data for name, data in GOLDEN.items() if data["expected"] != "held back"}

needs_golden = pytest.mark.skipif(not GOLDEN, reason="../shared/golden.json is not there")
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there")
