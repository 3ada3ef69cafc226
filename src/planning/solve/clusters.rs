//! The best of many vectors at a belief, found without looking at all of them.
//!
//! Vectors that are alike form a cluster. Each component of its envelope is the largest that a vector of
//! the cluster has there. Beliefs are not negative, so no vector of a cluster is better than the
//! envelope, and only clusters whose envelope is no worse than the best vector known have to be looked at.
//! That is true of the products as computed too: all are sums in the same order, and rounding is
//! monotone.

use pulp::{Arch, Simd, WithSimd};

use super::columns::{Columns, LANES, block_products};

/// Columns sorted into clusters of [`LANES`].
#[derive(Debug)]
pub(super) struct Clusters {
    /// The columns by clusters; their identifiers are the numbers that they had before.
    sorted: Columns,
    /// A column per cluster.
    envelopes: Columns,
    /// The products of the envelopes with the belief.
    bounds: Vec<f64>,
    /// The cluster where the best column was last time.
    last: usize,
    arch: Arch,
}

impl Clusters {
    pub(super) fn new(columns: &Columns) -> Self {
        let n = columns.dim();
        let mut order: Vec<usize> = (0..columns.len()).collect();
        sort(columns, &mut order);
        let (mut sorted, mut envelopes) = (Columns::new(n), Columns::new(n));
        for (k, cluster) in order.chunks(LANES).enumerate() {
            let mut envelope = vec![f64::NEG_INFINITY; n];
            for &i in cluster {
                let column = columns.column(i);
                envelope.iter_mut().zip(&column).for_each(|(e, &x)| *e = x.max(*e));
                sorted.push(i, &column);
            }
            envelopes.push(k, &envelope);
        }
        Self { sorted, envelopes, bounds: Vec::new(), last: 0, arch: Arch::new() }
    }

    /// The first column that is best at `belief`, and its value there, as [`Columns::best`] finds them.
    pub(super) fn best(&mut self, belief: &[f64]) -> (usize, f64) {
        if self.sorted.len() == 0 {
            return (0, f64::NEG_INFINITY);
        }
        let promising = self.envelopes.best(belief, &mut self.bounds).0;
        let (sorted, bounds, first) = (&self.sorted, &self.bounds[..], [self.last, promising]);
        let found = self.arch.dispatch(Search { sorted, bounds, first, belief });
        self.last = found.cluster;
        (found.column, found.value)
    }
}

/// Orders columns so that each [`LANES`] in a row are alike: halves them where they differ most.
fn sort(columns: &Columns, order: &mut [usize]) {
    if order.len() <= LANES {
        return;
    }
    let spread = |j: usize| {
        let components = order.iter().map(|&i| columns.component(i, j));
        let (low, high) =
            components.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        high - low
    };
    let spreads = (0..columns.dim()).map(|j| (spread(j), j));
    let j = spreads.fold((0.0, 0), |most, next| if next.0 > most.0 { next } else { most }).1;
    // Whole clusters, and fewer than all.
    let middle = (order.len() / LANES).div_ceil(2) * LANES;
    order.select_nth_unstable_by(middle, |&x, &y| {
        columns.component(x, j).total_cmp(&columns.component(y, j)).then(x.cmp(&y))
    });
    let (low, high) = order.split_at_mut(middle);
    sort(columns, low);
    sort(columns, high);
}

/// A search for the best column at `belief`.
struct Search<'a> {
    sorted: &'a Columns,
    /// No column of a cluster has a larger value than this.
    bounds: &'a [f64],
    /// Clusters to look at before the others.
    first: [usize; 2],
    belief: &'a [f64],
}

/// The best column so far.
struct Found {
    cluster: usize,
    column: usize,
    value: f64,
}

impl WithSimd for Search<'_> {
    type Output = Found;

    #[inline(always)]
    #[allow(clippy::inline_always)] // a function that is not inlined is compiled for the oldest processor
    fn with_simd<S: Simd>(self, _: S) -> Found {
        let Self { sorted, bounds, first, belief } = self;
        let mut found = Found { cluster: 0, column: usize::MAX, value: f64::NEG_INFINITY };
        for cluster in first.into_iter().chain(0..bounds.len()) {
            if bounds[cluster] < found.value {
                continue;
            }
            let values = block_products(sorted.block(cluster), belief);
            let top = values.iter().fold(f64::NEG_INFINITY, |m, &x| if x > m { x } else { m });
            if top < found.value {
                continue;
            }
            // The last cluster may have lanes without a column.
            for (&column, &value) in sorted.ids[cluster * LANES..].iter().zip(&values) {
                if value > found.value || (value >= found.value && column < found.column) {
                    found = Found { cluster, column, value };
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_pcg::Pcg64;

    use super::*;

    /// Random vectors, some of them equal, and a random walk of beliefs, some of them on the boundary:
    /// number and value are those that looking at all vectors gives, bit for bit.
    #[test]
    fn clusters_miss_no_vector() {
        let mut rng = Pcg64::new(5, 9);
        for (n, len) in [(1, 3), (2, 1), (2, 2000), (5, 33), (5, 2000), (12, 64), (20, 3000)] {
            let mut columns = Columns::new(n);
            for id in 0..len {
                let vector: Vec<f64> = if id % 7 == 6 {
                    columns.column(id / 2)
                } else {
                    (0..n).map(|_| rng.random_range(-1.0..1.0)).collect()
                };
                columns.push(1000 + id, &vector);
            }
            let mut clusters = Clusters::new(&columns);
            let mut belief = vec![1.0 / n as f64; n];
            let mut scratch = Vec::new();
            for step in 0..500 {
                belief.iter_mut().for_each(|b| *b *= rng.random_range(0.8..1.2));
                let sum: f64 = belief.iter().sum();
                belief.iter_mut().for_each(|b| *b /= sum);
                let mut here = belief.clone();
                if step % 3 == 0 && n > 1 {
                    here[step % n] = 0.0;
                }
                assert_eq!(clusters.best(&here), columns.best(&here, &mut scratch));
            }
        }
        let mut none = Clusters::new(&Columns::new(3));
        assert_eq!(none.best(&[1.0, 0.0, 0.0]), (0, f64::NEG_INFINITY));
    }
}
