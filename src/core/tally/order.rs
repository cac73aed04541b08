//! Canonical order of the pools: by what they contain (`docs/stream.md`, section 4).

use super::{Cell, Tally};

/// Above this number of pools, ties are broken all at once: one by one would take a round a pool.
const MOST_SPLITS: usize = 64;

impl Tally {
    /// The tally with its pools in canonical order, and where each pool went.
    pub fn canonical(self) -> (Tally, Vec<u32>) {
        let n_pools = self.n_pools();
        self.canonical_within(vec![0; n_pools])
    }

    /// The same, but pools of a lower colour stand before those of a higher one.
    pub fn canonical_within(self, colours: Vec<u32>) -> (Tally, Vec<u32>) {
        if self.n_pools() < 2 {
            let places = (0..self.n_pools() as u32).collect();
            return (self, places);
        }
        let mut colours = self.refine(ranks(&colours));
        while n_colours(&colours) < self.n_pools() {
            split(&mut colours);
            colours = self.refine(colours);
        }
        let sorted = self.map_pools(&colours, self.n_pools()).expect("colours are a permutation of the pools");
        (sorted, colours)
    }

    /// Tells pools apart by their counts, until another round tells no more apart.
    fn refine(&self, mut colours: Vec<u32>) -> Vec<u32> {
        loop {
            let before = n_colours(&colours);
            colours = self.recolour(&colours);
            if n_colours(&colours) == before {
                return colours;
            }
        }
    }

    fn recolour(&self, colours: &[u32]) -> Vec<u32> {
        let coloured = |cell: &Cell| (colours[cell.pool as usize], cell.value, cell.count);
        let signatures = self.patterns().map(|(pattern, _)| {
            let mut signature: Vec<_> = pattern.iter().map(coloured).collect();
            signature.sort_unstable();
            signature
        });
        let pattern_colours = ranks(&signatures.collect::<Vec<_>>());
        let mut contents: Vec<(u32, Vec<_>)> = colours.iter().map(|&colour| (colour, Vec::new())).collect();
        for ((pattern, w), colour) in self.patterns().zip(pattern_colours) {
            for cell in pattern {
                contents[cell.pool as usize].1.push((colour, cell.value, cell.count, w));
            }
        }
        for (_, content) in &mut contents {
            content.sort_unstable();
        }
        ranks(&contents)
    }
}

/// The place of each signature among the distinct ones.
fn ranks<T: Ord>(signatures: &[T]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..signatures.len()).collect();
    order.sort_by(|&a, &b| signatures[a].cmp(&signatures[b]));
    let mut rank = vec![0; signatures.len()];
    for pair in order.windows(2) {
        let step = u32::from(signatures[pair[0]] != signatures[pair[1]]);
        rank[pair[1]] = rank[pair[0]] + step;
    }
    rank
}

fn n_colours(colours: &[u32]) -> usize {
    colours.iter().max().map_or(0, |&most| most as usize + 1)
}

/// Sets the first pool of the lowest shared colour before the others.
fn split(colours: &mut [u32]) {
    let mut order: Vec<usize> = (0..colours.len()).collect();
    order.sort_by_key(|&g| colours[g]);
    if colours.len() > MOST_SPLITS {
        for (place, g) in (0..).zip(order) {
            colours[g] = place;
        }
        return;
    }
    if let Some(pair) = order.windows(2).find(|pair| colours[pair[0]] == colours[pair[1]]) {
        let (first, shared) = (pair[0], colours[pair[0]]);
        for (g, colour) in colours.iter_mut().enumerate() {
            *colour += u32::from(g != first && *colour >= shared);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Raters a, b, c, d over units in long form, with the columns in a given order.
    fn tally(order: [usize; 4]) -> Tally {
        let ratings = [[0, 1, 0, 1], [0, 1, 1, 0], [1, 1, 0, 0]];
        let mut long = (Vec::new(), Vec::new(), Vec::new());
        for (unit, row) in (0..).zip(ratings) {
            for (pool, &rater) in (0..).zip(&order) {
                long.0.push(unit);
                long.1.push(pool);
                long.2.push(row[rater]);
            }
        }
        Tally::from_long(&long.0, &long.1, &long.2, None, (3, 4, 2)).unwrap()
    }

    #[test]
    fn the_order_in_which_pools_came_is_forgotten() {
        let expected = tally([0, 1, 2, 3]).canonical().0;
        for order in [[1, 0, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
            assert_eq!(tally(order).canonical().0, expected);
        }
    }
}
