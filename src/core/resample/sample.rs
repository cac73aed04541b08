//! What is drawn with replacement: units, or the clusters that they come in (`docs/stream.md`, sections 3 and 6).

use crate::core::encode::renumber;
use crate::core::random::{Multinomial, Purpose, Stream};
use crate::core::tally::{check_codes, check_length, grouped};
use crate::core::{Error, Tally};

/// Draws the units of a tally.
pub struct Sampler {
    drawer: Multinomial,
    clusters: Option<Clusters>,
}

/// How often each pattern comes, and each cluster where there are clusters.
#[derive(Debug, Clone, Default)]
pub struct Drawn {
    /// By pattern.
    pub units: Vec<u64>,
    /// By distinct cluster.
    pub clusters: Vec<u64>,
}

impl Sampler {
    /// For the units of a tally, one by one or by clusters.
    pub fn new(tally: &Tally, clusters: Option<Clusters>) -> Sampler {
        let multiplicity = clusters.as_ref().map_or(tally.multiplicity(), |clusters| &clusters.multiplicity);
        Sampler { drawer: Multinomial::new(multiplicity), clusters }
    }

    /// The clusters, where there are any.
    pub fn clusters(&self) -> Option<&Clusters> {
        self.clusters.as_ref()
    }

    /// The data as they are.
    pub fn data(&self, tally: &Tally) -> Drawn {
        let clusters = self.clusters.as_ref().map_or(Vec::new(), |clusters| clusters.multiplicity.clone());
        Drawn { units: tally.multiplicity().to_vec(), clusters }
    }

    /// Replicate b.
    pub fn draw(&self, seed: u64, b: u64, drawn: &mut Drawn) {
        let mut stream = Stream::new(seed, Purpose::Units as u64, b);
        match &self.clusters {
            None => self.drawer.draw(&mut stream, &mut drawn.units),
            Some(clusters) => {
                self.drawer.draw(&mut stream, &mut drawn.clusters);
                drawn.units.fill(0);
                for (cluster, &times) in drawn.clusters.iter().enumerate().filter(|(_, &times)| times > 0) {
                    for &(pattern, n) in clusters.members(cluster) {
                        drawn.units[pattern as usize] += times * n;
                    }
                }
            }
        }
    }
}

/// Distinct clusters, each a list of patterns and how many of its units show them.
pub struct Clusters {
    bounds: Vec<usize>,
    members: Vec<(u32, u64)>,
    multiplicity: Vec<u64>,
}

impl Clusters {
    /// From the units of each cluster, of which those count that show a pattern of the tally.
    ///
    /// `pools` maps the pools of the clusters to those of the tally.
    pub fn new(clusters: &[Tally], pools: &[u32], tally: &Tally) -> Result<Clusters, Error> {
        let mut lists = Vec::with_capacity(clusters.len());
        for cluster in clusters {
            let cluster = cluster.map_pools(pools, tally.n_pools())?;
            let units = cluster.patterns().filter_map(|(pattern, w)| Some((tally.find(pattern)? as u32, w)));
            lists.push(units.collect::<Vec<_>>());
        }
        lists.retain(|list| !list.is_empty());
        lists.sort_unstable();
        let mut found = Clusters { bounds: vec![0], members: Vec::new(), multiplicity: Vec::new() };
        for same in lists.chunk_by(|a, b| a == b) {
            found.members.extend_from_slice(&same[0]);
            found.bounds.push(found.members.len());
            found.multiplicity.push(same.len() as u64);
        }
        Ok(found)
    }

    /// Number of distinct clusters.
    pub fn n_distinct(&self) -> usize {
        self.multiplicity.len()
    }

    /// The patterns of a cluster, and how many of its units show them.
    pub fn members(&self, cluster: usize) -> &[(u32, u64)] {
        &self.members[self.bounds[cluster]..self.bounds[cluster + 1]]
    }
}

/// The units of each cluster as a tally, from the cluster of each unit and one entry a rating.
pub fn clusters(
    cluster: &[i64],
    (unit, pool, value): (&[i64], &[u32], &[u32]),
    count: Option<&[u64]>,
    (n_clusters, n_pools, n_values): (usize, usize, usize),
) -> Result<Vec<Tally>, Error> {
    check_codes("cluster", cluster.iter().copied(), n_clusters)?;
    check_codes("unit", unit.iter().copied(), cluster.len())?;
    check_length("pool", pool.len(), unit.len())?;
    check_length("value", value.len(), unit.len())?;
    count.map_or(Ok(()), |count| check_length("count", count.len(), unit.len()))?;
    let cluster_of_rating: Vec<i64> = unit.iter().map(|&unit| cluster[unit as usize]).collect();
    let ratings = grouped(&cluster_of_rating, n_clusters);
    let tally = |members: &[usize]| {
        let mut units: Vec<i64> = members.iter().map(|&i| unit[i]).collect();
        let n_units = renumber(&mut units).len();
        let [pool, value] = [pool, value].map(|column| members.iter().map(|&i| column[i]).collect::<Vec<_>>());
        let count = count.map(|count| members.iter().map(|&i| count[i]).collect::<Vec<_>>());
        Tally::from_long(&units, &pool, &value, count.as_deref(), (n_units, n_pools, n_values))
    };
    (0..n_clusters).map(|cluster| tally(ratings.of(cluster))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_comes_as_a_whole() {
        let units = [[0, 0], [0, 1], [0, 0], [0, 1], [1, 1]];
        let of = |rows: &[usize]| {
            let codes: Vec<i32> = rows.iter().flat_map(|&row| units[row]).collect();
            Tally::from_matrix(&codes, 2, 2).unwrap()
        };
        let all = of(&[0, 1, 2, 3, 4]);
        let clusters = Clusters::new(&[of(&[0, 1]), of(&[2, 3]), of(&[4])], &[0], &all).unwrap();
        assert_eq!((clusters.n_distinct(), clusters.multiplicity.clone()), (2, vec![1, 2]));
        let sampler = Sampler::new(&all, Some(clusters));
        let mut drawn = sampler.data(&all);
        for b in 0..20 {
            sampler.draw(3, b, &mut drawn);
            assert_eq!(drawn.clusters.iter().sum::<u64>(), 3);
            assert_eq!(drawn.units[1], drawn.units[2]); // units 00 and 01 come together
        }
    }
}
