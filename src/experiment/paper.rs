//! The paper's experiment.

use super::{Entry, Spec};

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
    /// use sporadic::kinds::Registry;
    /// let figure = Spec::paper(5_000, 5).expand(&Registry::builtin(), ".".as_ref())?;
    /// assert_eq!(figure.len(), 2 * 4 * 5);
    /// # Ok::<(), sporadic::experiment::SpecError>(())
    /// ```
    pub fn paper(episodes: u64, seeds: u64) -> Self {
        let river = |model: &str| {
            Entry::new(model)
                .with("beta", PAPER_BETAS.to_vec())
                .with("gamma", 0.99)
                .with("states", 6)
        };
        Self {
            name: "reproduce".into(),
            episodes,
            seeds,
            seed: 1,
            points: 200,
            setting: crate::simulation::Setting::default(),
            models: ["river-swim", "river-balance"].map(river).to_vec(),
            agents: vec![Entry::new("lsvi-ucb")],
        }
    }

    /// Our figure beside the paper's: Algorithm 1 over all sequences, with the oracle `adaptive` in place of the 1012, in
    /// the worlds, with the parameters and under the random numbers of [`paper`](Self::paper).
    ///
    /// # Example
    /// ```
    /// use sporadic::experiment::Spec;
    /// assert_eq!(Spec::adaptive(5_000, 5).models, Spec::paper(5_000, 5).models);
    /// ```
    pub fn adaptive(episodes: u64, seeds: u64) -> Self {
        let agents = vec![Entry::new("lsvi-ucb").with("oracle", "adaptive")];
        Self { name: "adaptive".into(), agents, ..Self::paper(episodes, seeds) }
    }
}
