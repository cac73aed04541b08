"""Interpretation scales: words that authors have given to ranges of a coefficient.

They are customs, not findings: each author warns that where to cut depends on what the ratings are for.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SCALES", "Scale"]


@dataclass(frozen=True, slots=True)
class Scale:
    """Words for ranges of a coefficient.

    Attributes
    ----------
    name, source : str
        Whose scale it is, and where it was published.
    words : tuple of str
        From the lowest range to the highest.
    cuts : tuple of float
        Where one range ends and the next begins; one less than there are words.
    includes : {"above", "below"}
        Which of its two ranges a cut belongs to.
    """

    name: str
    source: str
    words: tuple[str, ...]
    cuts: tuple[float, ...]
    includes: str

    def ranges(self) -> list[str]:
        """Write the range of each word, such as "0.4 to 0.6"."""
        first, last = (f"below {self.cuts[0]:g}", f"{self.cuts[-1]:g} and above")
        if self.includes == "below":
            first, last = (f"up to {self.cuts[0]:g}", f"above {self.cuts[-1]:g}")
        between = [f"{low:g} to {high:g}" for low, high in zip(self.cuts, self.cuts[1:], strict=False)]
        return [first, *between, last]


SCALES = {
    "landis-koch": Scale(
        "Landis and Koch (1977)",
        "doi:10.2307/2529310",
        ("poor", "slight", "fair", "moderate", "substantial", "almost perfect"),
        (0.0, 0.2, 0.4, 0.6, 0.8),
        "below",
    ),
    "krippendorff": Scale(
        "Krippendorff (2004)",
        "doi:10.1111/j.1468-2958.2004.tb00738.x",
        ("discard", "tentative conclusions only", "reliable"),
        (0.667, 0.8),
        "above",
    ),
    "altman": Scale(
        "Altman (1991)",
        "Practical Statistics for Medical Research. Chapman and Hall",
        ("poor", "fair", "moderate", "good", "very good"),
        (0.2, 0.4, 0.6, 0.8),
        "below",
    ),
    "fleiss": Scale(
        "Fleiss (1981)",
        "Statistical Methods for Rates and Proportions, 2nd ed. Wiley",
        ("poor", "fair to good", "excellent"),
        (0.4, 0.75),
        "above",
    ),
    "cicchetti-sparrow": Scale(
        "Cicchetti and Sparrow (1981)",
        "American Journal of Mental Deficiency 86, 127-137",
        ("poor", "fair", "good", "excellent"),
        (0.4, 0.6, 0.75),
        "above",
    ),
}
"""By the word that `Estimate.interpret` takes. A coefficient of exactly 0 is "poor" to Landis and Koch here."""
