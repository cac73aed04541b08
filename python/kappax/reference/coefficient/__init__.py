"""The coefficients, one file each, all of them 1 - observed disagreement / expected disagreement."""

from .alpha import krippendorff_alpha
from .cohen import cohen_kappa
from .coincidences import coincidence_matrix
from .conger import conger_kappa
from .cross import cross_kappa
from .fleiss import fleiss_kappa, scott_pi
from .gwet import brennan_prediger, gwet_ac
from .iota import iota
from .light import light_kappa
from .normalized import normalize, normalized_cross_kappa
from .percent import percent_agreement

__all__ = [
    "brennan_prediger",
    "cohen_kappa",
    "coincidence_matrix",
    "conger_kappa",
    "cross_kappa",
    "fleiss_kappa",
    "gwet_ac",
    "iota",
    "krippendorff_alpha",
    "light_kappa",
    "normalize",
    "normalized_cross_kappa",
    "percent_agreement",
    "scott_pi",
]
