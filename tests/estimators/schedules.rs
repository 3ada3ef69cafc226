//! Reveal probabilities per action and age, from episodes.

use sporadic::agents::UniformRandom;
use sporadic::estimators::{
    Estimator, Reveals, RidgeEstimator, SufficientStatistics, TabularEstimator, beta_distance,
    plug_in,
};
use sporadic::features::{Dynamics, OneHot, SequenceFeatures, TabularPsi};
use sporadic::model::{Reveal, Tabular, gallery};
use sporadic::simulation::{Collector, Simulation, Streams};

fn world() -> Tabular<f64> {
    let swim = gallery::river_swim::<f64>(4, 0.1, 0.95).unwrap();
    swim.with_reveals(vec![Reveal::from([0.3, 0.0, 0.6]), Reveal::from([0.5, 0.2])]).unwrap()
}

/// Means are near the truth, and intervals cover it (z of about 5).
#[test]
fn means_and_intervals_by_age() {
    let model = world();
    let estimator = TabularEstimator::new(4, 2, 0.95).unwrap().with_ages(3);
    let mut collector = Collector::new(estimator);
    let mut agent = UniformRandom::new(2, Streams::new(1).agent());
    Simulation::new(&model, Streams::new(1)).run(0..5_000, &mut agent, &mut collector).unwrap();
    let estimator = collector.into_estimator();
    let found = estimator.estimate().unwrap();
    for a in 0..2 {
        for age in 1..=4 {
            let (low, high) = estimator.reveals().interval_at(a, age, 1.0 - 1e-6);
            let truth = model.beta_at(a, age);
            assert!(low <= truth && truth <= high, "{a} {age}: {low} {truth} {high}");
            assert!((found.beta_at(a, age) - truth).abs() < 0.03);
        }
    }
    let truth = Dynamics::one_hot(&model, OneHot::of(&model));
    assert!(beta_distance(&found, &truth) <= estimator.reveals().error_bound(0.999));
    assert!(beta_distance(&found, &truth) < 0.03);
    // The plug-in psi is near the exact one.
    let (psi, exact) = (plug_in(OneHot::of(&model), found).unwrap(), TabularPsi::new(model));
    for text in ["(1)", "01(0)", "(011)"] {
        let seq = text.parse().unwrap();
        assert!((psi.psi(&0, &seq) - exact.psi(&0, &seq)).norm() < 0.05, "{text}");
    }
}

#[test]
fn counts_merge_and_known_schedules_are_kept() {
    let reveals = [Reveal::from([0.3, 0.0, 0.6]), Reveal::constant(0.5)];
    let plain = || TabularEstimator::<f64, nalgebra::Dyn>::new(4, 2, 0.9).unwrap();
    let known = plain().with_known_reveals(&reveals).unwrap();
    assert_eq!(known.estimate().unwrap().schedule().reveals(), reveals);
    assert!(known.reveals().error_bound(0.9) <= 0.0);
    let bad = [Reveal::from([0.3, 1.2]), Reveal::constant(0.5)];
    assert!(plain().with_known_reveals(&bad).is_err());
    assert!(plain().with_known_reveals(&bad[..1]).is_err());

    let make = |ages| plain().with_ages(ages);
    let (mut one, mut two) = (make(2), make(2));
    one.observe_reveal_at(0, 1, true);
    two.observe_reveal_at(0, 5, true);
    two.observe_reveal_at(0, 2, false);
    one.merge(&two).unwrap();
    assert_eq!((one.reveals().count_at(0, 1), one.reveals().count_at(0, 7)), ((1, 1), (2, 1)));
    assert_eq!(one.reveals().count(0), (3, 2));
    assert!(one.merge(&make(3)).is_err());
    let phi = OneHot::new(4, 2);
    let mut ridge = RidgeEstimator::new(phi, 2, 0.9).unwrap().with_ages(2);
    ridge.observe_reveal_at(1, 2, true);
    assert_eq!(ridge.estimate().unwrap().schedule().reveal(1), Reveal::from([0.0, 1.0]));
}

/// With one age all ages count alike.
#[test]
fn one_age_ignores_ages() {
    let (mut plain, mut aged) = (Reveals::<f64>::new(2), Reveals::<f64>::new(2).with_ages(1));
    for i in 0..50_usize {
        plain.observe(i % 2, i % 3 == 0);
        aged.observe_at(i % 2, i + 1, i % 3 == 0);
    }
    assert_eq!(plain, aged);
    let saved = serde_json::to_value(&plain).unwrap();
    let mut old = saved.clone();
    old.as_object_mut().unwrap().remove("ages");
    assert_eq!(serde_json::from_value::<Reveals<f64>>(old).unwrap(), plain);
}
