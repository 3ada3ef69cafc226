//! One iteration of expectation maximisation on a tree of segments.

use super::tree::Tree;

/// Transition probabilities of every action: P(y|x, a) at `(a n + x) n + y`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Transitions {
    pub(super) n: usize,
    pub(super) p: Vec<f64>,
}

impl Transitions {
    pub(super) fn uniform(n: usize, num_actions: usize) -> Self {
        Self { n, p: vec![1.0 / n as f64; num_actions * n * n] }
    }

    /// P(.|., a), row by row.
    pub(super) fn action(&self, a: usize) -> &[f64] {
        &self.p[a * self.n * self.n..(a + 1) * self.n * self.n]
    }

    /// Replaces P by (1 - share) P + share / n, so that no probability is 0.
    pub(super) fn mix(&mut self, share: f64) {
        let each = share / self.n as f64;
        self.p.iter_mut().for_each(|p| *p = (1.0 - share) * *p + each);
    }
}

/// The forward and the backward pass over all segments, and what they add up to.
///
/// Write b_i for the belief at node i of the tree, and c_i(y) for how many segments ended there in the sighting of y. The
/// log-likelihood of the segments is the sum of c_i(y) log b_i(y). Its derivative by b_i(y), all that lies below i included, is
///
/// ```text
/// g_i(x) = c_i(x) / b_i(x) + sum over children j of i, with action a, of sum over y of P(y|x, a) g_j(y)
/// ```
///
/// and the expected number of transitions from x to y by the action a between i and its child j, given the segments, is
/// b_i(x) P(y|x, a) g_j(y). So one pass over the tree gives the expectations of all segments at once.
#[derive(Debug, Clone, Default)]
pub(super) struct Passes {
    /// b_i(x) and g_i(x) at `i n + x`.
    beliefs: Vec<f64>,
    gradients: Vec<f64>,
    /// Expected numbers of transitions, laid out as P is.
    pub(super) expected: Vec<f64>,
    /// The log-likelihood of the segments that are possible under P, and how many are not.
    pub(super) log_likelihood: f64,
    pub(super) impossible: u64,
}

impl Passes {
    /// The beliefs at every node, the log-likelihood and the number of impossible segments.
    pub(super) fn forward(&mut self, tree: &Tree, transitions: &Transitions) {
        let n = transitions.n;
        self.beliefs.clear();
        self.beliefs.resize(tree.len() * n, 0.0);
        (0..tree.roots()).for_each(|s| self.beliefs[s * n + s] = 1.0);
        for (node, parent, a) in tree.edges() {
            let (before, after) = self.beliefs.split_at_mut(node * n);
            let (belief, after) = (&before[parent * n..(parent + 1) * n], &mut after[..n]);
            for (&b, row) in belief.iter().zip(transitions.action(a).chunks_exact(n)) {
                if b > 0.0 {
                    after.iter_mut().zip(row).for_each(|(to, p)| *to += b * p);
                }
            }
        }
        (self.log_likelihood, self.impossible) = (0.0, 0);
        for (node, state, count) in tree.ends() {
            let b = self.beliefs[node * n + state];
            if b > 0.0 {
                self.log_likelihood += count as f64 * libm::log(b);
            } else {
                self.impossible += count;
            }
        }
    }

    /// The expected numbers of transitions; [`forward`](Self::forward) comes first. Segments that are impossible under P
    /// have no expectations and add nothing.
    pub(super) fn backward(&mut self, tree: &Tree, transitions: &Transitions) {
        let n = transitions.n;
        self.gradients.clear();
        self.gradients.resize(tree.len() * n, 0.0);
        self.expected.clear();
        self.expected.resize(transitions.p.len(), 0.0);
        for (node, state, count) in tree.ends() {
            let b = self.beliefs[node * n + state];
            // A quotient that overflows belongs to a segment that is as good as impossible.
            let quotient = if b > 0.0 { count as f64 / b } else { 0.0 };
            self.gradients[node * n + state] += if quotient.is_finite() { quotient } else { 0.0 };
        }
        for (node, parent, a) in tree.edges().rev() {
            let belief = &self.beliefs[parent * n..(parent + 1) * n];
            let (before, after) = self.gradients.split_at_mut(node * n);
            let (above, below) = (&mut before[parent * n..(parent + 1) * n], &after[..n]);
            let rows = transitions.action(a).chunks_exact(n);
            let expected = self.expected[a * n * n..(a + 1) * n * n].chunks_exact_mut(n);
            for (((&b, g), row), expected) in belief.iter().zip(above).zip(rows).zip(expected) {
                // From a state that cannot be there nothing comes, and nothing above asks for its derivative.
                if b > 0.0 {
                    let mut sum = 0.0;
                    for ((to, p), below) in expected.iter_mut().zip(row).zip(below) {
                        let flow = p * below;
                        sum += flow;
                        *to += b * flow;
                    }
                    *g += sum;
                }
            }
        }
    }

    /// The transitions that maximise the expected log-likelihood plus `each` log P(y|x, a) over all x, y and a. Tells how
    /// far the farthest entry has moved.
    pub(super) fn maximize(&self, each: f64, transitions: &mut Transitions) -> f64 {
        let mut moved = 0.0_f64;
        let n = transitions.n;
        for (row, expected) in transitions.p.chunks_exact_mut(n).zip(self.expected.chunks_exact(n))
        {
            let total = expected.iter().sum::<f64>() + each * n as f64;
            // A pair of which nothing is known keeps what it has.
            if total > 0.0 && total.is_finite() {
                for (p, e) in row.iter_mut().zip(expected) {
                    let new = (e + each) / total;
                    moved = moved.max((new - *p).abs());
                    *p = new;
                }
            }
        }
        moved
    }
}
