//! The paper's experiment.

use super::values::Values;
use super::{AgentGrid, ModelGrid, Spec};

/// The reveal probabilities of the paper's figure.
pub const PAPER_BETAS: [f64; 4] = [0.05, 0.1, 0.2, 0.5];

impl Spec {
    /// The paper's figure: `RiverSwim` and `RiverBalance` with 6 states and gamma = 0.99, four
    /// reveal probabilities, Algorithm 1 with H = 100 and the 1012 sequences of Section 6.
    ///
    /// The paper gives neither lambda nor rho; 0.01 and 50 reproduce its figure. From the H-th
    /// sighting on, where its argmax is arbitrary, the policy of the first is played again.
    ///
    /// # Example
    /// ```
    /// use sporadic::experiment::Spec;
    /// let figure = Spec::paper(5_000, 5).expand(".".as_ref())?;
    /// assert_eq!(figure.jobs().len(), 2 * 4 * 5);
    /// # Ok::<(), sporadic::experiment::SpecError>(())
    /// ```
    pub fn paper(episodes: u64, seeds: u64) -> Self {
        let river = |model: &str| ModelGrid {
            model: model.into(),
            beta: Values(PAPER_BETAS.to_vec()),
            gamma: Values(vec![0.99]),
            states: Values(vec![6]),
            ..ModelGrid::default()
        };
        let agent = AgentGrid { agent: "lsvi-ucb".into(), ..AgentGrid::default() };
        Self {
            name: "reproduce".into(),
            episodes,
            seeds,
            seed: 1,
            points: 200,
            models: ["river-swim", "river-balance"].map(river).to_vec(),
            agents: vec![agent],
        }
    }
}
