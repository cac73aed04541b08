"""Hypothesis tries the same examples in every run; `--hypothesis-profile=explore` looks for new ones."""

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=2000, deadline=None)
settings.load_profile("same")
