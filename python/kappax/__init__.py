"""Inter-rater and cross-replication reliability with intervals that can be repeated.

>>> import kappax as kx
>>> kx.krippendorff_alpha([[1, 1], [2, 2], [1, 2], [2, 2]]).estimate
0.5333333333333333

`krippendorff_alpha`, `fleiss_kappa`, `cohen_kappa` and their family say how far the raters of one pool agree;
`cross_kappa` and `cross_replication` how far the raters of one pool agree with those of another. Every function takes
`Ratings`, a `Tally`, or a matrix with units in rows and raters in columns, and ``ci=Bootstrap(...)`` for an interval.
"""

from importlib.metadata import version

from kappax import readers, reference
from kappax.coefficients import (
    brennan_prediger,
    cohen_kappa,
    coincidence_matrix,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    iota,
    krippendorff_alpha,
    light_kappa,
    percent_agreement,
    scott_pi,
)
from kappax.comparison import Comparison, compare, parity_gap
from kappax.errors import KappaxError, LevelError, RatingsError, UndefinedCoefficientWarning
from kappax.families import Family, benjamini_hochberg
from kappax.means import disattenuated_correlation, k_rater_reliability, split_half_reliability
from kappax.methods import Bootstrap
from kappax.permutation import PermutationTest, permutation_test
from kappax.planning import Plan, plan, sample_size
from kappax.ratings import Ratings, Tally
from kappax.replication import cross_kappa, cross_replication, normalize_kappa, normalized_cross_kappa
from kappax.results import Coincidences, CrossReplication, Estimate, Interval, Jackknife
from kappax.table import agreement_table

__version__ = version("kappax")

__all__ = [
    "Bootstrap",
    "Coincidences",
    "Comparison",
    "CrossReplication",
    "Estimate",
    "Family",
    "Interval",
    "Jackknife",
    "KappaxError",
    "LevelError",
    "PermutationTest",
    "Plan",
    "Ratings",
    "RatingsError",
    "Tally",
    "UndefinedCoefficientWarning",
    "__version__",
    "agreement_table",
    "benjamini_hochberg",
    "brennan_prediger",
    "cohen_kappa",
    "coincidence_matrix",
    "compare",
    "conger_kappa",
    "cross_kappa",
    "cross_replication",
    "disattenuated_correlation",
    "fleiss_kappa",
    "gwet_ac",
    "iota",
    "k_rater_reliability",
    "krippendorff_alpha",
    "light_kappa",
    "normalize_kappa",
    "normalized_cross_kappa",
    "parity_gap",
    "percent_agreement",
    "permutation_test",
    "plan",
    "readers",
    "reference",
    "sample_size",
    "scott_pi",
    "split_half_reliability",
]
