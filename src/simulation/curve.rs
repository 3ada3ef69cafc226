//! Learning curves: what happened in a run, by number of episodes, as numbers and as text.

use std::fmt;

use itertools::Itertools as _;

/// A learning curve: what happened in a run, after each of some numbers of episodes.
///
/// Every way of running gives one: [`Returns::curve`](super::Returns::curve) and
/// [`Regret::curve`](super::Regret::curve) in a simulation, `Group::curve` and `Group::runs` in an
/// experiment that was run in memory or loaded from a folder. A column has one entry per point; a
/// column that nothing is known of is empty or holds `None`.
///
/// A curve prints as a table, made to be pinned in a snapshot test: episodes, mean return, value of
/// the policy, regret. Columns without an entry are left out. The precision of the format sets the
/// digits after the point, 2 unless given: `{curve:.4}`. [`with_points`](Self::with_points) sets
/// the number of lines. No line is longer than 80 characters.
///
/// # Example
/// ```
/// use sporadic::agents::FixedSequence;
/// use sporadic::model::gallery;
/// use sporadic::simulation::{Regret, Simulation, Streams};
///
/// let swim = gallery::river_swim::<f64>(6, 0.1, 0.9)?;
/// let mut regret = Regret::of(&swim).ok_or("tables have exact values")?;
/// let mut agent = FixedSequence::new("(1)".parse()?);
/// Simulation::new(&swim, Streams::new(1)).run(0..100, &mut agent, &mut regret)?;
/// insta::assert_snapshot!(regret.curve()?.with_points(2), @r"
/// episodes  mean return  policy value  regret
///       50         0.60          1.30    0.00
///      100         1.04          1.30    0.00
/// ");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Curve {
    /// The number of episodes after which each point was taken.
    pub episodes: Vec<u64>,
    /// The mean return of the episodes so far.
    pub average: Vec<f64>,
    /// The exact value of the policy played in the last of them; `None` for agents that show no
    /// burst-dependent policy and in worlds without exact values.
    pub value: Vec<Option<f64>>,
    /// The mean of these values over the episodes so far; `None` as above, and where a policy takes
    /// too long to be evaluated in every episode.
    pub mean_policy_value: Vec<Option<f64>>,
    /// The mean number of rounds of the episodes so far.
    #[cfg_attr(feature = "serde", serde(default))]
    pub rounds: Vec<f64>,
    /// The mean over the episodes so far of the sum of the reveal probabilities of the actions
    /// taken, which counts looks where an action looks or does not.
    #[cfg_attr(feature = "serde", serde(default))]
    pub looks: Vec<f64>,
    /// The optimality gap, certified by the agent, of the sequence chosen at the start of the last
    /// episode, in optimistic value; `None` for agents that certify nothing, and between the few
    /// points at which they are asked.
    #[cfg_attr(feature = "serde", serde(default))]
    pub gap: Vec<Option<f64>>,
    /// The cumulative regret against the certified lower bound of V*: regret is at least this.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub regret: Vec<Option<f64>>,
    /// The cumulative regret against the certified upper bound of V*: regret is at most this.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub regret_upper: Vec<Option<f64>>,
    /// The cumulative regret against the best policy within the agent's family.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub class_regret: Vec<Option<f64>>,
}

impl Curve {
    /// Keeps `points` of the points, evenly spaced and with the last; all if there are no more.
    pub fn with_points(&self, points: usize) -> Self {
        let (n, kept) = (self.episodes.len(), points.min(self.episodes.len()));
        let rows: Vec<usize> = (1..=kept).map(|i| (i * n).div_ceil(kept) - 1).collect();
        Self {
            episodes: select(&self.episodes, &rows),
            average: select(&self.average, &rows),
            value: select(&self.value, &rows),
            mean_policy_value: select(&self.mean_policy_value, &rows),
            rounds: select(&self.rounds, &rows),
            looks: select(&self.looks, &rows),
            gap: select(&self.gap, &rows),
            regret: select(&self.regret, &rows),
            regret_upper: select(&self.regret_upper, &rows),
            class_regret: select(&self.class_regret, &rows),
        }
    }

    /// The mean over `runs` of every column but the gap; `None` if there are none, or if their
    /// points are not the same.
    pub fn mean(runs: &[Self]) -> Option<Self> {
        let first = runs.first()?;
        if runs.iter().any(|run| run.episodes != first.episodes) {
            return None;
        }
        let at = |of: &dyn Fn(&Self) -> Option<f64>| {
            let sum: Option<f64> = runs.iter().map(of).sum();
            sum.map(|sum| sum / runs.len() as f64)
        };
        let all = 0..first.episodes.len();
        let numbers = |of: fn(&Self) -> &[f64]| {
            all.clone().map_while(|i| at(&|run| of(run).get(i).copied())).collect()
        };
        let known = |of: fn(&Self) -> &[Option<f64>]| {
            all.clone().map(|i| at(&|run| of(run).get(i).copied().flatten())).collect()
        };
        Some(Self {
            episodes: first.episodes.clone(),
            average: numbers(|run| &run.average),
            value: known(|run| &run.value),
            mean_policy_value: known(|run| &run.mean_policy_value),
            rounds: numbers(|run| &run.rounds),
            looks: numbers(|run| &run.looks),
            gap: Vec::new(),
            regret: known(|run| &run.regret),
            regret_upper: known(|run| &run.regret_upper),
            class_regret: known(|run| &run.class_regret),
        })
    }

    /// The regret of all episodes, at most: against the upper bound of V*; `None` if not known.
    pub fn total_regret(&self) -> Option<f64> {
        self.regret_upper.get(self.episodes.len().checked_sub(1)?).copied().flatten()
    }

    /// The cumulative regret at each point against `optimum`, the same in every episode:
    /// sum over the episodes so far of `optimum` less the exact value of the policy played.
    pub fn regret_against(&self, optimum: f64) -> Vec<Option<f64>> {
        let points = self.episodes.iter().zip(&self.mean_policy_value);
        points.map(|(&n, mean)| mean.map(|mean| n as f64 * (optimum - mean))).collect()
    }
}

/// The entries of a column at `rows`, as far as it reaches.
fn select<V: Copy>(column: &[V], rows: &[usize]) -> Vec<V> {
    rows.iter().filter_map(|&i| column.get(i).copied()).collect()
}

/// Numbers with more characters than this are printed with an exponent.
const WIDTH: usize = 12;

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(2);
        let number = |x: &Option<f64>| {
            let Some(x) = x else { return "-".to_owned() };
            let text = format!("{x:.digits$}");
            if text.len() > WIDTH {
                return format!("{x:.*e}", digits.min(4));
            }
            // No minus sign before a number that rounds to zero.
            let is_zero = text.chars().all(|c| "-0.".contains(c));
            if is_zero { text.trim_start_matches('-').to_owned() } else { text }
        };
        // A column is its label followed by its entries.
        let column = |label: &str, entries: &[Option<f64>]| -> Option<Vec<String>> {
            let texts = entries.iter().map(number);
            let known = entries.iter().any(Option::is_some);
            known.then(|| std::iter::once(label.to_owned()).chain(texts).collect())
        };
        let average: Vec<Option<f64>> = self.average.iter().copied().map(Some).collect();
        let episodes = self.episodes.iter().map(u64::to_string);
        let lower = column("regret", &self.regret);
        // The upper end of the bracket, where it shows.
        let upper = column("at most", &self.regret_upper);
        let upper = upper.filter(|u| lower.as_ref().is_none_or(|l| l[1..] != u[1..]));
        let columns =
            std::iter::once(std::iter::once("episodes".to_owned()).chain(episodes).collect())
                .chain(column("mean return", &average))
                .chain(column("policy value", &self.value))
                .chain(lower)
                .chain(upper)
                .chain(column("class regret", &self.class_regret));
        let columns: Vec<(usize, Vec<String>)> = columns
            .map(|cells: Vec<String>| (cells.iter().map(String::len).max().unwrap_or(0), cells))
            .collect();
        for row in 0..=self.episodes.len() {
            let cell = |(width, cells): &(usize, Vec<String>)| {
                format!("{:>width$}", cells.get(row).map_or("-", String::as_str))
            };
            writeln!(f, "{}", columns.iter().map(cell).join("  "))?;
        }
        Ok(())
    }
}
