//! The coincidence matrix of alpha (Krippendorff 2011): pairs of values found inside units.

use super::unit::Unit;
use super::{Tally, Twofold, Within};

/// o[k, l] = Σ_u (ordered pairs of values k, l in u)/(m[u] - 1) over units with m >= 2 of the first pool, row after row.
pub fn coincidences(tally: &Tally) -> Vec<f64> {
    let n_values = tally.n_values();
    let mut o = vec![Twofold::ZERO; n_values * n_values];
    for (pattern, w) in tally.patterns() {
        let m = Unit(pattern).n_ratings_within(Within { pool: 0, among: None });
        if m < 2 {
            continue;
        }
        let share = Twofold::from(w) / Twofold::from(m - 1);
        for a in pattern {
            for b in pattern {
                let same = u64::from(a.value == b.value);
                let pairs = Twofold::from(u64::from(a.count)) * Twofold::from(u64::from(b.count) - same);
                o[a.value as usize * n_values + b.value as usize] += pairs * share;
            }
        }
    }
    o.iter().map(|sum| sum.round()).collect()
}
