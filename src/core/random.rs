//! The random stream, version 1: `docs/stream.md` is its text, `tests/golden` freezes it.
//!
//! A counter-based generator gives every replicate a stream of its own, so replicate b is the same whoever computes it
//! and however many others are asked for.

/// What a stream is used for: the second word of the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Bootstrap over units.
    Units = 0,
    /// Random halves.
    Halves = 1,
    /// Bootstrap over raters.
    Raters = 3,
    /// Permutation of ratings within raters.
    Ratings = 4,
    /// Permutation of raters between pools.
    Pools = 5,
    /// Drawing of pairs of ratings.
    Pairs = 6,
}

/// One block of Philox4x64-10 (Salmon et al. 2011, doi:10.1145/2063384.2063405).
pub fn philox(mut counter: [u64; 4], mut key: [u64; 2]) -> [u64; 4] {
    const MULTIPLIER: [u64; 2] = [0xD2E7_470E_E14C_6C93, 0xCA5A_8263_9512_1157];
    const WEYL: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xBB67_AE85_84CA_A73B];
    for _ in 0..10 {
        let a = u128::from(MULTIPLIER[0]) * u128::from(counter[0]);
        let b = u128::from(MULTIPLIER[1]) * u128::from(counter[2]);
        counter = [(b >> 64) as u64 ^ counter[1] ^ key[0], b as u64, (a >> 64) as u64 ^ counter[3] ^ key[1], a as u64];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

/// The words of one replicate.
#[derive(Debug, Clone)]
pub struct Stream {
    key: [u64; 2],
    replicate: u64,
    block: u64,
    words: [u64; 4],
    used: usize,
}

impl Stream {
    /// The stream of replicate `replicate` under (seed, purpose).
    pub fn new(seed: u64, purpose: u64, replicate: u64) -> Stream {
        Stream { key: [seed, purpose], replicate, block: 0, words: [0; 4], used: 4 }
    }

    /// The next 64 bits.
    #[inline]
    pub fn word(&mut self) -> u64 {
        if self.used == 4 {
            self.block += 1;
            self.words = philox([self.block, 0, self.replicate, 0], self.key);
            self.used = 0;
        }
        self.used += 1;
        self.words[self.used - 1]
    }

    /// A double strictly between 0 and 1.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        ((self.word() >> 12) as f64 + 0.5) * (1.0 / 4_503_599_627_370_496.0)
    }

    /// A run of integers in 0..n (n > 0), see [`Bounded`].
    pub fn bounded(&mut self, n: u64) -> Bounded<'_> {
        Bounded { stream: self, n, spare: None }
    }

    /// The number of successes in n trials of probability a/c, a <= c.
    pub fn binomial(&mut self, n: u64, a: u64, c: u64) -> u64 {
        if a == 0 || n == 0 {
            return 0;
        }
        if a == c {
            return n;
        }
        if a > c - a {
            return n - self.binomial(n, c - a, c);
        }
        let p = a as f64 / c as f64;
        let q = (c - a) as f64 / c as f64;
        if n as f64 * p < 10.0 {
            self.binomial_by_inversion(n, p, q)
        } else {
            self.binomial_by_rejection(n, p, q)
        }
    }

    /// Walks up the probabilities of 0, 1, 2, … until they exceed a uniform number.
    fn binomial_by_inversion(&mut self, n: u64, p: f64, q: f64) -> u64 {
        let none = libm::exp(n as f64 * libm::log1p(-p));
        let odds = p / q;
        let most = n.min(110); // beyond it lies less than 1e-70: only rounding leads there
        'draw: loop {
            let mut u = self.uniform();
            let mut probability = none;
            let mut k = 0;
            while u > probability {
                if k == most {
                    continue 'draw;
                }
                u -= probability;
                k += 1;
                probability *= odds * (n - k + 1) as f64 / k as f64;
            }
            return k;
        }
    }

    /// Transformed rejection with squeeze, BTRS (Hoermann 1993, doi:10.1080/00949659308811496).
    fn binomial_by_rejection(&mut self, n: u64, p: f64, q: f64) -> u64 {
        let trials = n as f64;
        let mean = trials * p;
        let spread = (mean * q).sqrt();
        let b = 1.15 + 2.53 * spread;
        let a = -0.0873 + 0.0248 * b + 0.01 * p;
        let centre = mean + 0.5;
        let squeeze = 0.92 - 4.2 / b;
        let alpha = (2.83 + 5.1 / b) * spread;
        let odds = p / q;
        let mode = ((trials + 1.0) * p).floor();
        loop {
            let u = self.uniform() - 0.5;
            let v = self.uniform();
            let us = 0.5 - u.abs();
            let k = ((2.0 * a / us + b) * u + centre).floor();
            if us >= 0.07 && v <= squeeze {
                return k as u64;
            }
            if k < 0.0 || k > trials {
                continue;
            }
            let v = v * alpha / (a / (us * us) + b);
            let bound = (mode + 0.5) * libm::log((mode + 1.0) / (odds * (trials - mode + 1.0)))
                + (trials + 1.0) * libm::log((trials - mode + 1.0) / (trials - k + 1.0))
                + (k + 0.5) * libm::log(odds * (trials - k + 1.0) / (k + 1.0))
                + (stirling_tail(mode) + stirling_tail(trials - mode) - stirling_tail(k))
                - stirling_tail(trials - k);
            if libm::log(v) <= bound {
                return k as u64;
            }
        }
    }
}

/// log(k!) less its Stirling approximation about k + 1.
fn stirling_tail(k: f64) -> f64 {
    const EXACT: [f64; 10] = [
        0.081_061_466_795_327_26,
        0.041_340_695_955_409_29,
        0.027_677_925_684_998_34,
        0.020_790_672_103_765_093,
        0.016_644_691_189_821_193,
        0.013_876_128_823_070_748,
        0.011_896_709_945_891_77,
        0.010_411_265_261_972_096,
        0.009_255_462_182_712_733,
        0.008_330_563_433_362_87,
    ];
    if k <= 9.0 {
        return EXACT[k as usize];
    }
    let x = k + 1.0;
    let square = x * x;
    (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / x
}

/// Integers in 0..n without bias (Lemire 2019, doi:10.1145/3230636), two from a word where n fits 32 bits.
pub struct Bounded<'a> {
    stream: &'a mut Stream,
    n: u64,
    spare: Option<u32>,
}

impl Bounded<'_> {
    /// The next integer.
    #[inline]
    pub fn draw(&mut self) -> u64 {
        if self.n <= 1 << 32 {
            self.draw_half()
        } else {
            self.draw_whole()
        }
    }

    #[inline]
    fn draw_half(&mut self) -> u64 {
        let mut product = u64::from(self.half()) * self.n;
        if u64::from(product as u32) < self.n {
            let refused = (1 << 32) % self.n;
            while u64::from(product as u32) < refused {
                product = u64::from(self.half()) * self.n;
            }
        }
        product >> 32
    }

    #[inline]
    fn half(&mut self) -> u32 {
        if let Some(high) = self.spare.take() {
            return high;
        }
        let word = self.stream.word();
        self.spare = Some((word >> 32) as u32);
        word as u32
    }

    fn draw_whole(&mut self) -> u64 {
        let refused = ((1u128 << 64) % u128::from(self.n)) as u64;
        loop {
            let product = u128::from(self.stream.word()) * u128::from(self.n);
            if product as u64 >= refused {
                return (product >> 64) as u64;
            }
        }
    }
}

/// Multinomial(n; w/sum of w): how often each of some things of weight w comes when n are drawn.
pub struct Multinomial {
    weights: Vec<u64>,
    n: u64,
    way: Way,
}

/// How it is cheapest to draw. Things one by one and their owners give the same bits, searched for or looked up.
enum Way {
    /// Binomials, thing after thing.
    Binomials,
    /// One by one, with the owner of each unit of weight written out.
    Owners(Vec<u32>),
    /// One by one, with the place where the weight of each thing ends.
    Ends(Vec<u64>),
}

impl Multinomial {
    /// Up to this many draws a thing it is cheaper to draw one by one than binomials.
    const DRAWS_A_THING: u64 = 16;

    /// A sampler for patterns in canonical order, as many as there are.
    pub fn new(multiplicity: &[u64]) -> Multinomial {
        Multinomial::of(multiplicity, multiplicity.iter().sum())
    }

    /// A sampler of n things; the weights must have a sum.
    pub fn of(weights: &[u64], n: u64) -> Multinomial {
        let one_by_one = Self::DRAWS_A_THING * weights.len() as u64;
        let total: u64 = weights.iter().sum();
        let way = if n > one_by_one {
            Way::Binomials
        } else if total <= one_by_one {
            let owned = (0u32..).zip(weights).flat_map(|(thing, &w)| std::iter::repeat_n(thing, w as usize));
            Way::Owners(owned.collect())
        } else {
            let end = |sum: &mut u64, &w: &u64| {
                *sum += w;
                Some(*sum)
            };
            Way::Ends(weights.iter().scan(0, end).collect())
        };
        Multinomial { weights: weights.to_vec(), n: if total == 0 { 0 } else { n }, way }
    }

    /// Number of things.
    #[expect(clippy::len_without_is_empty, reason = "of no use to anyone")]
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Draws one resample into `drawn`, a number a thing.
    pub fn draw(&self, stream: &mut Stream, drawn: &mut [u64]) {
        drawn.fill(0);
        match &self.way {
            _ if self.n == 0 => {}
            Way::Binomials => self.draw_binomials(stream, drawn),
            Way::Owners(owner) => {
                let mut places = stream.bounded(owner.len() as u64);
                for _ in 0..self.n {
                    drawn[owner[places.draw() as usize] as usize] += 1;
                }
            }
            Way::Ends(ends) => {
                let mut places = stream.bounded(ends[ends.len() - 1]);
                for _ in 0..self.n {
                    let place = places.draw();
                    drawn[ends.partition_point(|&end| end <= place)] += 1;
                }
            }
        }
    }

    fn draw_binomials(&self, stream: &mut Stream, drawn: &mut [u64]) {
        let mut left = self.n;
        let mut mass: u64 = self.weights.iter().sum();
        for (k, &w) in drawn.iter_mut().zip(&self.weights) {
            *k = stream.binomial(left, w, mass);
            left -= *k;
            mass -= w;
            if left == 0 {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers_of_random123() {
        assert_eq!(
            philox([0; 4], [0; 2]),
            [0x1655_4d9e_ca36_314c, 0xdb20_fe9d_672d_0fdc, 0xd7e7_72ce_e186_176b, 0x7e68_b68a_ec7b_a23b]
        );
        assert_eq!(
            philox([u64::MAX; 4], [u64::MAX; 2]),
            [0x87b0_92c3_013f_e90b, 0x438c_3c67_be8d_0224, 0x9cc7_d7c6_9cd7_77b6, 0xa09c_aebf_594f_0ba0]
        );
        assert_eq!(
            philox(
                [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89],
                [0x4528_21e6_38d0_1377, 0xbe54_66cf_34e9_0c6c]
            ),
            [0xa528_f454_03e6_1d95, 0x38c7_2dbd_566e_9788, 0xa5a1_610e_72fd_18b5, 0x57bd_43b5_e52b_7fe6]
        );
    }

    #[test]
    fn binomial_is_symmetric_and_bounded() {
        for (n, a, c) in [(7, 1, 3), (1000, 1, 2), (1000, 999, 1000), (1 << 40, 3, 7), (50, 49, 50)] {
            let k = Stream::new(5, 0, 0).binomial(n, a, c);
            let mirror = Stream::new(5, 0, 0).binomial(n, c - a, c);
            assert!(k <= n);
            if 2 * a != c {
                assert_eq!(k + mirror, n);
            }
        }
    }

    #[test]
    fn resamples_keep_the_number_of_units() {
        for w in [vec![1; 40], vec![1000, 1, 5], vec![3], vec![0, 2, 0], vec![u64::from(u32::MAX) * 4, 1]] {
            let sampler = Multinomial::new(&w);
            let mut drawn = vec![0; w.len()];
            sampler.draw(&mut Stream::new(1, 0, 3), &mut drawn);
            assert_eq!(drawn.iter().sum::<u64>(), w.iter().sum::<u64>());
            assert!(drawn.iter().zip(&w).all(|(&d, &w)| w > 0 || d == 0));
        }
    }

    #[test]
    fn searching_and_looking_up_draw_the_same() {
        let weights = [3, 0, 5, 1];
        let looked_up = Multinomial::of(&weights, 20);
        let searched = Multinomial { way: Way::Ends(vec![3, 3, 8, 9]), weights: weights.to_vec(), n: 20 };
        assert!(matches!(looked_up.way, Way::Owners(_)));
        for b in 0..50 {
            let mut drawn = [[0; 4]; 2];
            looked_up.draw(&mut Stream::new(1, 6, b), &mut drawn[0]);
            searched.draw(&mut Stream::new(1, 6, b), &mut drawn[1]);
            assert_eq!(drawn[0], drawn[1]);
            assert_eq!((drawn[0].iter().sum::<u64>(), drawn[0][1]), (20, 0));
        }
    }
}
