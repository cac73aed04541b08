//! The sufficient statistic of everything here: distinct patterns, each with the number of units that show it.

mod bytes;
mod order;

use std::cmp::Ordering;

use hashbrown::HashTable;

use super::encode::{mix, MISSING};
use super::Error;

/// How often one pool gave one value to the units of a pattern; never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// The pool.
    pub pool: u32,
    /// The value's place in the domain.
    pub value: u32,
    /// Number of ratings.
    pub count: u32,
}

/// The ratings of one unit: its non-zero counts, by pool and value.
pub type Pattern = [Cell];

/// What a pool code is mapped to where the pool is left out.
pub const DROPPED: u32 = u32::MAX;

/// Distinct patterns in canonical order, with multiplicities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    n_pools: usize,
    n_values: usize,
    /// Pattern p is `cells[bounds[p]..bounds[p + 1]]`.
    bounds: Vec<usize>,
    cells: Vec<Cell>,
    multiplicity: Vec<u64>,
}

/// Integers up to here are exact in double precision.
const MOST_RATINGS: u64 = 1 << 53;

impl Tally {
    /// From one entry a rating (or a run of `count` equal ratings), in any order. Units without an entry count as units.
    pub fn from_long(
        unit: &[i64],
        pool: &[u32],
        value: &[u32],
        count: Option<&[u64]>,
        (n_units, n_pools, n_values): (usize, usize, usize),
    ) -> Result<Tally, Error> {
        let n = unit.len();
        check_length("pool", pool.len(), n)?;
        check_length("value", value.len(), n)?;
        count.map_or(Ok(()), |count| check_length("count", count.len(), n))?;
        check_codes("unit", unit.iter().copied(), n_units)?;
        check_codes("pool", pool.iter().map(|&code| code.into()), n_pools)?;
        check_codes("value", value.iter().map(|&code| code.into()), n_values)?;
        let by_unit = grouped(unit, n_units);
        let mut builder = Builder::new(n_pools, n_values);
        let mut cells = Vec::new();
        for members in by_unit.bounds.windows(2) {
            cells.clear();
            for &i in &by_unit.members[members[0]..members[1]] {
                let count = count.map_or(1, |count| count[i]);
                let count = u32::try_from(count).map_err(|_| Error::TooMany)?;
                cells.push(Cell { pool: pool[i], value: value[i], count });
            }
            builder.add(&mut cells, 1)?;
        }
        builder.finish()
    }

    /// From a matrix of value codes, a row a unit and a column a rater, all of one pool.
    pub fn from_matrix(codes: &[i32], n_raters: usize, n_values: usize) -> Result<Tally, Error> {
        let present = |code: i32| if code == MISSING { 0 } else { i64::from(code) };
        check_codes("value", codes.iter().map(|&code| present(code)), n_values.max(1))?;
        let mut builder = Builder::new(1, n_values);
        let mut cells = Vec::with_capacity(n_raters);
        for row in codes.chunks_exact(n_raters.max(1)) {
            cells.clear();
            let rated = row.iter().filter(|&&code| code != MISSING);
            cells.extend(rated.map(|&code| Cell { pool: 0, value: code as u32, count: 1 }));
            builder.add(&mut cells, 1)?;
        }
        builder.finish()
    }

    /// From count vectors, `n_pools * n_values` numbers a pattern, and how many units show each.
    pub fn from_patterns(
        counts: &[u32],
        multiplicity: &[u64],
        n_pools: usize,
        n_values: usize,
    ) -> Result<Tally, Error> {
        let width = n_pools * n_values;
        check_length("patterns", counts.len(), width * multiplicity.len())?;
        let mut builder = Builder::new(n_pools, n_values);
        let mut cells = Vec::new();
        for (p, &w) in multiplicity.iter().enumerate() {
            cells.clear();
            for (i, &count) in counts[p * width..(p + 1) * width].iter().enumerate() {
                cells.push(Cell { pool: (i / n_values) as u32, value: (i % n_values) as u32, count });
            }
            builder.add(&mut cells, w)?;
        }
        builder.finish()
    }

    /// From lists of counts, and how many units show each.
    pub fn from_cells(
        patterns: impl Iterator<Item = (Vec<Cell>, u64)>,
        n_pools: usize,
        n_values: usize,
    ) -> Result<Tally, Error> {
        let mut builder = Builder::new(n_pools, n_values);
        for (mut cells, w) in patterns {
            builder.add(&mut cells, w)?;
        }
        builder.finish()
    }

    /// Number of pools.
    pub fn n_pools(&self) -> usize {
        self.n_pools
    }

    /// Number of values in the domain.
    pub fn n_values(&self) -> usize {
        self.n_values
    }

    /// Number of distinct patterns.
    pub fn n_patterns(&self) -> usize {
        self.multiplicity.len()
    }

    /// Number of units.
    pub fn n_units(&self) -> u64 {
        self.multiplicity.iter().sum()
    }

    /// Number of counts that are not zero, in all patterns together.
    pub fn n_cells(&self) -> usize {
        self.cells.len()
    }

    /// How many units show each pattern.
    pub fn multiplicity(&self) -> &[u64] {
        &self.multiplicity
    }

    /// Pattern p.
    pub fn pattern(&self, p: usize) -> &Pattern {
        &self.cells[self.bounds[p]..self.bounds[p + 1]]
    }

    /// The patterns in canonical order, with their multiplicities.
    pub fn patterns(&self) -> impl Iterator<Item = (&Pattern, u64)> {
        (0..self.n_patterns()).map(|p| (self.pattern(p), self.multiplicity[p]))
    }

    /// The place of a pattern, if some unit shows it.
    pub fn find(&self, pattern: &Pattern) -> Option<usize> {
        let (mut low, mut high) = (0, self.n_patterns());
        while low < high {
            let middle = low + (high - low) / 2;
            match compare(self.pattern(middle), pattern) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Some(middle),
                Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Both tallies' units together; they must be different units.
    pub fn merge(&self, other: &Tally) -> Result<Tally, Error> {
        if (self.n_pools, self.n_values) != (other.n_pools, other.n_values) {
            return Err(Error::Shape {
                left_pools: self.n_pools,
                left_values: self.n_values,
                right_pools: other.n_pools,
                right_values: other.n_values,
            });
        }
        let both = self.patterns().chain(other.patterns());
        Tally::collect(both, self.n_pools, self.n_values, |cell| Some(*cell))
    }

    /// The same ratings with value v called `codes[v]`.
    pub fn map_values(&self, codes: &[u32], n_values: usize) -> Result<Tally, Error> {
        check_length("value map", codes.len(), self.n_values)?;
        check_codes("value", codes.iter().map(|&code| code.into()), n_values)?;
        let renamed = |cell: &Cell| Some(Cell { value: codes[cell.value as usize], ..*cell });
        Tally::collect(self.patterns(), self.n_pools, n_values, renamed)
    }

    /// The same ratings with pool g put into pool `codes[g]`, or left out where that is [`DROPPED`].
    pub fn map_pools(&self, codes: &[u32], n_pools: usize) -> Result<Tally, Error> {
        check_length("pool map", codes.len(), self.n_pools)?;
        let kept = codes.iter().filter(|&&code| code != DROPPED);
        check_codes("pool", kept.map(|&code| code.into()), n_pools)?;
        let moved = |cell: &Cell| {
            let pool = codes[cell.pool as usize];
            (pool != DROPPED).then_some(Cell { pool, ..*cell })
        };
        Tally::collect(self.patterns(), n_pools, self.n_values, moved)
    }

    /// The units whose pattern is wanted.
    pub fn filter(&self, wanted: impl Fn(&Pattern) -> bool) -> Tally {
        let mut kept = Tally { bounds: vec![0], cells: Vec::new(), multiplicity: Vec::new(), ..*self };
        for (pattern, w) in self.patterns().filter(|(pattern, _)| wanted(pattern)) {
            kept.cells.extend_from_slice(pattern);
            kept.bounds.push(kept.cells.len());
            kept.multiplicity.push(w);
        }
        kept
    }

    /// The units that every one of these pools rated.
    pub fn shared(&self, pools: &[u32]) -> Tally {
        self.filter(|pattern| pools.iter().all(|&pool| pattern.iter().any(|cell| cell.pool == pool)))
    }

    /// Number of ratings.
    pub fn n_ratings(&self) -> u64 {
        self.patterns().map(|(pattern, w)| w * pattern.iter().map(|cell| u64::from(cell.count)).sum::<u64>()).sum()
    }

    /// The largest number of ratings of one unit.
    pub fn most_ratings(&self) -> u64 {
        let sizes = self.patterns().map(|(pattern, _)| pattern.iter().map(|cell| u64::from(cell.count)).sum());
        sizes.max().unwrap_or(0)
    }

    /// Ratings of each value in each pool, pool after pool.
    pub fn values_used(&self) -> Vec<u64> {
        let mut used = vec![0; self.n_pools * self.n_values];
        for (pattern, w) in self.patterns() {
            for cell in pattern {
                used[cell.pool as usize * self.n_values + cell.value as usize] += w * u64::from(cell.count);
            }
        }
        used
    }

    /// Whether each value occurs.
    pub fn values_held(&self) -> Vec<bool> {
        let mut held = vec![false; self.n_values];
        self.cells.iter().for_each(|cell| held[cell.value as usize] = true);
        held
    }

    fn collect<'a>(
        patterns: impl Iterator<Item = (&'a Pattern, u64)>,
        n_pools: usize,
        n_values: usize,
        change: impl Fn(&Cell) -> Option<Cell>,
    ) -> Result<Tally, Error> {
        let mut builder = Builder::new(n_pools, n_values);
        let mut cells = Vec::new();
        for (pattern, w) in patterns {
            cells.clear();
            cells.extend(pattern.iter().filter_map(&change));
            builder.add(&mut cells, w)?;
        }
        builder.finish()
    }
}

/// Lexicographic order of two patterns as vectors of counts, from their non-zero counts alone.
fn compare(a: &Pattern, b: &Pattern) -> Ordering {
    for (x, y) in a.iter().zip(b) {
        match (y.pool, y.value, x.count).cmp(&(x.pool, x.value, y.count)) {
            Ordering::Equal => {}
            unequal => return unequal,
        }
    }
    a.len().cmp(&b.len())
}

/// Collects patterns, equal ones together.
struct Builder {
    tally: Tally,
    table: HashTable<u32>,
    n_ratings: u64,
}

impl Builder {
    fn new(n_pools: usize, n_values: usize) -> Builder {
        let tally = Tally { n_pools, n_values, bounds: vec![0], cells: Vec::new(), multiplicity: Vec::new() };
        Builder { tally, table: HashTable::new(), n_ratings: 0 }
    }

    /// Adds w units with these ratings, in any order; `cells` is scratch.
    fn add(&mut self, cells: &mut Vec<Cell>, w: u64) -> Result<(), Error> {
        if w == 0 {
            return Ok(());
        }
        tidy(cells)?;
        self.count(cells, w)?;
        let Builder { tally, table, .. } = self;
        let entry = table.entry(
            hash(cells),
            |&p| tally.pattern(p as usize) == cells.as_slice(),
            |&p| hash(tally.pattern(p as usize)),
        );
        let new = tally.n_patterns() as u32;
        let p = *entry.or_insert(new).get();
        if p == new {
            tally.cells.extend_from_slice(cells);
            tally.bounds.push(tally.cells.len());
            tally.multiplicity.push(0);
        }
        tally.multiplicity[p as usize] += w;
        Ok(())
    }

    fn count(&mut self, cells: &Pattern, w: u64) -> Result<(), Error> {
        let m: u64 = cells.iter().map(|cell| u64::from(cell.count)).sum();
        let ratings = m.max(1).checked_mul(w).and_then(|more| self.n_ratings.checked_add(more));
        self.n_ratings = ratings.filter(|&n| n <= MOST_RATINGS).ok_or(Error::TooMany)?;
        Ok(())
    }

    fn finish(self) -> Result<Tally, Error> {
        let found = self.tally;
        // The first place of a pattern decides most comparisons: a pattern that starts later is the smaller one.
        let start =
            |p: usize| found.pattern(p).first().map_or(0, |cell| !(u64::from(cell.pool) << 32 | u64::from(cell.value)));
        let mut order: Vec<(u64, usize)> = (0..found.n_patterns()).map(|p| (start(p), p)).collect();
        order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| compare(found.pattern(a.1), found.pattern(b.1))));
        let order: Vec<usize> = order.into_iter().map(|(_, p)| p).collect();
        let mut sorted = Tally {
            bounds: Vec::with_capacity(found.bounds.len()),
            cells: Vec::with_capacity(found.cells.len()),
            multiplicity: order.iter().map(|&p| found.multiplicity[p]).collect(),
            ..found
        };
        sorted.bounds.push(0);
        for &p in &order {
            sorted.cells.extend_from_slice(&found.cells[found.bounds[p]..found.bounds[p + 1]]);
            sorted.bounds.push(sorted.cells.len());
        }
        Ok(sorted)
    }
}

/// Sorts cells, puts equal places together and leaves out zeros.
fn tidy(cells: &mut Vec<Cell>) -> Result<(), Error> {
    cells.retain(|cell| cell.count > 0);
    cells.sort_unstable();
    let mut kept = 0;
    for i in 0..cells.len() {
        let cell = cells[i];
        match cells[..kept].last_mut() {
            Some(last) if (last.pool, last.value) == (cell.pool, cell.value) => {
                last.count = last.count.checked_add(cell.count).ok_or(Error::TooMany)?;
            }
            _ => {
                cells[kept] = cell;
                kept += 1;
            }
        }
    }
    cells.truncate(kept);
    Ok(())
}

fn hash(pattern: &Pattern) -> u64 {
    pattern.iter().fold(0, |hash, cell| {
        let place = u64::from(cell.pool) << 32 | u64::from(cell.value);
        mix(mix(hash ^ place).wrapping_add(u64::from(cell.count)))
    })
}

/// Positions of the members of each group.
pub(super) struct Grouped {
    pub bounds: Vec<usize>,
    pub members: Vec<usize>,
}

impl Grouped {
    /// The members of a group.
    pub fn of(&self, group: usize) -> &[usize] {
        &self.members[self.bounds[group]..self.bounds[group + 1]]
    }
}

/// Counting sort of positions by group code, all of them below `n_groups`.
pub(super) fn grouped(group: &[i64], n_groups: usize) -> Grouped {
    let mut bounds = vec![0; n_groups + 1];
    for &g in group {
        bounds[g as usize + 1] += 1;
    }
    for g in 0..n_groups {
        bounds[g + 1] += bounds[g];
    }
    let mut next = bounds.clone();
    let mut members = vec![0; group.len()];
    for (i, &g) in group.iter().enumerate() {
        members[next[g as usize]] = i;
        next[g as usize] += 1;
    }
    Grouped { bounds, members }
}

/// An error where a column has another length than is needed.
pub fn check_length(what: &'static str, found: usize, needed: usize) -> Result<(), Error> {
    if found == needed {
        return Ok(());
    }
    Err(Error::Length { what, found, needed })
}

/// An error where a code is negative or not below the limit.
pub fn check_codes(what: &'static str, mut codes: impl Iterator<Item = i64>, limit: usize) -> Result<(), Error> {
    let mut at = 0;
    let wrong = codes.find(|&code| {
        at += 1;
        code < 0 || code as u64 >= limit as u64
    });
    wrong.map_or(Ok(()), |found| Err(Error::Code { what, at: at - 1, found, limit }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Tally {
        // units (1, 1, 2), (2, 2, .), (., ., .), (1, 1, 2) in another order
        Tally::from_matrix(&[0, 0, 1, 1, 1, -1, -1, -1, -1, 0, 1, 0], 3, 2).unwrap()
    }

    #[test]
    fn equal_units_are_one_pattern_in_lexicographic_order() {
        let tally = small();
        assert_eq!(tally.multiplicity(), [1, 1, 2]);
        assert!(tally.pattern(0).is_empty());
        assert_eq!(tally.pattern(1), [Cell { pool: 0, value: 1, count: 2 }]);
        assert_eq!(tally.n_units(), 4);
        assert_eq!(tally.values_used(), [4, 4]);
    }

    #[test]
    fn addition_is_doubling_for_equal_tallies() {
        let tally = small();
        let double = tally.merge(&tally).unwrap();
        assert_eq!(double.multiplicity(), [2, 2, 4]);
        assert!(matches!(tally.merge(&double.map_values(&[0, 1], 3).unwrap()), Err(Error::Shape { .. })));
    }

    #[test]
    fn codes_out_of_range_are_errors() {
        assert!(matches!(Tally::from_matrix(&[0, 2], 2, 2), Err(Error::Code { at: 1, found: 2, .. })));
        assert!(matches!(Tally::from_long(&[0], &[1], &[0], None, (1, 1, 1)), Err(Error::Code { .. })));
        assert!(matches!(Tally::from_long(&[0], &[], &[0], None, (1, 1, 1)), Err(Error::Length { .. })));
        let huge = [u64::from(u32::MAX); 2];
        assert_eq!(Tally::from_long(&[0, 0], &[0, 0], &[0, 0], Some(&huge), (1, 1, 1)), Err(Error::TooMany));
    }

    #[test]
    fn pools_are_put_together_or_dropped() {
        let tally = Tally::from_long(&[0, 0, 1], &[0, 1, 1], &[0, 1, 1], None, (2, 2, 2)).unwrap();
        assert_eq!(tally.map_pools(&[0, 0], 1).unwrap().n_patterns(), 2);
        assert_eq!(tally.map_pools(&[DROPPED, 0], 1).unwrap().multiplicity(), [2]);
    }
}
