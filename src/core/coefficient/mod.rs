//! Coefficients: one minus observed over expected disagreement.
//!
//! A coefficient says which units enter, which pairs of ratings it observes in a unit, and which pairs chance would
//! make from which marginals; [`Analysis`] does the rest for all of them. A new one is a file here, a line in `rule`
//! and its word in the bindings.

mod alpha;
mod analysis;
mod coincidences;
mod conger;
mod cross;
mod crossed;
mod drawn_pairs;
mod fleiss;
mod gwet;
mod iota;
mod leave_out;
mod moments;
mod pair_counts;
mod part;
mod percent;
mod permuted;
mod unit;
mod value;

pub use analysis::{Analysis, Draws, Outcome, Wish};
pub use coincidences::{coincidences, Coincidences};
pub use crossed::Crossed;
pub use drawn_pairs::{alpha_of_pairs, Pairing};
pub use pair_counts::PairCounts;
pub use permuted::{permute, Permutations, Permuted};
use unit::{Marginals, Pairs, Unit, Units};
pub use value::Undefined;

use super::difference::Difference;
use super::twofold::Twofold;
use super::Watch;

/// A coefficient and the pools that it is of.
#[derive(Debug, Clone, PartialEq)]
pub enum Coefficient {
    /// Krippendorff's alpha.
    Alpha(Within),
    /// Fleiss' kappa; Scott's pi for two raters.
    Fleiss(Within),
    /// Percent agreement.
    Percent(Within),
    /// Gwet's AC1 and AC2.
    GwetAc(Within),
    /// Brennan and Prediger's coefficient.
    BrennanPrediger(Within),
    /// Cross-kappa of two pools; Cohen's kappa for pools of one.
    Cross(u32, u32),
    /// Janson and Olsson's iota of raters, a pool each.
    Iota(Vec<u32>),
    /// Conger's kappa of raters, a pool each.
    Conger(Vec<u32>),
    /// Light's kappa: the mean of Cohen's over pairs of raters, a pool each.
    Light(Vec<u32>),
    /// A number that is given, not estimated.
    Given(f64),
    /// One earlier coefficient of the list less another.
    Difference([usize; 2]),
    /// One earlier coefficient of the list over another.
    Quotient([usize; 2]),
    /// Cross-kappa over the root of two reliabilities: places of earlier coefficients in the list.
    Normalized {
        /// The cross-kappa.
        cross: usize,
        /// The two reliabilities.
        irr: [usize; 2],
    },
}

/// The pool of a coefficient within one pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Within {
    /// The pool.
    pub pool: u32,
    /// Only units that one of these other pools rated as well; all units where there are none.
    pub among: Vec<u32>,
}

/// What makes a coefficient: its pairs and its chance model.
trait Rule: Send + Sync {
    /// Whether the unit has a part in the coefficient at all.
    fn enters(&self, unit: &Unit) -> bool;

    /// The pairs observed in a unit that enters, if it has any.
    fn pairs(&self, unit: &Unit) -> Option<Pairs>;

    /// Number of marginals: vectors of counts over the domain.
    fn n_marginals(&self) -> usize;

    /// The marginal that a pool's ratings of a unit that enters add to. It is asked for each count of the unit, so
    /// that a walk over all of them here is a square of their number.
    fn marginal(&self, unit: &Unit, pool: u32) -> Option<usize>;

    /// Whether a marginal counts pairable ratings: those that mid-ranks are taken from.
    fn is_pairable(&self, _marginal: usize) -> bool {
        true
    }

    /// Whether disagreement is measured against the largest that the domain allows.
    fn is_scaled(&self) -> bool {
        false
    }

    /// The pairs that chance makes, where expected disagreement is no more than the mean over them.
    fn chance(&self) -> Option<Chance> {
        None
    }

    /// Disagreement by chance; `None` where the marginals allow none.
    fn expected(&self, marginals: &Marginals, difference: &Difference, watch: &Watch) -> Option<Twofold> {
        let chance = self.chance()?;
        let [x, y] = chance.sides();
        let (a, b) = (marginals.weights(x), marginals.weights(y));
        let sum = if x == y { difference.between(&a, &a, watch) } else { difference.between(&a, &b, watch) };
        chance.mean(sum, [marginals.total(x), marginals.total(y)], marginals.copies)
    }
}

/// Pairs of ratings that chance makes from marginals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chance {
    /// Two different ratings of marginal 0.
    Within,
    /// A rating of marginal 0 with one of marginal 1.
    Across,
}

impl Chance {
    /// The marginals of the two ratings.
    fn sides(self) -> [usize; 2] {
        match self {
            Chance::Within => [0, 0],
            Chance::Across => [0, 1],
        }
    }

    /// The mean d² from its sum and the numbers of ratings of the two sides, without the pairs of copies of one rater;
    /// `None` where there is no pair.
    fn mean(self, sum: Twofold, [n, m]: [u64; 2], copies: (u64, Twofold)) -> Option<Twofold> {
        let [n, m] = [n, m].map(Twofold::from);
        let (sum, pairs) = match self {
            Chance::Within => (sum - copies.1, n * m - n - Twofold::from(copies.0)),
            Chance::Across => (sum, n * m),
        };
        (pairs > Twofold::ZERO).then(|| sum / pairs)
    }
}

/// The rule of a coefficient that is computed from units (the others are computed from coefficients).
fn rule(coefficient: &Coefficient, units: &dyn Units) -> Option<Box<dyn Rule>> {
    Some(match coefficient {
        Coefficient::Cross(x, y) => Box::new(cross::Cross(*x, *y)),
        Coefficient::Iota(raters) => Box::new(iota::Iota::new(raters)),
        Coefficient::Conger(raters) => Box::new(conger::Conger::new(raters)),
        of_one_pool => {
            let within = of_one_pool.within()?;
            let sizes = (0..units.len()).map(|i| units.unit(i).n_ratings_within(within));
            return rule_of_one_pool(of_one_pool, sizes.filter(|&m| m > 0));
        }
    })
}

/// The rule of a coefficient within one pool whose units have these numbers of ratings.
fn rule_of_one_pool(coefficient: &Coefficient, sizes: impl Iterator<Item = u64>) -> Option<Box<dyn Rule>> {
    let within = coefficient.within()?.clone();
    Some(match coefficient {
        Coefficient::Alpha(_) => Box::new(alpha::Alpha(within)),
        Coefficient::Fleiss(_) => Box::new(fleiss::Fleiss::new(within, sizes)),
        Coefficient::Percent(_) => Box::new(percent::Percent(within)),
        Coefficient::GwetAc(_) => Box::new(gwet::GwetAc::new(within, sizes)),
        Coefficient::BrennanPrediger(_) => Box::new(gwet::BrennanPrediger(within)),
        _ => return None,
    })
}

/// Number of pools that raters are in or coefficients read: a pool may have no raters.
fn n_pools(pool_of: &[u32], coefficients: &[Coefficient]) -> usize {
    let read = coefficients.iter().flat_map(Coefficient::pools);
    pool_of.iter().copied().chain(read).max().map_or(0, |most| most as usize + 1)
}

impl Coefficient {
    /// The pool that a coefficient within one pool is of.
    fn within(&self) -> Option<&Within> {
        match self {
            Coefficient::Alpha(within)
            | Coefficient::Fleiss(within)
            | Coefficient::Percent(within)
            | Coefficient::GwetAc(within)
            | Coefficient::BrennanPrediger(within) => Some(within),
            _ => None,
        }
    }

    /// The number of coefficients that are computed from units to give this one.
    pub fn n_parts(&self) -> u64 {
        match self {
            Coefficient::Light(raters) => (raters.len() as u64).pow(2) / 2,
            _ => 1,
        }
    }

    /// The pools that the coefficient reads.
    fn pools(&self) -> Vec<u32> {
        match self {
            Coefficient::Cross(x, y) => vec![*x, *y],
            Coefficient::Iota(raters) | Coefficient::Conger(raters) | Coefficient::Light(raters) => raters.clone(),
            other => other.within().map_or(Vec::new(), |within| [&[within.pool], within.among.as_slice()].concat()),
        }
    }

    /// The coefficient itself; one of raters that names none is of these raters.
    pub fn of_raters(&self, raters: &[u32]) -> Coefficient {
        match self {
            Coefficient::Iota(none) if none.is_empty() => Coefficient::Iota(raters.to_vec()),
            Coefficient::Conger(none) if none.is_empty() => Coefficient::Conger(raters.to_vec()),
            Coefficient::Light(none) if none.is_empty() => Coefficient::Light(raters.to_vec()),
            other => other.clone(),
        }
    }

    /// The same coefficient of pools under other numbers.
    fn renumbered(&self, number: impl Fn(u32) -> u32) -> Coefficient {
        // Sorted, so that sums over raters are made in canonical order.
        let all = |pools: &[u32]| {
            let mut numbers: Vec<u32> = pools.iter().map(|&pool| number(pool)).collect();
            numbers.sort_unstable();
            numbers
        };
        let within = |w: &Within| Within { pool: number(w.pool), among: all(&w.among) };
        match self {
            Coefficient::Alpha(w) => Coefficient::Alpha(within(w)),
            Coefficient::Fleiss(w) => Coefficient::Fleiss(within(w)),
            Coefficient::Percent(w) => Coefficient::Percent(within(w)),
            Coefficient::GwetAc(w) => Coefficient::GwetAc(within(w)),
            Coefficient::BrennanPrediger(w) => Coefficient::BrennanPrediger(within(w)),
            Coefficient::Cross(x, y) => {
                let (x, y) = (number(*x), number(*y));
                Coefficient::Cross(x.min(y), x.max(y))
            }
            Coefficient::Iota(raters) => Coefficient::Iota(all(raters)),
            Coefficient::Conger(raters) => Coefficient::Conger(all(raters)),
            Coefficient::Light(raters) => Coefficient::Light(all(raters)),
            Coefficient::Given(_)
            | Coefficient::Difference(_)
            | Coefficient::Quotient(_)
            | Coefficient::Normalized { .. } => self.clone(),
        }
    }
}
