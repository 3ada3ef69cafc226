//! Curves from the runs of a simulation.

use super::{Curve, ReportError};
use crate::Real;
use crate::experiment::Interval;
use crate::simulation::{RegretPoint, Returns};

impl Curve {
    /// The mean over `runs` of their running average return, against the number of episodes; the band is
    /// the 95% t-interval, and there is none for a single run.
    ///
    /// Returns are sums of rewards; [`scaled`](Self::scaled) by 1 - gamma they are on the scale of
    /// rewards.
    ///
    /// # Errors
    /// [`ReportError::NoPoints`] without runs, [`ReportError::Runs`] if they have not all the same number
    /// of episodes.
    ///
    /// # Example
    /// ```
    /// use sporadic::agents::FixedSequence;
    /// use sporadic::model::gallery;
    /// use sporadic::report::{Curve, Figure};
    /// use sporadic::simulation::{Returns, Simulation, Streams};
    ///
    /// let swim = gallery::river_swim::<f64>(6, 0.1, 0.9)?;
    /// let mut runs = Vec::new();
    /// for seed in 1..=3 {
    ///     let (mut agent, mut returns) = (FixedSequence::new("(1)".parse()?), Returns::new());
    ///     Simulation::new(&swim, Streams::new(seed)).run(0..50, &mut agent, &mut returns)?;
    ///     runs.push(returns);
    /// }
    /// let curve = Curve::from_returns("always right", &runs)?.scaled(1.0 - 0.9);
    /// assert_eq!(curve.x.len(), 50);
    /// let svg = Figure::new("RiverSwim").with_curve(curve).to_svg()?;
    /// # assert!(svg.contains("always right"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_returns<T: Real>(
        label: impl Into<String>,
        runs: &[Returns<T>],
    ) -> Result<Self, ReportError> {
        let average = |run: &Returns<T>| run.running_mean().map(Real::as_f64).collect();
        Self::from_runs(label.into(), runs.iter().map(average).collect())
    }

    /// The mean over runs of the cumulative regret against the certified lower bound of V*, against the
    /// number of episodes; the band is the 95% t-interval, and there is none for a single run.
    ///
    /// Each run is what [`Regret::curve`](crate::simulation::Regret::curve) returns.
    ///
    /// # Errors
    /// [`ReportError::NoPoints`] without runs, [`ReportError::Runs`] if they have not all the same number
    /// of episodes.
    ///
    /// # Example
    /// ```
    /// use sporadic::agents::FixedSequence;
    /// use sporadic::model::gallery;
    /// use sporadic::report::Curve;
    /// use sporadic::simulation::{Regret, Simulation, Streams};
    ///
    /// let swim = gallery::river_swim::<f64>(6, 0.1, 0.9)?;
    /// let mut regret = Regret::of(&swim).ok_or("tables have exact values")?;
    /// let mut agent = FixedSequence::new("(0)".parse()?);
    /// Simulation::new(&swim, Streams::new(1)).run(0..10, &mut agent, &mut regret)?;
    /// let curve = Curve::from_regret("always left", &[regret.curve()?])?;
    /// assert!(curve.mean[9] > 9.0 * curve.mean[0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_regret<C: AsRef<[RegretPoint]>>(
        label: impl Into<String>,
        runs: &[C],
    ) -> Result<Self, ReportError> {
        let regret = |run: &C| run.as_ref().iter().map(|point| point.lower).collect();
        Self::from_runs(label.into(), runs.iter().map(regret).collect())
    }

    /// A curve through the means of `intervals`, which are the band if there is more than one run.
    pub fn from_intervals(label: impl Into<String>, x: Vec<f64>, intervals: &[Interval]) -> Self {
        let curve = Self::new(label, x, intervals.iter().map(|at| at.mean).collect());
        if intervals.iter().any(|at| at.half_width.is_none()) {
            return curve;
        }
        let (low, high) = intervals.iter().map(|at| (at.low(), at.high())).unzip();
        curve.with_band(low, high)
    }

    /// Multiplies mean and band by a positive factor.
    pub fn scaled(mut self, by: f64) -> Self {
        let band = self.band.iter_mut().flat_map(|(low, high)| low.iter_mut().chain(high));
        self.mean.iter_mut().chain(band).for_each(|y| *y *= by);
        self
    }

    fn from_runs(label: String, runs: Vec<Vec<f64>>) -> Result<Self, ReportError> {
        let expected = runs.first().map_or(0, Vec::len);
        if expected == 0 {
            return Err(ReportError::NoPoints { curve: label });
        }
        if let Some((run, found)) = runs.iter().map(Vec::len).enumerate().find(|r| r.1 != expected)
        {
            return Err(ReportError::Runs { curve: label, run, expected, found });
        }
        let at = |i: usize| Interval::of(&runs.iter().map(|run| run[i]).collect::<Vec<_>>());
        let intervals: Vec<Interval> = (0..expected).filter_map(at).collect();
        let x = (1..=expected).map(|n| n as f64).collect();
        Ok(Self::from_intervals(label, x, &intervals))
    }
}
