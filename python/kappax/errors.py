"""Exceptions and warnings: one short tree; ``except kx.KappaxError`` catches all that is about the data."""

from __future__ import annotations

__all__ = ["KappaxError", "LevelError", "RatingsError", "UndefinedCoefficientWarning"]


class KappaxError(ValueError):
    """Anything that is wrong with what a caller asked for; wrong types raise ``TypeError``."""


class RatingsError(KappaxError):
    """The ratings cannot be used as they are. The message names the unit, the rater and the value."""


class LevelError(KappaxError):
    """The level of measurement does not exist, or does not fit the values."""


class UndefinedCoefficientWarning(UserWarning):
    """A coefficient is undefined on these data: the estimate is NaN and ``reason`` says why."""
