//! Builders, files, checks and errors of models with schedules.

use proptest::prelude::*;
use sporadic::check;
use sporadic::features::{Dynamics, OneHot};
use sporadic::model::{
    Environment, FromFns, MAX_AGES, ModelError, Reveal, Tabular, acno, gallery, tabulate,
};

use crate::common::schedules::scheduled;

proptest! {
    #[test]
    fn files_keep_every_bit((model, _) in scheduled()) {
        prop_assert_eq!(&Tabular::from_json(&model.to_json().unwrap()).unwrap(), &model);
        prop_assert_eq!(&Tabular::from_toml(&model.to_toml().unwrap()).unwrap(), &model);
        let dynamics = Dynamics::one_hot(&model, OneHot::of(&model));
        let text = serde_json::to_string(&dynamics).unwrap();
        prop_assert_eq!(serde_json::from_str::<Dynamics<f64, nalgebra::Dyn>>(&text).unwrap(), dynamics);
    }

    #[test]
    fn a_list_of_equal_numbers_is_that_number(beta in 0.0..=1.0_f64, length in 1..20_usize) {
        let constant = gallery::river_swim(6, beta, 0.9).unwrap();
        let listed = constant.clone().with_reveals(vec![vec![beta; length].into(); 2]).unwrap();
        prop_assert_eq!(&listed, &constant);
        prop_assert_eq!(listed.to_json().unwrap(), constant.to_json().unwrap());
        prop_assert_eq!(listed.ages(), 1);
    }
}

fn machine(beta: &str) -> Result<Tabular<f64>, String> {
    let text = format!(
        r#"{{"gamma": 0.9, "states": ["s"], "actions": [
            {{"name": "go", "beta": {beta}, "reward": [1], "transition": [[1]]}}]}}"#
    );
    Tabular::from_json(&text).map_err(|fault| fault.to_string())
}

#[test]
fn bad_schedules_in_files_are_named() {
    assert_eq!(machine("[0, 0, 0.5]").unwrap().ages(), 3);
    assert_eq!(machine("[0.5, 0.5]").unwrap(), machine("0.5").unwrap());
    assert_eq!(machine("1").unwrap().beta(0).to_bits(), 1.0_f64.to_bits());
    let refused = |beta: &str, message: &str| {
        let found = machine(beta).unwrap_err();
        assert!(found.contains(message), "{beta}: {found}");
    };
    refused("[0, 2, 0.5]", "beta = 2 of action \"go\" at age 2 is not in [0, 1]");
    refused("[0, -0.1]", "beta = -0.1 of action \"go\" at age 2 is not in [0, 1]");
    refused("2", "beta = 2 of action \"go\" is not in [0, 1]");
    refused("[]", "action \"go\" lists no reveal probability");
    refused("[0, \"a\"]", "field actions[0].beta[1]: invalid type: string \"a\", expected f64");
    refused("{}", "expected a reveal probability or a list of one per age");
    refused("null", "expected a reveal probability or a list of one per age");
    refused(&format!("{:?}", vec![0.5; MAX_AGES + 1]), "more than 1000 reveal probabilities");
}

#[test]
fn schedules_have_at_most_a_thousand_ages() {
    let ages = |n: usize| {
        let ramp: Vec<f64> = (0..n).map(|i| i as f64 / 1e4).collect();
        Tabular::builder(0.9).action("a", ramp, [0.0], [[1.0]]).build().map(|m| m.ages())
    };
    assert_eq!(ages(MAX_AGES).unwrap(), MAX_AGES);
    let message = "the number of listed reveal probabilities = 1001 is above the limit of 1000";
    assert_eq!(ages(MAX_AGES + 1).unwrap_err().to_string(), message);
}

#[test]
fn closures_may_give_schedules() {
    let next = |s: &u8, _: &char| vec![((s + 1) % 3, 0.5), (*s, 0.5)];
    let model: Tabular<f64> =
        tabulate(0.9, 0_u8, ['a'], |_| [0.0, 0.5], |s, _| f64::from(*s), next).unwrap();
    assert_eq!((model.beta_at(0, 1), model.beta_at(0, 2)), (0.0, 0.5));
    let world = FromFns::new(
        2,
        0.9,
        |a| if a == 0 { Reveal::every(2).unwrap() } else { 0.3.into() },
        |_: &f64, _| 0.0,
        |_| 0.0,
        |s, _, _| *s,
    )
    .unwrap();
    assert_eq!((world.ages(), world.beta_at(0, 1), world.beta_at(1, 1)), (2, 0.0, 0.3));
    check::environment(&world, 1, 3).assert();
    assert!(FromFns::new(1, 0.9, |_| [0.1, 7.0], |_: &f64, _| 0.0, |_| 0.0, |s, _, _| *s).is_err());
}

#[test]
fn reductions_accept_schedules() {
    let mdp = gallery::river_swim(6, 0.1, 0.9).unwrap();
    let sampled = sporadic::model::intermittent(&mdp, Reveal::every(5).unwrap()).unwrap();
    // Looking is bought there, so the schedule does not matter.
    assert_eq!(acno(&sampled, 0.1).unwrap(), acno(&mdp, 0.1).unwrap());
    assert_eq!(sampled.clone().with_betas(vec![0.1; 2]).unwrap(), mdp);
    let error = sporadic::model::intermittent(&mdp, [0.5, 1.5]).unwrap_err();
    assert!(matches!(error, ModelError::BetaAt { age: 2, .. }));
    assert!(matches!(mdp.with_reveals(vec![]), Err(ModelError::Length { found: 0, .. })));
}
