//! Difference functions d²(k, l) between values, and the one sum that every disagreement is made of.
//!
//! Observed and expected disagreement both average d² over pairs of ratings, so both are the bilinear form
//! `Σ a_k b_l d²(k, l)` of two weight vectors: the counts of one unit, or of two pools in one unit, or marginals.
//! [`Difference::between`] computes it, without a K x K matrix wherever the level allows.

mod ratio;

use super::twofold::Twofold;
use super::{Error, Watch};

/// A level of measurement; numeric levels carry the number that each value of the domain stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Level {
    /// 0 or 1.
    Nominal,
    /// Squared distance of mid-ranks among the pairable ratings (Krippendorff).
    Ordinal,
    /// (a - b)².
    Interval(Vec<f64>),
    /// |a - b| (Berry and Mielke 1988).
    Linear(Vec<f64>),
    /// ((a - b)/(a + b))².
    Ratio(Vec<f64>),
    /// sqrt |a - b| (Gwet).
    Radical(Vec<f64>),
    /// sin²(π (a - b)/period).
    Circular {
        /// Numbers of the values.
        values: Vec<f64>,
        /// Length of one turn.
        period: f64,
    },
    /// (a - b)²/((a + b - 2 low)(2 high - a - b)).
    Bipolar {
        /// Numbers of the values.
        values: Vec<f64>,
        /// Lower end of the scale.
        low: f64,
        /// Upper end of the scale.
        high: f64,
    },
    /// d² as a K x K matrix, row after row.
    Custom(Vec<f64>),
}

/// A value's place in the domain and its weight; slices are sorted by place, without repeats.
pub type Weight = (u32, Twofold);

/// d² made ready for a domain.
#[derive(Debug, Clone)]
pub struct Difference {
    kind: Kind,
    /// What a sum is multiplied by, one after the other (a product could overflow).
    units: [f64; 2],
}

#[derive(Debug, Clone)]
enum Kind {
    Nominal,
    Squares(Vec<f64>),
    Distances { values: Vec<f64>, ascending: bool },
    Table { d2: Vec<Twofold>, n_values: usize },
    Pairwise { level: Level, n_values: usize },
}

/// Up to this many values, differences that have no short cut are looked up in a table.
const LARGEST_TABLE: usize = 512;

impl Level {
    /// Checks that the level has a number (or a row) for each of the values.
    pub fn check(&self, n_values: usize) -> Result<(), Error> {
        let (what, found, needed) = match self {
            Level::Nominal | Level::Ordinal => return Ok(()),
            Level::Custom(matrix) => ("level matrix", matrix.len(), n_values * n_values),
            Level::Interval(values)
            | Level::Linear(values)
            | Level::Ratio(values)
            | Level::Radical(values)
            | Level::Circular { values, .. }
            | Level::Bipolar { values, .. } => ("level", values.len(), n_values),
        };
        if found == needed {
            return Ok(());
        }
        Err(Error::Level { what, found, needed })
    }

    /// The level for a domain of some of the values only.
    pub fn among(&self, places: &[u32]) -> Level {
        let some = |values: &[f64]| places.iter().map(|&k| values[k as usize]).collect::<Vec<f64>>();
        match self {
            Level::Nominal => Level::Nominal,
            Level::Ordinal => Level::Ordinal,
            Level::Interval(values) => Level::Interval(some(values)),
            Level::Linear(values) => Level::Linear(some(values)),
            Level::Ratio(values) => Level::Ratio(some(values)),
            Level::Radical(values) => Level::Radical(some(values)),
            Level::Circular { values, period } => Level::Circular { values: some(values), period: *period },
            Level::Bipolar { values, low, high } => Level::Bipolar { values: some(values), low: *low, high: *high },
            Level::Custom(matrix) => {
                let n_values = matrix.len().isqrt();
                let pairs = places.iter().flat_map(|&k| places.iter().map(move |&l| (k as usize, l as usize)));
                Level::Custom(pairs.map(|(k, l)| matrix[k * n_values + l]).collect())
            }
        }
    }

    /// d² for a domain, of which some values are used; `None` for the level that depends on the ratings.
    ///
    /// Numbers are brought near 1 by the ones that are used: a value that nobody compares must not take the others out
    /// of the range of doubles.
    pub fn difference(&self, used: &[bool]) -> Option<Difference> {
        let n_values = used.len();
        let plain = |kind| Some(Difference { kind, units: [1.0, 1.0] });
        match self {
            Level::Ordinal => None,
            Level::Nominal => plain(Kind::Nominal),
            Level::Interval(values) => {
                let (values, unit) = scaled(values, |k| used[k]);
                Some(Difference { kind: Kind::Squares(values), units: [unit, unit] })
            }
            Level::Linear(values) => {
                let (values, unit) = scaled(values, |k| used[k]);
                let ascending = values.is_sorted();
                Some(Difference { kind: Kind::Distances { values, ascending }, units: [unit, 1.0] })
            }
            _ => {
                let (level, units) = self.near_one(used);
                let pairs = || (0..n_values).flat_map(|k| (0..n_values).map(move |l| (k, l)));
                let kind = match n_values {
                    0..=LARGEST_TABLE => {
                        Kind::Table { d2: pairs().map(|(k, l)| level.d2(k, l, n_values)).collect(), n_values }
                    }
                    _ => Kind::Pairwise { level, n_values },
                };
                Some(Difference { kind, units })
            }
        }
    }

    /// The level with its numbers brought near 1 by a power of two, and what its sums must be multiplied by.
    fn near_one(&self, used: &[bool]) -> (Level, [f64; 2]) {
        match self {
            Level::Radical(values) => {
                let (values, unit) = scaled(values, |k| used[k]);
                (Level::Radical(values), [unit.sqrt(), 1.0])
            }
            Level::Custom(matrix) => {
                let (matrix, unit) = scaled(matrix, |i| used[i / used.len()] && used[i % used.len()]);
                (Level::Custom(matrix), [unit, 1.0])
            }
            other => (other.clone(), [1.0, 1.0]),
        }
    }

    /// d² of values k and l of the domain, for levels that are looked up pair by pair.
    fn d2(&self, k: usize, l: usize, n_values: usize) -> Twofold {
        match self {
            Level::Custom(matrix) => matrix[k * n_values + l].into(),
            _ if k == l => Twofold::ZERO,
            Level::Ratio(values) => ratio(values[k], values[l]),
            Level::Radical(values) => Twofold::difference(values[k], values[l]).abs().sqrt(),
            Level::Circular { values, period } => circular(values[k], values[l], *period),
            Level::Bipolar { values, low, high } => bipolar(values[k], values[l], *low, *high),
            Level::Nominal | Level::Ordinal | Level::Interval(_) | Level::Linear(_) => {
                unreachable!("these levels have a form of their own")
            }
        }
    }
}

/// ((a - b)/(a + b))², 0 for a = b = 0.
fn ratio(a: f64, b: f64) -> Twofold {
    if a == b {
        return Twofold::ZERO;
    }
    let scale = power_near(a.max(b));
    let (a, b) = (libm::ldexp(a, -scale), libm::ldexp(b, -scale));
    (Twofold::difference(a, b) / Twofold::sum(a, b)).square()
}

/// sin²(π t) with t the distance in turns, by the Taylor series of the sine on [0, π/2].
fn circular(a: f64, b: f64, period: f64) -> Twofold {
    let pi = Twofold::sum(std::f64::consts::PI, 1.224_646_799_147_353_2e-16);
    let turns = (Twofold::difference(a, b) / Twofold::from(period)).abs();
    let rest = (turns - Twofold::from(turns.round().floor())).abs();
    let nearest = if rest > Twofold::from(0.5) { (Twofold::ONE - rest).abs() } else { rest };
    let x = pi * nearest;
    let (mut term, mut sine) = (x, x);
    for n in 1..16 {
        term = -(term * x.square() / Twofold::from(f64::from(2 * n * (2 * n + 1))));
        sine += term;
    }
    sine.square()
}

/// (a - b)²/((a + b - 2 low)(2 high - a - b)), 0 for a = b.
fn bipolar(a: f64, b: f64, low: f64, high: f64) -> Twofold {
    if a == b {
        return Twofold::ZERO;
    }
    let sum = Twofold::sum(a, b);
    let from_low = sum - Twofold::from(2.0 * low);
    let to_high = Twofold::from(2.0 * high) - sum;
    Twofold::difference(a, b).square() / (from_low * to_high)
}

/// Numbers brought near 1 by a power of four where squares of those in use could leave the range of doubles, and that
/// power.
pub(super) fn scaled(values: &[f64], is_used: impl Fn(usize) -> bool) -> (Vec<f64>, f64) {
    let used = values.iter().enumerate().filter(|&(i, _)| is_used(i));
    let power = power_near(used.fold(0.0, |most, (_, v)| v.abs().max(most)));
    (values.iter().map(|&v| libm::ldexp(v, -power)).collect(), libm::ldexp(1.0, power))
}

/// The even power of two next to a number far from 1, 0 for others.
fn power_near(number: f64) -> i32 {
    if number == 0.0 || (1e-90..1e90).contains(&number) {
        return 0;
    }
    let exponent = libm::ilogb(number);
    exponent - exponent.rem_euclid(2)
}

impl Difference {
    /// Krippendorff's ordinal metric: squared distance of mid-ranks under these marginal counts.
    pub fn of_ranks(counts: impl Iterator<Item = u64>) -> Difference {
        let mut below = 0;
        let doubled = counts.map(|n| {
            let rank = 2 * below + n;
            below += n;
            rank as f64
        });
        Difference { kind: Kind::Squares(doubled.collect()), units: [0.5, 0.5] }
    }

    /// The numbers whose squared differences these are, if they are.
    pub fn squared_values(&self) -> Option<&[f64]> {
        match &self.kind {
            Kind::Squares(values) => Some(values),
            _ => None,
        }
    }

    /// Σ a_k b_l d²(k, l), before [`Difference::units`].
    pub fn between(&self, a: &[Weight], b: &[Weight], watch: &Watch) -> Twofold {
        match &self.kind {
            Kind::Nominal => unequal(a, b),
            Kind::Squares(values) => squares(values, a, b),
            Kind::Distances { values, ascending: true } => distances(values, a, b),
            Kind::Distances { values, .. } => distances(values, &by_value(values, a), &by_value(values, b)),
            Kind::Table { d2, n_values } => every_pair(a, b, watch, |k, l| d2[k * n_values + l]),
            Kind::Pairwise { level: Level::Ratio(values), .. } if a.len() > FEW && b.len() > FEW => {
                ratio::between(values, a, b, watch)
            }
            Kind::Pairwise { level, n_values } => every_pair(a, b, watch, |k, l| level.d2(k, l, *n_values)),
        }
    }

    /// Whether [`Difference::between`] takes steps for the values and not for their pairs.
    pub fn is_summed(&self) -> bool {
        !matches!(self.kind, Kind::Table { .. } | Kind::Pairwise { .. })
    }

    /// Σ_k a_k d²(k, l) for each value l, before [`Difference::units`].
    pub fn towards(&self, a: &[Weight], n_values: usize, watch: &Watch) -> Vec<Twofold> {
        match &self.kind {
            Kind::Nominal => {
                let mut towards = vec![total(a); n_values];
                a.iter().for_each(|&(k, weight)| towards[k as usize] = towards[k as usize] - weight);
                towards
            }
            Kind::Distances { values, .. } => distances_towards(values, a),
            _ => (0..n_values as u32).map(|l| self.between(a, &[(l, Twofold::ONE)], watch)).collect(),
        }
    }

    /// d² of values k and l of the domain, before [`Difference::units`].
    pub fn d2(&self, k: usize, l: usize) -> Twofold {
        match &self.kind {
            Kind::Nominal => Twofold::from(f64::from(u8::from(k != l))),
            Kind::Squares(values) => Twofold::difference(values[k], values[l]).square(),
            Kind::Distances { values, .. } => Twofold::difference(values[k], values[l]).abs(),
            Kind::Table { d2, n_values } => d2[k * n_values + l],
            Kind::Pairwise { level, n_values } => level.d2(k, l, *n_values),
        }
    }

    /// The largest d² in the domain, before [`Difference::units`].
    pub fn largest(&self, n_values: usize, watch: &Watch) -> Twofold {
        let range = |values: &[f64]| {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            Twofold::difference(high, low)
        };
        match &self.kind {
            _ if n_values < 2 => Twofold::ZERO,
            Kind::Nominal => Twofold::ONE,
            Kind::Squares(values) => range(values).square(),
            Kind::Distances { values, .. } => range(values),
            Kind::Table { .. } | Kind::Pairwise { .. } => {
                let rows = (0..n_values).take_while(|_| !watch.is_stopped());
                let pairs = rows.flat_map(|k| (0..k).map(move |l| (k, l)));
                pairs.map(|(k, l)| self.d2(k, l)).fold(Twofold::ZERO, |a, b| if b > a { b } else { a })
            }
        }
    }

    /// What a sum is multiplied by, one after the other, to be in the units of the values.
    pub fn units(&self) -> [f64; 2] {
        self.units
    }
}

fn total(weights: &[Weight]) -> Twofold {
    weights.iter().fold(Twofold::ZERO, |sum, &(_, weight)| sum + weight)
}

fn is_same(a: &[Weight], b: &[Weight]) -> bool {
    std::ptr::eq(a, b)
}

/// All pairs less the pairs of equal values.
fn unequal(a: &[Weight], b: &[Weight]) -> Twofold {
    let mut equal = Twofold::ZERO;
    let mut rest = b.iter().peekable();
    for &(k, weight) in a {
        while rest.next_if(|&&(l, _)| l < k).is_some() {}
        if let Some(&(_, other)) = rest.next_if(|&&(l, _)| l == k) {
            equal += weight * other;
        }
    }
    total(a) * total(b) - equal
}

/// Up to this many values, with a total weight below [`LIGHT`], the first value serves as the pivot of moments.
const FEW: usize = 16;

/// Weights of which a 2^40th part still leaves what double precision shows.
const LIGHT: f64 = (1u64 << 40) as f64;

/// Σ a_k b_l (v_k - v_l)² from moments about a pivot. About the common mean nothing cancels; about one of a few values
/// no more cancels than their weights are unequal, and no mean has to be found.
fn squares(values: &[f64], a: &[Weight], b: &[Weight]) -> Twofold {
    let n = total(a) + total(b);
    if n.is_zero() {
        return Twofold::ZERO;
    }
    let pivot = match a.first() {
        Some(&(k, _)) if a.len() <= FEW && b.len() <= FEW && n < Twofold::from(LIGHT) => values[k as usize],
        _ => {
            let sum = |side: &[Weight]| side.iter().fold(Twofold::ZERO, |sum, &(k, w)| sum + w * values[k as usize]);
            ((sum(a) + sum(b)) / n).round()
        }
    };
    let moments = |weights: &[Weight]| {
        let mut moments = [Twofold::ZERO; 3];
        for &(k, weight) in weights {
            let x = Twofold::difference(values[k as usize], pivot);
            let first = weight * x;
            moments[0] += weight;
            moments[1] += first;
            moments[2] += first * x;
        }
        moments
    };
    let [a0, a1, a2] = moments(a);
    let [b0, b1, b2] = if is_same(a, b) { [a0, a1, a2] } else { moments(b) };
    a0 * b2 + b0 * a2 - a1 * b1 * 2.0
}

/// Weights in the order of the numbers that their values stand for.
fn by_value(values: &[f64], weights: &[Weight]) -> Vec<Weight> {
    let mut sorted = weights.to_vec();
    sorted.sort_by(|a, b| values[a.0 as usize].total_cmp(&values[b.0 as usize]));
    sorted
}

/// Σ a_k b_l |v_k - v_l|: each gap between neighbouring values counts for the pairs that span it.
fn distances(values: &[f64], a: &[Weight], b: &[Weight]) -> Twofold {
    let (all_a, all_b) = (total(a), total(b));
    let (mut below_a, mut below_b) = (Twofold::ZERO, Twofold::ZERO);
    let (mut rest_a, mut rest_b) = (a.iter().peekable(), b.iter().peekable());
    let value = |weight: Option<&&Weight>| weight.map_or(f64::INFINITY, |&&(k, _)| values[k as usize]);
    let mut sum = Twofold::ZERO;
    let mut last = None;
    loop {
        let here = value(rest_a.peek()).min(value(rest_b.peek()));
        if here == f64::INFINITY {
            return sum;
        }
        if let Some(last) = last {
            let spanned = below_a * (all_b - below_b) + below_b * (all_a - below_a);
            sum += spanned * Twofold::difference(here, last);
        }
        while let Some(&(_, weight)) = rest_a.next_if(|&&(k, _)| values[k as usize] == here) {
            below_a += weight;
        }
        while let Some(&(_, weight)) = rest_b.next_if(|&&(k, _)| values[k as usize] == here) {
            below_b += weight;
        }
        last = Some(here);
    }
}

/// Σ_k a_k |v_k - v_l| for each l, from value to value: a step upwards is away from what lies below.
fn distances_towards(values: &[f64], a: &[Weight]) -> Vec<Twofold> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&k, &l| values[k].total_cmp(&values[l]));
    let mut weights = vec![Twofold::ZERO; values.len()];
    a.iter().for_each(|&(k, weight)| weights[k as usize] = weight);
    let mut towards = vec![Twofold::ZERO; values.len()];
    let Some(&lowest) = order.first() else { return towards };
    let from_lowest = |&(k, weight): &Weight| weight * Twofold::difference(values[k as usize], values[lowest]);
    let mut here = a.iter().fold(Twofold::ZERO, |sum, weight| sum + from_lowest(weight));
    let (all, mut below, mut last) = (total(a), Twofold::ZERO, values[lowest]);
    for k in order {
        here += (below - (all - below)) * Twofold::difference(values[k], last);
        towards[k] = here;
        below += weights[k];
        last = values[k];
    }
    towards
}

/// The plain double sum; half of it where both sides are one.
fn every_pair(a: &[Weight], b: &[Weight], watch: &Watch, d2: impl Fn(usize, usize) -> Twofold) -> Twofold {
    let mut sum = Twofold::ZERO;
    for (i, &(k, weight)) in a.iter().enumerate() {
        if watch.is_stopped() {
            break;
        }
        let row = if is_same(a, b) { &b[..i] } else { b };
        let inner = row.iter().fold(Twofold::ZERO, |sum, &(l, other)| sum + other * d2(k as usize, l as usize));
        sum += weight * inner;
    }
    if is_same(a, b) {
        sum * 2.0
    } else {
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(counts: &[u64]) -> Vec<Weight> {
        (0..).zip(counts).filter(|(_, &n)| n > 0).map(|(k, &n)| (k, n.into())).collect()
    }

    /// Every level's form against the definition, pair by pair.
    #[test]
    fn forms_are_double_sums() {
        let values = vec![1.0_f64, 2.0, 5.0, 9.0];
        let (a, b) = (weights(&[3, 0, 2, 1]), weights(&[1, 4, 0, 2]));
        let same = a.clone();
        let ranks = [2.0_f64, 6.0, 9.0, 11.5]; // mid-ranks of counts 4, 4, 2, 3
        let gap = |k: usize, l: usize| (values[k] - values[l]).abs();
        type Plain<'a> = Box<dyn Fn(usize, usize) -> f64 + 'a>;
        let cases: Vec<(Difference, Plain)> = vec![
            (Level::Nominal.difference(&[true; 4]).unwrap(), Box::new(|k, l| f64::from(u8::from(k != l)))),
            (Level::Interval(values.clone()).difference(&[true; 4]).unwrap(), Box::new(|k, l| gap(k, l).powi(2))),
            (Level::Linear(values.clone()).difference(&[true; 4]).unwrap(), Box::new(gap)),
            (Level::Radical(values.clone()).difference(&[true; 4]).unwrap(), Box::new(|k, l| gap(k, l).sqrt())),
            (
                Level::Ratio(values.clone()).difference(&[true; 4]).unwrap(),
                Box::new(|k, l| (gap(k, l) / (values[k] + values[l])).powi(2)),
            ),
            (
                Level::Circular { values: values.clone(), period: 12.0 }.difference(&[true; 4]).unwrap(),
                Box::new(|k, l| (std::f64::consts::PI * gap(k, l) / 12.0).sin().powi(2)),
            ),
            (
                Level::Bipolar { values: values.clone(), low: 1.0, high: 10.0 }.difference(&[true; 4]).unwrap(),
                Box::new(|k, l| {
                    let sum = values[k] + values[l];
                    if k == l {
                        0.0
                    } else {
                        gap(k, l).powi(2) / ((sum - 2.0) * (20.0 - sum))
                    }
                }),
            ),
            (
                Difference::of_ranks([4, 4, 2, 3].into_iter()),
                Box::new(|k, l| (ranks[k] - ranks[l]) * (ranks[k] - ranks[l])),
            ),
        ];
        for (difference, d2) in &cases {
            for (left, right) in [(&a, &b), (&a, &a), (&a, &same)] {
                let plain: f64 = left
                    .iter()
                    .flat_map(|x| right.iter().map(move |y| (x, y)))
                    .map(|(x, y)| x.1.round() * y.1.round() * d2(x.0 as usize, y.0 as usize))
                    .sum();
                let in_units = |sum: Twofold| sum.round() * difference.units[0] * difference.units[1];
                let form = in_units(difference.between(left, right, &Watch::default()));
                assert!((form - plain).abs() <= 1e-13 * plain, "{difference:?}: {form} {plain}");
            }
            for (l, towards) in (0..4).zip(difference.towards(&a, 4, &Watch::default())) {
                let plain: f64 = a.iter().map(|x| x.1.round() * d2(x.0 as usize, l)).sum();
                let form = towards.round() * difference.units[0] * difference.units[1];
                assert!((form - plain).abs() <= 1e-13 * plain, "{difference:?} towards {l}: {form} {plain}");
            }
            let largest = difference.largest(4, &Watch::default()).round() * difference.units[0] * difference.units[1];
            let plain = (0..4).flat_map(|k| (0..4).map(move |l| (k, l))).map(|(k, l)| d2(k, l)).fold(0.0, f64::max);
            assert!((largest - plain).abs() <= 1e-14 * plain);
        }
    }

    #[test]
    fn a_domain_in_another_order_keeps_its_distances() {
        let down = Level::Linear(vec![9.0, 1.0, 5.0]).difference(&[true; 3]).unwrap();
        let up = Level::Linear(vec![1.0, 5.0, 9.0]).difference(&[true; 3]).unwrap();
        let watch = Watch::default();
        let (left, right) = (weights(&[3, 1, 2]), weights(&[1, 2, 3]));
        assert_eq!(down.between(&left, &left, &watch), up.between(&right, &right, &watch));
    }

    #[test]
    fn far_from_zero_and_far_apart() {
        let watch = Watch::default();
        let counts = weights(&[2, 3, 4]);
        let near = Level::Interval(vec![0.0, 1.0, 2.0]).difference(&[true; 3]).unwrap();
        let far = Level::Interval(vec![1e15, 1e15 + 1.0, 1e15 + 2.0]).difference(&[true; 3]).unwrap();
        assert_eq!(near.between(&counts, &counts, &watch), far.between(&counts, &counts, &watch));
        let huge = Level::Interval(vec![0.0, 2f64.powi(1000), 2f64.powi(1001)]).difference(&[true; 3]).unwrap();
        let ratio = huge.between(&counts, &counts, &watch) / near.between(&counts, &counts, &watch);
        assert_eq!(ratio.round(), 1.0);
        let unused = Level::Interval(vec![0.0, 1.0, 2.0, 1e300]).difference(&[true, true, true, false]).unwrap();
        assert_eq!(near.between(&counts, &counts, &watch), unused.between(&counts, &counts, &watch));
    }
}
