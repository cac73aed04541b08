//! Sums of ((a - b)/(a + b))² over many values.
//!
//! Up to [`MOST_PAIRS`] pairs (32,768 values against themselves) the sum is exact but for rounding: it goes through all
//! pairs, a few at a time. Beyond, it takes the values' logarithms: ((a - b)/(a + b))² = tanh²((ln a - ln b)/2) is a
//! smooth function of two logarithms, so in boxes one unit wide a polynomial through [`NODES`] Chebyshev points stands
//! for it, and each box acts on each other through its points alone. tanh² has its nearest poles at ±iπ, so the error
//! of such a polynomial is below 12.6^-12 (about 1e-13) of what the box spans; the stated bound is 1e-10.

use multiversion::multiversion;

use super::super::twofold::Twofold;
use super::super::Watch;
use super::{total, Weight};

/// The most pairs that are gone through one by one.
const MOST_PAIRS: usize = 1 << 30;

/// Points in a box.
const NODES: usize = 12;

/// Boxes so far apart differ by a ratio of 1 to the last bit.
const FAR: f64 = 40.0;

/// Values that are not zero, ascending, with their weights.
struct Side {
    values: Vec<f64>,
    weights: Vec<f64>,
    zero: Twofold,
    rest: Twofold,
}

/// Σ a_k b_l ((v_k - v_l)/(v_k + v_l))², 0 for a pair of zeros.
pub(super) fn between(values: &[f64], a: &[Weight], b: &[Weight], watch: &Watch) -> Twofold {
    let (x, y) = (Side::new(values, a), Side::new(values, b));
    let with_zero = x.zero * y.rest + y.zero * x.rest;
    let sum = if x.values.len() * y.values.len() <= MOST_PAIRS { every_pair(&x, &y, watch) } else { by_boxes(&x, &y) };
    with_zero + sum
}

impl Side {
    fn new(values: &[f64], weights: &[Weight]) -> Side {
        let mut points: Vec<(f64, f64)> = Vec::with_capacity(weights.len());
        let mut zero = Twofold::ZERO;
        for &(k, weight) in weights {
            match values[k as usize] {
                0.0 => zero += weight,
                value => points.push((value, weight.round())),
            }
        }
        points.sort_unstable_by(|p, q| p.0.total_cmp(&q.0));
        let rest = total(weights) - zero;
        let (values, weights) = points.into_iter().unzip();
        Side { values, weights, zero, rest }
    }
}

/// Terms that are added in double precision before they join the sum.
const BLOCK: usize = 64;

fn every_pair(x: &Side, y: &Side, watch: &Watch) -> Twofold {
    let mut sum = Twofold::ZERO;
    for (&value, &weight) in x.values.iter().zip(&x.weights) {
        if watch.is_stopped() {
            break;
        }
        let mut row = Twofold::ZERO;
        for (values, weights) in y.values.chunks(BLOCK).zip(y.weights.chunks(BLOCK)) {
            row += Twofold::from(if reaches(value, values) {
                block(value, values, weights)
            } else {
                block_of_large(value, values, weights)
            });
        }
        sum += row * weight;
    }
    sum
}

/// Whether the sums of the value with all of these ascending ones are within the range of doubles.
fn reaches(value: f64, values: &[f64]) -> bool {
    values.last().is_none_or(|largest| (value + largest).is_finite())
}

/// The same block of a quarter of the values. What is lost of the smallest of them does not show beside a value so large.
#[cold]
fn block_of_large(value: f64, values: &[f64], weights: &[f64]) -> f64 {
    let quarters: Vec<f64> = values.iter().map(|other| other / 4.0).collect();
    block(value / 4.0, &quarters, weights)
}

/// Eight sums side by side, so that the compiler can take several values at once.
#[multiversion(targets("x86_64+avx2"))]
fn block(value: f64, values: &[f64], weights: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    for (values, weights) in values.chunks(LANES).zip(weights.chunks(LANES)) {
        for ((sum, &other), &weight) in sums.iter_mut().zip(values).zip(weights) {
            let ratio = (value - other) / (value + other);
            *sum += weight * (ratio * ratio);
        }
    }
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
}

/// Values of which all logarithms lie within one unit, as weights on Chebyshev points.
struct Box {
    centre: f64,
    nodes: [f64; NODES],
    charges: [Twofold; NODES],
    weight: Twofold,
}

fn by_boxes(x: &Side, y: &Side) -> Twofold {
    let (left, right) = (boxes(x), boxes(y));
    let mut sum = Twofold::ZERO;
    for a in &left {
        for b in &right {
            let apart = log_ratio(a.centre, b.centre);
            if apart.abs() > FAR {
                sum += a.weight * b.weight;
                continue;
            }
            for (&t, &charge) in a.nodes.iter().zip(&a.charges) {
                for (&s, &other) in b.nodes.iter().zip(&b.charges) {
                    let d = libm::tanh((apart + (t - s)) / 2.0);
                    sum += charge * other * (d * d);
                }
            }
        }
    }
    sum
}

/// ln(a/b), right to the last digits also where a is close to b.
fn log_ratio(a: f64, b: f64) -> f64 {
    if a <= 2.0 * b && b <= 2.0 * a {
        libm::log1p((a - b) / b)
    } else {
        libm::log(a) - libm::log(b)
    }
}

fn boxes(side: &Side) -> Vec<Box> {
    let mut boxes = Vec::new();
    let mut start = 0;
    while start < side.values.len() {
        let first = side.values[start];
        let length = side.values[start..].partition_point(|&value| log_ratio(value, first) <= 1.0);
        let here = start..start + length.max(1);
        boxes.push(Box::new(&side.values[here.clone()], &side.weights[here.clone()]));
        start = here.end;
    }
    boxes
}

impl Box {
    /// Spreads weights over the points so that sums over polynomials stay what they are (barycentric interpolation).
    fn new(values: &[f64], weights: &[f64]) -> Box {
        let centre = values[values.len() / 2];
        let place = |value: f64| log_ratio(value, centre);
        let (low, high) = (place(values[0]), place(values[values.len() - 1]));
        let (middle, half) = ((low + high) / 2.0, ((high - low) / 2.0).max(1e-100)); // a box of one value has some width too
        let angle = |j: usize| std::f64::consts::PI * (2 * j + 1) as f64 / (2 * NODES) as f64;
        let nodes = std::array::from_fn(|j| middle + half * libm::cos(angle(j)));
        let factors: [f64; NODES] =
            std::array::from_fn(|j| if j % 2 == 0 { libm::sin(angle(j)) } else { -libm::sin(angle(j)) });
        let mut sides = Box { centre, nodes, charges: [Twofold::ZERO; NODES], weight: Twofold::ZERO };
        for (&value, &weight) in values.iter().zip(weights) {
            sides.spread(place(value), weight, &factors);
            sides.weight += Twofold::from(weight);
        }
        sides
    }

    fn spread(&mut self, t: f64, weight: f64, factors: &[f64; NODES]) {
        if let Some(j) = self.nodes.iter().position(|&node| node == t) {
            self.charges[j] += Twofold::from(weight);
            return;
        }
        let shares: [f64; NODES] = std::array::from_fn(|j| factors[j] / (t - self.nodes[j]));
        let all: f64 = shares.iter().sum();
        for (charge, share) in self.charges.iter_mut().zip(shares) {
            *charge += Twofold::from(weight * (share / all));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(n: usize) -> Vec<Weight> {
        (0..n as u32).map(|k| (k, Twofold::from(u64::from(k % 3 + 1)))).collect()
    }

    /// The definition, pair by pair in twofold precision.
    fn plain(values: &[f64], a: &[Weight]) -> f64 {
        let d2 = |k: u32, l: u32| super::super::ratio(values[k as usize], values[l as usize]);
        let mut sum = Twofold::ZERO;
        for &(k, weight) in a {
            for &(l, other) in a {
                sum += weight * other * d2(k, l);
            }
        }
        sum.round()
    }

    #[test]
    fn both_ways_are_the_definition() {
        let n = 700;
        let spread: Vec<f64> = (0..n).map(|i| f64::from(i) * 0.37).collect(); // with a zero
        let wide: Vec<f64> = (0..n).map(|i| libm::exp(f64::from(i) - 350.0)).collect();
        let tight: Vec<f64> = (0..n).map(|i| 1e6 + f64::from(i) * 1e-4).collect();
        let clusters: Vec<f64> =
            (0..n).map(|i| if i < 350 { 1.0 + f64::from(i) * 1e-9 } else { 3.0 + f64::from(i) }).collect();
        let largest: Vec<f64> = (0..n).map(|i| f64::MAX / f64::from(1 + i % 70) / f64::from(1 + i / 70)).collect();
        let both: Vec<f64> =
            (1..=n).map(|i| if i % 2 == 0 { f64::MAX / f64::from(i) } else { 5e-324 * f64::from(i) }).collect();
        for values in [spread, wide, tight, clusters, largest, both] {
            let a = weights(n as usize);
            let exact = plain(&values, &a);
            let watch = Watch::default();
            let pairs = between(&values, &a, &a, &watch).round();
            assert!((pairs / exact - 1.0).abs() < 1e-15, "{pairs} {exact}");
            let side = Side::new(&values, &a);
            let boxes = (side.zero * side.rest * 2.0 + by_boxes(&side, &side)).round();
            assert!((boxes / exact - 1.0).abs() < 1e-11, "{boxes} {exact}");
        }
    }
}
