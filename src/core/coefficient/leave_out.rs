//! A coefficient without each of its units in turn: single units are taken out of sums over all of them.

use super::moments::Moments;
use super::part::{Part, Sums};
use super::unit::Marginals;
use super::value::{Undefined, Value};
use crate::core::difference::{Difference, Weight};
use crate::core::twofold::Twofold;
use crate::core::Watch;

/// Above this many values expected disagreement is corrected for a unit, below it is computed anew.
const FEW_VALUES: usize = 32;

/// Up to this many values the pairs of values inside units are summed in a table, where ranks decide their differences.
const LARGEST_TABLE: usize = 512;

/// The jackknife leaves out units, never raters.
const NO_COPIES: (u64, Twofold) = (0, Twofold::ZERO);

/// Where less than this share of a sum is left it is computed anew, so that what must be zero is zero.
const LEFT: f64 = 1.0 / (1u64 << 40) as f64;

impl Part {
    /// The coefficient with one unit of the pattern left out, for each pattern that has a part and is shown.
    pub fn without_each(&self, w: &[u64], sums: &mut Sums, watch: &Watch) -> Vec<(u32, Result<f64, Undefined>)> {
        let all = Totals::new(self, w, sums, watch);
        let shown: Vec<usize> = self.terms.shown(w).map(|(i, _)| i).collect();
        let mut found = Vec::with_capacity(shown.len());
        for i in shown.into_iter().take_while(|_| !watch.is_stopped()) {
            let value = all.by_moments(i).or_else(|| all.by_correction(i, watch));
            let value = value.unwrap_or_else(|| all.anew(i, sums, watch));
            found.push((self.terms.patterns[i], value.coefficient()));
        }
        found
    }

    /// About how many steps that takes.
    pub fn steps_without_each(&self) -> u64 {
        let n = self.terms.patterns.len() as u64;
        let k = self.n_values as u64;
        let marginals = self.rule.n_marginals() as u64;
        let own = self.terms.counts.len() as u64;
        if !self.terms.moments.is_empty() {
            return n * marginals + own + k;
        }
        if let Some(difference) = self.corrects() {
            return own + if difference.is_summed() { k } else { k.saturating_mul(k) };
        }
        let table = if self.fixed.is_none() && self.n_values > LARGEST_TABLE { own } else { k.saturating_mul(k) };
        let by_table = self.fixed.as_ref().is_none_or(|difference| self.rule.is_scaled() && !difference.is_summed());
        n.saturating_mul(marginals * k + if by_table { table } else { 0 })
    }

    /// The difference, where expected disagreement can be corrected for single units and that pays.
    fn corrects(&self) -> Option<&Difference> {
        self.fixed.as_deref().filter(|_| self.rule.chance().is_some() && self.n_values > FEW_VALUES)
    }
}

/// Sums over all units, and what taking one out needs besides.
struct Totals<'a> {
    part: &'a Part,
    w: &'a [u64],
    moments: Vec<Moments>,
    weight: u64,
    disagreement: Twofold,
    around: Option<Around>,
    /// Weight of each pair of values inside units, where ranks decide their difference.
    coincidences: Option<Vec<Twofold>>,
}

/// The pairs that chance makes of all ratings.
struct Around {
    /// Ratings on the two sides.
    n: [u64; 2],
    /// Σ n_k m_l d²(k, l).
    between: Twofold,
    /// Σ_k n_k d²(k, l) for each value l, n being the ratings of each side.
    towards: [Vec<Twofold>; 2],
}

impl<'a> Totals<'a> {
    /// Leaves in `sums` the counts, which units are taken out of and put back into.
    fn new(part: &'a Part, w: &'a [u64], sums: &mut Sums, watch: &Watch) -> Totals<'a> {
        part.add_moments(w, sums);
        let moments = std::mem::take(&mut sums.moments);
        part.add_counts(w, sums);
        let difference = part.corrects().filter(|_| moments.is_empty());
        let by_table = part.fixed.is_none() && part.n_values <= LARGEST_TABLE;
        Totals {
            part,
            w,
            moments,
            weight: sums.weight,
            disagreement: sums.disagreement,
            around: difference.and_then(|difference| Around::new(part, &sums.counts, difference, watch)),
            coincidences: by_table.then(|| part.coincidences(w)),
        }
    }

    /// Weight and disagreement without unit i.
    fn without(&self, i: usize) -> (u64, Twofold) {
        let terms = &self.part.terms;
        let of = |j: usize| terms.disagreement.get(j).copied().unwrap_or(Twofold::ZERO);
        (self.weight - terms.weights[i], self.rest(i, self.disagreement, of))
    }

    /// A sum over all units without unit i, summed anew where that unit was nearly all of it.
    fn rest(&self, i: usize, all: Twofold, of: impl Fn(usize) -> Twofold) -> Twofold {
        let own = of(i);
        let rest = all - own;
        if own.is_zero() || rest > all * LEFT || !rest.round().is_finite() {
            return rest;
        }
        let others = self.part.terms.shown(self.w).map(|(j, w)| (j, w - u64::from(i == j)));
        others.filter(|&(_, w)| w > 0).fold(Twofold::ZERO, |sum, (j, w)| sum + of(j).times(w))
    }

    fn by_moments(&self, i: usize) -> Option<Value> {
        if self.moments.is_empty() {
            return None;
        }
        let own = self.part.terms.moments_of(i, self.moments.len());
        let moments = self.moments.iter().zip(own).map(|(all, own)| all.without(own)).collect::<Option<_>>()?;
        let (weight, disagreement) = self.without(i);
        self.part.by_moments(&Sums { moments, weight, disagreement, ..Sums::default() })
    }

    /// From Σ (n - c)_k (m - e)_l d² = Σ n_k m_l d² - Σ c_k m_l d² - Σ n_k e_l d² + Σ c_k e_l d².
    fn by_correction(&self, i: usize, watch: &Watch) -> Option<Value> {
        let around = self.around.as_ref()?;
        let (part, difference) = (self.part, self.part.fixed.as_ref()?);
        let chance = part.rule.chance()?;
        let [c, e] = chance.sides().map(|side| part.terms.weights_of(i, side, part.n_values));
        let dot = |own: &[Weight], towards: &[Twofold]| {
            own.iter().fold(Twofold::ZERO, |sum, &(l, count)| sum + count * towards[l as usize])
        };
        let to_side = [dot(&e, &around.towards[0]), dot(&c, &around.towards[1])];
        let sum = around.between - to_side[0] - to_side[1] + difference.between(&c, &e, watch);
        if sum <= around.between * LEFT {
            return None;
        }
        let count = |own: &[Weight]| own.iter().map(|(_, count)| count.round() as u64).sum::<u64>();
        let n = [around.n[0] - count(&c), around.n[1] - count(&e)];
        let expected = chance.mean(sum, n, NO_COPIES)?;
        let (weight, disagreement) = self.without(i);
        Some(Value::of(disagreement, weight, expected, difference))
    }

    fn anew(&self, i: usize, sums: &mut Sums, watch: &Watch) -> Value {
        let (part, terms) = (self.part, &self.part.terms);
        (sums.weight, sums.disagreement) = self.without(i);
        for &(place, count) in terms.counts_of(i) {
            sums.counts[place as usize] -= u64::from(count);
        }
        let value = part.by_counts(sums, watch, |ranks| {
            let all = match &self.coincidences {
                Some(table) => disagreement_in(table, ranks, part.n_values),
                None => part.disagreement(self.w, ranks, watch),
            };
            let of = |j: usize| terms.pairs[j].as_ref().map(|pairs| pairs.disagreement(ranks, watch));
            (self.rest(i, all, |j| of(j).unwrap_or(Twofold::ZERO)), Twofold::ZERO)
        });
        for &(place, count) in terms.counts_of(i) {
            sums.counts[place as usize] += u64::from(count);
        }
        value
    }
}

impl Around {
    /// `None` where nothing varies, so that no correction is precise.
    fn new(part: &Part, counts: &[u64], difference: &Difference, watch: &Watch) -> Option<Around> {
        let marginals = Marginals { counts, n_values: part.n_values, copies: NO_COPIES };
        let sides = part.rule.chance()?.sides();
        let n_k = sides.map(|side| marginals.weights(side));
        let between = difference.between(&n_k[0], &n_k[1], watch);
        (!between.is_zero()).then(|| Around {
            n: sides.map(|side| marginals.total(side)),
            between,
            towards: n_k.map(|n_k| difference.towards(&n_k, part.n_values, watch)),
        })
    }
}

impl Part {
    /// The weight of each pair of values k > l inside units, row after row.
    fn coincidences(&self, w: &[u64]) -> Vec<Twofold> {
        let n_values = self.n_values;
        let mut table = vec![Twofold::ZERO; n_values * n_values];
        for (i, w) in self.terms.shown(w) {
            let Some(pairs) = &self.terms.pairs[i] else { continue };
            let share = Twofold::from(pairs.weight) / pairs.n_pairs;
            for &(k, left) in &pairs.left {
                for &(l, right) in pairs.right.as_ref().unwrap_or(&pairs.left) {
                    let (k, l) = (k.max(l) as usize, k.min(l) as usize);
                    table[k * n_values + l] += (left * right * share).times(w);
                }
            }
        }
        table
    }
}

fn disagreement_in(table: &[Twofold], difference: &Difference, n_values: usize) -> Twofold {
    let mut sum = Twofold::ZERO;
    for k in 0..n_values {
        for l in 0..k {
            let weight = table[k * n_values + l];
            if !weight.is_zero() {
                sum += weight * difference.d2(k, l);
            }
        }
    }
    sum
}
