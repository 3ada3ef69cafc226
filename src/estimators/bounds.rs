//! From errors of matrices and reveal probabilities to errors of psi.

use std::fmt;

use crate::Real;

/// Where an error bound comes from, so how far it can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum BoundKind {
    /// The paper's lemmas with the given `lambda_min`(Sigma) and `p_min`. Proved.
    Lemma,
    /// The paper's lemmas with the empirical `lambda_min` and `p_min` in place of the true ones, which
    /// were not given. A guide, not a proof.
    LemmaPlugIn,
    /// From the observed Gram matrix and counts. Proved.
    Observed,
    /// From resampled data. Empirical: right in the limit of many samples.
    Bootstrap,
    /// Given by the caller.
    Given,
}

impl fmt::Display for BoundKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Lemma => "lemma",
            Self::LemmaPlugIn => "lemma-plug-in",
            Self::Observed => "observed",
            Self::Bootstrap => "bootstrap",
            Self::Given => "given",
        })
    }
}

/// Bounds epsilon on sup `||M-hat_a - M_a||` (operator norm) and `epsilon_beta` on
/// sup |beta-hat(a) - beta(a)|, and what they say of psi.
///
/// The three bounds on psi hold for every state and every action sequence whenever the two
/// errors are within their bounds:
///
/// | method | map | bound | if |
/// |---|---|---|---|
/// | [`psi_corrected`](Self::psi_corrected) | `psi_c` | 4 d^2 / (1 - gamma) (eps + `eps_beta` / d^1.5) | always |
/// | [`psi_plug_in`](Self::psi_plug_in) | psi-hat | 4 d (1 - gamma) / (1 - gamma (1 + eps sqrt d))^2 (eps + `eps_beta` / sqrt d) | eps < (1/gamma - 1) / sqrt d |
/// | [`psi_theorem`](Self::psi_theorem) | psi-hat | 16 d / (1 - gamma) (eps + `eps_beta` / sqrt d) | eps <= (1 - gamma) / (2 sqrt d) |
///
/// The first two are the cases of Lemma "newfmap-estimation-general", the last is Theorem 4.2
/// ("newfmap-estimator"), which the second implies.
///
/// # Example
/// ```
/// use sporadic::estimators::{BoundKind, ErrorBounds};
/// let bounds = ErrorBounds::new(BoundKind::Given, 4, 0.5, 1e-3, 0.0);
/// assert!(bounds.psi_plug_in().unwrap() < bounds.psi_theorem().unwrap());
/// assert!(bounds.admissibility().unwrap() <= 0.256);
/// // Errors beyond the theorem's reach leave only the norm-corrected map.
/// let wide = ErrorBounds::new(BoundKind::Given, 4, 0.5, 0.6, 0.0);
/// assert!(wide.psi_plug_in().is_none() && wide.psi_corrected() > 1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ErrorBounds<T> {
    /// Where the bounds come from.
    pub kind: BoundKind,
    /// The dimension d.
    pub dim: usize,
    /// The discount factor.
    pub gamma: T,
    /// epsilon, for the matrices.
    pub matrices: T,
    /// `epsilon_beta`, for the reveal probabilities: at most 1, and 0 if they are known.
    pub beta: T,
    /// Whether N is as large as the statement behind the bound asks for. If not, epsilon is a number
    /// without a guarantee.
    pub large_enough: bool,
}

impl<T: Real> ErrorBounds<T> {
    /// Bounds from these errors of matrices and reveal probabilities, taken to be large enough.
    pub fn new(kind: BoundKind, dim: usize, gamma: T, matrices: T, beta: T) -> Self {
        Self { kind, dim, gamma, matrices, beta: beta.min(T::one()), large_enough: true }
    }

    /// These bounds, marked as valid only if `large_enough`.
    pub fn with_large_enough(mut self, large_enough: bool) -> Self {
        self.large_enough = large_enough;
        self
    }

    fn d(&self) -> T {
        T::of(self.dim as f64)
    }

    /// eps + `eps_beta` / sqrt(d).
    fn joint(&self) -> T {
        self.matrices + self.beta / self.d().sqrt()
    }

    /// The largest epsilon that the theorem covers: (1 - gamma) / (2 sqrt(d)).
    pub fn largest_for_theorem(&self) -> T {
        (T::one() - self.gamma) / (T::of(2.0) * self.d().sqrt())
    }

    /// A bound on `||psi_c - psi||`, `psi_c` being the [norm-corrected](super::norm_corrected) map.
    pub fn psi_corrected(&self) -> T {
        let d = self.d();
        T::of(4.0) * d * d / (T::one() - self.gamma) * (self.matrices + self.beta / (d * d.sqrt()))
    }

    /// A bound on `||psi-hat - psi||` for the plug-in map; `None` if epsilon is too large for one.
    pub fn psi_plug_in(&self) -> Option<T> {
        let d = self.d();
        let rest = T::one() - self.gamma * (T::one() + self.matrices * d.sqrt());
        (rest > T::zero())
            .then(|| T::of(4.0) * d * (T::one() - self.gamma) / (rest * rest) * self.joint())
    }

    /// The theorem's bound on `||psi-hat - psi||`; `None` if epsilon is too large for it.
    pub fn psi_theorem(&self) -> Option<T> {
        (self.matrices <= self.largest_for_theorem())
            .then(|| T::of(16.0) * self.d() / (T::one() - self.gamma) * self.joint())
    }

    /// The epsilon with which psi-tilde is an admissible approximation of psi by the theorem;
    /// `None` if it does not apply.
    ///
    /// psi-tilde is close to psi and of norm at most 1, so 2 is what any such map achieves: a larger
    /// value says nothing.
    pub fn admissibility(&self) -> Option<T> {
        self.psi_theorem().map(|e| T::of(2.0) * e)
    }
}

impl<T: Real> fmt::Display for ErrorBounds<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_dash =
            |x: Option<T>| x.map_or_else(|| "-".into(), |x| format!("{:.3e}", x.as_f64()));
        let doubt = if self.large_enough { "" } else { " (N too small)" };
        writeln!(f, "{:<28} {:>12}", "bound", format!("{:?}", self.kind))?;
        for (name, value) in [
            ("epsilon", Some(self.matrices)),
            ("epsilon_beta", Some(self.beta)),
            ("||psi_c - psi||", Some(self.psi_corrected())),
            ("||psi-hat - psi||", self.psi_plug_in()),
            ("the same by the theorem", self.psi_theorem()),
            ("admissibility of psi-tilde", self.admissibility()),
        ] {
            writeln!(f, "{name:<28} {:>12}{doubt}", or_dash(value))?;
        }
        Ok(())
    }
}
