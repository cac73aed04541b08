"""The random stream, version 1 (docs/stream.md): Philox4x64-10 and what is drawn from it.

Here and nowhere else in the reference stand floating-point numbers that decide something: the stream is
defined in them. `math.log`, `math.exp` and `math.log1p` belong to the platform and may differ from those of
the `libm` crate in the last bit. That moves a drawn integer about once in 10^15 draws.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, TypeAlias

Words4: TypeAlias = tuple[int, int, int, int]

BOOTSTRAP, HALVES, SIMULATION, RATERS, RATINGS, POOLS, PAIRS = range(7)  # purposes

WORD = (1 << 64) - 1
MULTIPLIERS = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
WEYL = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)


def philox_block(counter: Sequence[int], key: Sequence[int]) -> Words4:
    """Four words of Philox4x64 with ten rounds (Salmon, Moraes, Dror and Shaw 2011).

    Parameters
    ----------
    counter : four integers of 64 bits
    key : two integers of 64 bits
    """
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        high0, low0 = divmod(MULTIPLIERS[0] * c0, 1 << 64)
        high1, low1 = divmod(MULTIPLIERS[1] * c2, 1 << 64)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + WEYL[0]) & WORD, (k1 + WEYL[1]) & WORD
    return c0, c1, c2, c3


class Stream:
    """The words of one replicate, and the draws made from them.

    Parameters
    ----------
    seed : int
        0 .. 2^64 - 1.
    purpose : int
        One of the purposes above, such as `BOOTSTRAP`.
    replicate : int
        Counted from 0.
    """

    def __init__(self, seed: int, purpose: int, replicate: int) -> None:
        if not 0 <= seed <= WORD:
            raise ValueError(f"a seed must be in 0 .. 2^64 - 1; found: {seed}")
        self._key = (seed, purpose)
        self._replicate = replicate
        self._blocks = 0
        self._waiting: list[int] = []

    def word(self) -> int:
        """Give the next 64 bits. The counter is increased before each block of four words."""
        if not self._waiting:
            self._blocks += 1
            self._waiting = list(philox_block((self._blocks, 0, self._replicate, 0), self._key))
        return self._waiting.pop(0)

    def uniform(self) -> float:
        """Draw a number inside (0, 1)."""
        return ((self.word() >> 12) + 0.5) * 2.0**-52

    def bounded(self, n: int) -> int:
        """One integer of 0..n-1: a run of its own."""
        return self.bounded_run(n, 1)[0]

    def bounded_run(self, n: int, size: int) -> list[int]:
        """Draw a run of integers of 0..n-1 (Lemire 2019), 32 bits for each where n <= 2^32."""
        bits = 32 if n <= 1 << 32 else 64
        refused_below = (1 << bits) % n
        halves: list[int] = []  # of a word, still unused; what is left of them ends with the run
        run: list[int] = []
        while len(run) < size:
            if not halves:
                word = self.word()
                halves = [word & 0xFFFFFFFF, word >> 32] if bits == 32 else [word]
            j, low = divmod(halves.pop(0) * n, 1 << bits)
            if low >= refused_below:
                run.append(j)
        return run

    def binomial(self, n: int, a: int, c: int) -> int:
        """How many of n trials succeed, each with probability a/c."""
        if a == 0 or n == 0:
            return 0
        if a == c:
            return n
        if 2 * a > c:
            return n - self.binomial(n, c - a, c)
        p = float(a) / float(c)
        q = float(c - a) / float(c)
        return self._inversion(n, p, q) if n * p < 10 else self._btrs(n, p, q)

    def _inversion(self, n: int, p: float, q: float) -> int:
        """Walk up the probabilities r of 0, 1, 2, ... until they use up a uniform number."""
        s = p / q
        while True:
            u = self.uniform()
            r = math.exp(n * math.log1p(-p))
            k = 0
            while u > r and k < min(n, 110):
                u = u - r
                k = k + 1
                r = r * (s * (n - k + 1) / k)
            if not u > r:
                return k

    def _btrs(self, n: int, p: float, q: float) -> int:
        """Reject with a transformation and a squeeze (Hoermann 1993, algorithm BTRS)."""
        mean = n * p
        spq = math.sqrt(mean * q)
        b = 1.15 + 2.53 * spq
        a = -0.0873 + 0.0248 * b + 0.01 * p
        c = mean + 0.5
        v_r = 0.92 - 4.2 / b
        alpha = (2.83 + 5.1 / b) * spq
        m = math.floor((n + 1) * p)
        r = p / q
        while True:
            u = self.uniform() - 0.5
            v = self.uniform()
            us = 0.5 - abs(u)
            k = math.floor((2 * a / us + b) * u + c)
            if us >= 0.07 and v <= v_r:
                return k
            if k < 0 or k > n:
                continue
            v = v * alpha / (a / (us * us) + b)
            bound = (
                (m + 0.5) * math.log((m + 1) / (r * (n - m + 1)))
                + (n + 1) * math.log((n - m + 1) / (n - k + 1))
                + (k + 0.5) * math.log(r * (n - k + 1) / (k + 1))
                + ((stirling_rest(m) + stirling_rest(n - m)) - stirling_rest(k))
                - stirling_rest(n - k)
            )
            if math.log(v) <= bound:
                return k


# log(k!) - (k + 0.5) log(k + 1) + (k + 1) - log(2 pi)/2 for k = 0..9, from 80 digits, rounded once.
STIRLING_RESTS = (
    0.08106146679532726,
    0.0413406959554093,
    0.02767792568499834,
    0.020790672103765093,
    0.016644691189821193,
    0.013876128823070748,
    0.01189670994589177,
    0.010411265261972096,
    0.009255462182712733,
    0.00833056343336287,
)


def stirling_rest(k: int) -> float:
    """fc(k): what Stirling's formula leaves of log(k!)."""
    if k <= 9:
        return STIRLING_RESTS[k]
    x = float(k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / (x * x)) / (x * x)) / x


def multinomial(weights: Sequence[int], stream: Stream, n: int | None = None) -> list[int]:
    """How often each thing comes when n are drawn with replacement.

    Parameters
    ----------
    weights : sequence of int
        Of each thing, none of them zero. For patterns: the number of units of each.
    stream : Stream
    n : int, optional
        By default the sum of the weights: all units are drawn again.
    """
    total = sum(weights)
    n = total if n is None else n
    P = len(weights)
    if n <= 16 * P:
        return _draw_one_by_one(weights, stream, n)
    drawn = [0] * P
    left, weight_left = n, total
    for i, w in enumerate(weights[:-1]):
        drawn[i] = stream.binomial(left, w, weight_left)
        left -= drawn[i]
        weight_left -= w
    drawn[-1] = left
    return drawn


def _draw_one_by_one(weights: Sequence[int], stream: Stream, n: int) -> list[int]:
    ends = list(accumulate(weights))
    drawn = [0] * len(weights)
    for j in stream.bounded_run(ends[-1], n) if ends else []:
        drawn[bisect_right(ends, j)] += 1
    return drawn


def shuffle(items: list[Any], n: int, stream: Stream) -> None:
    """Put a random choice, in random order, into the first n places."""
    for i in range(n):
        j = stream.bounded(len(items) - i)
        items[i], items[i + j] = items[i + j], items[i]
