"""The exact reference of kappax: every number once more, in plain Python.

Standard library only, `fractions.Fraction` throughout, explicit loops over units and pairs of values,
written to be read beside the definitions and beside the Rust core, whose files have the same names. It shares
no code with the fast path, which the tests hold against it.

| file | what it holds | in the Rust core |
|---|---|---|
| `ratings.py` | missing values, the domain, what is refused | `ratings.rs` |
| `difference.py` | d2(a, b) of every level | `difference.rs` |
| `coefficient/` | one file for each coefficient; `pairs.py`: the sum they share | `coefficient/` |
| `tally.py` | patterns and their canonical order | `tally.rs` |
| `random.py` | Philox4x64-10, bounded integers, binomial, multinomial | `random.rs` |
| `bootstrap.py` | replicates | `resample/` |
| `drawn_pairs.py` | older bootstraps, which draw pairs | `coefficient/drawn_pairs.rs` |
| `permutation.py` | permuted data, p values | `coefficient/permuted.rs` |
| `interval.py` | percentile interval, standard error | `interval.rs` |
| `means.py` | reliability of means, disattenuated correlation | `means.rs` |

Units are lists of lists of plain values, None where a rating is missing; rows are units. Where raters are
told apart columns are raters, elsewhere rows may differ in length. A coefficient is returned as (estimate,
observed, expected), three Fractions, None where there is no such number.

>>> krippendorff_alpha([[1, 1, None], [2, 2, 3], [3, 3, 3]])
(Fraction(13, 20), Fraction(1, 4), Fraction(5, 7))
"""

from .bootstrap import CrossReplicationReplicates, cross_replication_replicates, replicates
from .coefficient import (
    brennan_prediger,
    cohen_kappa,
    coincidence_matrix,
    conger_kappa,
    cross_kappa,
    fleiss_kappa,
    gwet_ac,
    iota,
    krippendorff_alpha,
    light_kappa,
    normalize,
    normalized_cross_kappa,
    percent_agreement,
    scott_pi,
)
from .difference import LEVELS, squared_difference
from .drawn_pairs import alpha_of_pairs
from .interval import percentile_interval, standard_error
from .means import disattenuated_correlation, k_rater_reliability, split_half_reliability
from .permutation import adjusted_p, permutation_p, permuted_raters, permuted_ratings
from .random import Stream, multinomial, philox_block
from .tally import canonical_order, tally

__all__ = [
    "LEVELS",
    "CrossReplicationReplicates",
    "Stream",
    "adjusted_p",
    "alpha_of_pairs",
    "brennan_prediger",
    "canonical_order",
    "cohen_kappa",
    "coincidence_matrix",
    "conger_kappa",
    "cross_kappa",
    "cross_replication_replicates",
    "disattenuated_correlation",
    "fleiss_kappa",
    "gwet_ac",
    "iota",
    "k_rater_reliability",
    "krippendorff_alpha",
    "light_kappa",
    "multinomial",
    "normalize",
    "normalized_cross_kappa",
    "percent_agreement",
    "percentile_interval",
    "permutation_p",
    "permuted_raters",
    "permuted_ratings",
    "philox_block",
    "replicates",
    "scott_pi",
    "split_half_reliability",
    "squared_difference",
    "standard_error",
    "tally",
]
