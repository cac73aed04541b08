//! The coincidence matrix of alpha (Krippendorff 2011): pairs of values found inside units, and those of chance.

use super::unit::Unit;
use super::Twofold;
use crate::core::Tally;

/// Two K x K matrices, row after row.
pub struct Coincidences {
    /// `o[k, l] = Σ_u (ordered pairs of values k, l in u)/(m[u] - 1)`, over units with m >= 2.
    pub observed: Vec<f64>,
    /// `e[k, l] = N_k N_l/(N - 1)`, on the diagonal `N_k (N_k - 1)/(N - 1)`.
    pub expected: Vec<f64>,
}

/// The coincidences of a tally of one pool.
pub fn coincidences(tally: &Tally) -> Coincidences {
    let n_values = tally.n_values();
    let mut observed = vec![Twofold::ZERO; n_values * n_values];
    let mut n_k = vec![0; n_values];
    for (pattern, w) in tally.patterns() {
        let m = Unit::new(pattern).n_all();
        if m < 2 {
            continue;
        }
        let share = Twofold::from(w) / Twofold::from(m - 1);
        for a in pattern {
            n_k[a.value as usize] += w * u64::from(a.count);
            for b in pattern {
                observed[a.value as usize * n_values + b.value as usize] +=
                    ordered_pairs(a.count.into(), b.count.into(), a.value == b.value) * share;
            }
        }
    }
    let pairs = Twofold::from(n_k.iter().sum::<u64>().saturating_sub(1).max(1));
    let places = (0..n_values * n_values).map(|i| (i / n_values, i % n_values));
    let expected = places.map(|(k, l)| (ordered_pairs(n_k[k], n_k[l], k == l) / pairs).round()).collect();
    Coincidences { observed: observed.iter().map(|sum| sum.round()).collect(), expected }
}

/// Ordered pairs of ratings of two values, or of different ratings of one value.
fn ordered_pairs(n: u64, other: u64, same_value: bool) -> Twofold {
    let partners = if same_value { other.saturating_sub(1) } else { other };
    Twofold::from(n) * Twofold::from(partners)
}
