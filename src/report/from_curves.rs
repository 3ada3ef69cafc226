//! Series from learning curves.

use super::{ReportError, Series};
use crate::experiment::Interval;
use crate::simulation::Curve;

impl Series {
    /// The mean over `runs` of their mean return so far, against the number of episodes; the band
    /// is the 95% t-interval, and there is none for a single run.
    ///
    /// Returns are sums of rewards; [`scaled`](Self::scaled) by 1 - gamma they are on the scale of
    /// rewards.
    ///
    /// # Errors
    /// [`ReportError::NoPoints`] without runs, [`ReportError::Runs`] if they have not all the same
    /// number of points.
    ///
    /// # Example
    /// ```
    /// use sporadic::agents::FixedSequence;
    /// use sporadic::model::gallery;
    /// use sporadic::report::{Figure, Series};
    /// use sporadic::simulation::{Regret, Simulation, Streams};
    ///
    /// let swim = gallery::river_swim::<f64>(6, 0.1, 0.9)?;
    /// let mut runs = Vec::new();
    /// for seed in 1..=3 {
    ///     let mut regret = Regret::of(&swim).ok_or("tables have exact values")?;
    ///     let mut agent = FixedSequence::new("(1)".parse()?);
    ///     Simulation::new(&swim, Streams::new(seed)).run(0..50, &mut agent, &mut regret)?;
    ///     runs.push(regret.curve()?);
    /// }
    /// let returns = Series::mean_return("always right", &runs)?.scaled(1.0 - 0.9);
    /// assert_eq!(returns.x.len(), 50);
    /// let svg = Figure::new("RiverSwim").with_series(returns).to_svg()?;
    /// # assert!(svg.contains("always right"));
    /// let regret = Series::regret("always right", &runs)?;
    /// assert!(regret.mean[49] < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mean_return(label: impl Into<String>, runs: &[Curve]) -> Result<Self, ReportError> {
        let average = |run: &Curve| run.average.clone();
        Self::from_runs(label.into(), runs, &runs.iter().map(average).collect::<Vec<_>>())
    }

    /// The mean over `runs` of the cumulative regret against the certified lower bound of V*,
    /// against the number of episodes; the band is the 95% t-interval, and there is none for a
    /// single run.
    ///
    /// # Errors
    /// [`ReportError::NoPoints`] without runs or without a regret, [`ReportError::Runs`] if it is not
    /// known at the same number of points in all.
    pub fn regret(label: impl Into<String>, runs: &[Curve]) -> Result<Self, ReportError> {
        let regret = |run: &Curve| run.regret.iter().copied().map_while(|at| at).collect();
        Self::from_runs(label.into(), runs, &runs.iter().map(regret).collect::<Vec<_>>())
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

    fn from_runs(label: String, curves: &[Curve], runs: &[Vec<f64>]) -> Result<Self, ReportError> {
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
        let x = curves[0].episodes.iter().take(expected).map(|&n| n as f64).collect();
        Ok(Self::from_intervals(label, x, &intervals))
    }
}
