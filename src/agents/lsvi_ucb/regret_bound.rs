//! The regret bound of the paper's theorem, as a number.

use std::fmt;

use super::{LsviUcbParams, ParamsError};

/// The bound on the regret of Algorithm 1 over K episodes, with the constants of the paper's proof.
///
/// The theorem "Regret of Algorithm 1" says: with an epsilon-admissible psi-tilde,
/// epsilon <= sqrt((1 - gamma) / K), and the parameters [`LsviUcbParams::theory`], the regret against V* is,
/// with probability at least 1 - p, of the order of
///
/// ```text
/// sqrt(d^3 K (1-gamma)^-3 iota^2) + d^2 (1-gamma)^-2 iota + epsilon sqrt(d^2 K^3 (1-gamma)^-5 iota),
/// iota = log(2 d K H / p)
/// ```
///
/// up to logarithms. Its proof ends with an inequality that has all constants but one, and that is what is
/// computed here: the sum of
///
/// | term | is | bounds |
/// |---|---|---|
/// | [`martingale`](Self::martingale) | sqrt(8 K H log(4/p)) / (1-gamma) | the noise of next states (Azuma-Hoeffding) |
/// | [`truncation`](Self::truncation) | 6 log(4/p) / (1-gamma) | episodes that reach the H-th sighting (Chernoff) |
/// | [`bonus`](Self::bonus) | 2 rho (4 sqrt(K H d log(2 K H)) + 4 H d log(2 K H)) | the bonuses paid (elliptical potential) |
/// | [`features`](Self::features) | 20 epsilon rho (K H)^(3/2) | the error of psi-tilde |
///
/// # What it assumes
/// The constant c >= 1 in rho = c d H sqrt(iota) is "absolute" and the paper does not give it: the bound
/// holds only for c large enough, and c = 1 is the least it can be. Rewards lie in [0, 1], the oracle is exact
/// over all of A^N, lambda = 1. An agent with other parameters, such as the smaller rho that works in practice, is
/// not covered. No regret exceeds K / (1-gamma), so a bound above [`trivial`](Self::trivial) says nothing;
/// for the paper's experiments it is above it by orders of magnitude.
///
/// # Example
/// ```
/// use sporadic::agents::RegretBound;
/// let bound = RegretBound::theory(5_000, 0.05, 1.0, 12, 0.99)?;
/// assert!(bound.total() > bound.trivial()); // 5,000 episodes are not enough for it to say anything
/// // It grows like sqrt(K log(K)^3): in the end it is below K / (1 - gamma).
/// let bound = RegretBound::theory(10_000_000_000_000_000, 0.05, 1.0, 12, 0.99)?;
/// assert!(bound.total() < bound.trivial());
/// // What psi-tilde must satisfy for the theorem to apply, and for its error not to matter:
/// assert!(bound.epsilon_negligible() < bound.epsilon_allowed());
/// # Ok::<(), sporadic::agents::ParamsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RegretBound {
    episodes: f64,
    dim: f64,
    gamma: f64,
    horizon: f64,
    rho: f64,
    /// sqrt(8 K H log(4/p)) / (1-gamma): the sum of the martingale differences zeta.
    pub martingale: f64,
    /// 6 log(4/p) / (1-gamma): what is lost after the H-th sighting.
    pub truncation: f64,
    /// 2 rho (4 sqrt(K H d log(2 K H)) + 4 H d log(2 K H)): twice the sum of the bonuses.
    pub bonus: f64,
    /// 20 epsilon rho (K H)^(3/2): the error of psi-tilde; 0 for exact features.
    pub features: f64,
}

impl RegretBound {
    /// The bound for K = `episodes`, probability of failure `p`, the theorem's constant `c` and phi of
    /// dimension `dim`, with exact features; the arguments are those of [`LsviUcbParams::theory`].
    ///
    /// # Errors
    /// [`ParamsError`] if K or d is 0, p or gamma not in (0, 1), or c below 1 or not finite.
    pub fn theory(
        episodes: u64,
        p: f64,
        c: f64,
        dim: usize,
        gamma: f64,
    ) -> Result<Self, ParamsError> {
        let check = |name, value: f64, holds: bool, needed| {
            if holds { Ok(()) } else { Err(ParamsError::Value { name, value, needed }) }
        };
        let inside = |x: f64| x > 0.0 && x < 1.0;
        check("the number of episodes", episodes as f64, episodes > 0, "at least 1")?;
        check("p", p, inside(p), "in the open interval (0, 1)")?;
        check("c", c, c >= 1.0 && c.is_finite(), "at least 1 and finite")?;
        check("d", dim as f64, dim > 0, "at least 1")?;
        check("gamma", gamma, inside(gamma), "in the open interval (0, 1)")?;
        let params = LsviUcbParams::<f64>::theory(episodes, p, c, dim, gamma);
        let (k, d, h) = (episodes as f64, dim as f64, params.horizon() as f64);
        let (rho, failure) = (params.rho(), libm::log(4.0 / p));
        let log = libm::log(2.0 * k * h);
        Ok(Self {
            episodes: k,
            dim: d,
            gamma,
            horizon: h,
            rho,
            martingale: (8.0 * k * h * failure).sqrt() / (1.0 - gamma),
            truncation: 6.0 * failure / (1.0 - gamma),
            bonus: 2.0 * rho * (4.0 * (k * h * d * log).sqrt() + 4.0 * h * d * log),
            features: 0.0,
        })
    }

    /// The bound for an `epsilon`-admissible psi-tilde in place of exact features.
    ///
    /// # Errors
    /// [`ParamsError::Value`] if epsilon is negative or above
    /// [`epsilon_allowed`](Self::epsilon_allowed), where the theorem does not hold.
    pub fn with_epsilon(self, epsilon: f64) -> Result<Self, ParamsError> {
        if !(epsilon >= 0.0 && epsilon <= self.epsilon_allowed()) {
            let needed = "in [0, sqrt((1 - gamma) / K)]";
            return Err(ParamsError::Value { name: "epsilon", value: epsilon, needed });
        }
        let features = 20.0 * epsilon * self.rho * libm::pow(self.episodes * self.horizon, 1.5);
        Ok(Self { features, ..self })
    }

    /// The bound: the sum of its four terms.
    pub fn total(&self) -> f64 {
        self.martingale + self.truncation + self.bonus + self.features
    }

    /// K / (1-gamma), which regret cannot exceed whatever is played: rewards lie in [0, 1].
    pub fn trivial(&self) -> f64 {
        self.episodes / (1.0 - self.gamma)
    }

    /// The largest epsilon of psi-tilde for which the theorem holds: sqrt((1 - gamma) / K).
    pub fn epsilon_allowed(&self) -> f64 {
        ((1.0 - self.gamma) / self.episodes).sqrt()
    }

    /// The epsilon of psi-tilde below which its error does not change the order of the bound:
    /// (1 - gamma) / (K sqrt(d)).
    pub fn epsilon_negligible(&self) -> f64 {
        (1.0 - self.gamma) / (self.episodes * self.dim.sqrt())
    }

    /// The horizon H that the theorem sets.
    pub fn horizon(&self) -> f64 {
        self.horizon
    }

    /// The weight rho of the bonus that the theorem sets, with the constant c given.
    pub fn rho(&self) -> f64 {
        self.rho
    }
}

impl fmt::Display for RegretBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.3e} (martingale {:.3e}, truncation {:.3e}, bonus {:.3e}, features {:.3e}); trivially {:.3e}",
            self.total(),
            self.martingale,
            self.truncation,
            self.bonus,
            self.features,
            self.trivial()
        )
    }
}
