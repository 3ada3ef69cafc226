//! `sporadic estimate`.

use crate::estimators::{
    ErrorBounds, Exploratory, Lemmas, beta_distance, matrix_distance, plug_in,
};
use crate::features::{Dynamics, OneHot, Psi, SequenceFeatures as _};
use crate::model::Tabular;
use crate::sequence::ActionSequence;
use crate::simulation::Streams;
use nalgebra::Dyn;
use rand_pcg::Pcg64;
use serde::Serialize;

use crate::Number;
use crate::cli::failure::Failure;
use crate::cli::input::at_most;
use crate::cli::model::{ModelArgs, family};
use crate::cli::output;
use crate::cli::table::table;
use crate::kinds::{Registry, ResolvedEstimator};

/// The most samples: some minutes.
const MAX_SAMPLES: u64 = 10_000_000_000;
/// The most states times actions: matrices of this dimension are dense, and there are many.
const MAX_DIMENSION: u64 = 400;
/// How close to 0 and 1 the confidence may be.
const MIN_CONFIDENCE: f64 = 1e-15;
/// The admissibility that `samples_needed` is for.
const EPSILON: f64 = 0.5;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  sporadic estimate river-balance --beta 0.3 --gamma 0.9 --samples 100000
  sporadic estimate sensing-cost --samples 20000 --estimator tabular:0,true

Samples (s, a, s', burst) are drawn with (s, a) uniform; action matrices and reveal probabilities are \
estimated from them. Where reveal probabilities depend on the age, the age is drawn uniformly too. Errors are against the truth: matrices in operator norm, beta, and psi over the \
family. Of the bounds, `lemma` is the paper's, `observed` is proved from the data, and `bootstrap` is an \
approximation. Admissibility above 2 says nothing; a dash, or null, means that the theorem does not apply. \
States times actions are at most 400.

JSON: {\"estimator\":..,\"samples\":..,\"confidence\":..,\"errors\":{\"matrices\":..,\"beta\":..,\"psi\":..},
\"bounds\":[{\"kind\":\"lemma\",\"matrices\":..,\"beta\":..,\"psi\":..,\"admissibility\":..,\"large_enough\":..},..],
\"samples_needed\":{\"epsilon\":0.5,\"beta_known\":..,\"beta_unknown\":..}}")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// How many samples, at most 1e10
    #[arg(long, value_name = "N")]
    samples: u64,
    /// The estimator
    #[arg(long, value_name = "ESTIMATOR", default_value = "tabular")]
    estimator: String,
    /// The seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The probability with which the bounds shall hold
    #[arg(long, value_name = "P", default_value_t = 0.9, allow_hyphen_values = true)]
    confidence: f64,
    /// The sequences over which psi is compared
    #[arg(long, value_name = "FAMILY", default_value = "runs:5,10")]
    family: String,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Answer {
    estimator: String,
    samples: u64,
    confidence: f64,
    errors: Errors,
    bounds: Vec<Bound>,
    samples_needed: Needed,
}

#[derive(Debug, Serialize)]
struct Errors {
    matrices: f64,
    beta: f64,
    psi: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Bound {
    kind: String,
    matrices: f64,
    beta: f64,
    psi: Option<f64>,
    admissibility: Option<f64>,
    large_enough: bool,
}

#[derive(Debug, Serialize)]
struct Needed {
    epsilon: f64,
    beta_known: u64,
    beta_unknown: u64,
}

pub(crate) fn run(args: &Args, registry: &Registry) -> Result<(), Failure> {
    let model = args.model.build(registry)?;
    // The bounds fail with probability 1 - confidence, which must not round to 0 or 1 either.
    let confidence = MIN_CONFIDENCE..=1.0 - MIN_CONFIDENCE;
    if !confidence.contains(&args.confidence) {
        return Err(Failure::input(format!(
            "the confidence {} is not between {MIN_CONFIDENCE:e} and 1 - {MIN_CONFIDENCE:e}",
            Number(args.confidence)
        )));
    }
    if args.samples == 0 {
        return Err(Failure::input("an estimate needs at least 1 sample, not 0"));
    }
    at_most("--samples", args.samples, MAX_SAMPLES)?;
    let dimension = model.num_states() as u64 * model.num_actions() as u64;
    at_most("the number of states times that of actions", dimension, MAX_DIMENSION)?;
    let family = family(&args.family, model.num_actions(), registry)?;
    let estimator = registry.estimators().resolve(&args.estimator);
    let estimator =
        estimator.map_err(|fault| Failure::parameter(&fault.within("estimator"), ""))?;
    let answer = estimate(args, &estimator, &model, &family)?;
    if args.json { output::json(&answer) } else { output::text(&show(&answer)) }
}

fn estimate(
    args: &Args,
    kind: &ResolvedEstimator,
    model: &Tabular<f64>,
    family: &[ActionSequence],
) -> Result<Answer, Failure> {
    let (states, actions, gamma) = (model.num_states(), model.num_actions(), model.gamma());
    let sampler = Exploratory::uniform(model);
    let exploration = sampler.exploration().map_err(Failure::input)?;
    let mut estimator = kind.build(model, exploration).map_err(Failure::input)?;
    let mut rng: Pcg64 = Streams::new(args.seed).world(0);
    for _ in 0..args.samples {
        let (transition, age) = sampler.sample_at_ages(&mut rng);
        estimator.observe_at(&transition, age);
    }
    let estimated = estimator.estimate().map_err(Failure::input)?;
    let bounds = estimator.all_bounds(args.confidence, &mut rng);

    // To the lemmas an action at an age is an action.
    let lemmas = Lemmas::new(states * actions, actions * model.ages(), gamma, exploration)
        .map_err(Failure::input)?;
    let needed = |known| lemmas.samples_needed(EPSILON, 1.0 - args.confidence, known);
    let truth = Dynamics::one_hot(model, OneHot::of(model));
    Ok(Answer {
        estimator: kind.text.clone(),
        samples: args.samples,
        confidence: args.confidence,
        errors: Errors {
            matrices: matrix_distance(&estimated, &truth),
            beta: beta_distance(&estimated, &truth),
            psi: psi_error(model, family, estimated, truth)?,
        },
        bounds: bounds.iter().map(bound).collect(),
        samples_needed: Needed {
            epsilon: EPSILON,
            beta_known: needed(true).map_err(Failure::input)?,
            beta_unknown: needed(false).map_err(Failure::input)?,
        },
    })
}

fn bound(bounds: &ErrorBounds<f64>) -> Bound {
    Bound {
        kind: bounds.kind.to_string(),
        matrices: bounds.matrices,
        beta: bounds.beta,
        psi: bounds.psi_plug_in(),
        admissibility: bounds.admissibility(),
        large_enough: bounds.large_enough,
    }
}

/// The largest error of psi over states and family; nothing if the estimate is too poor for psi.
fn psi_error(
    model: &Tabular<f64>,
    members: &[ActionSequence],
    estimated: Dynamics<f64, Dyn>,
    truth: Dynamics<f64, Dyn>,
) -> Result<Option<f64>, Failure> {
    let phi = OneHot::of(model);
    let exact = Psi::new(phi, truth).map_err(Failure::input)?;
    let Ok(hat) = plug_in(phi, estimated) else { return Ok(None) };
    let mut largest = 0.0_f64;
    for s in 0..model.num_states() {
        let apart = hat.batch(&s, members) - exact.batch(&s, members);
        largest = apart.column_iter().map(|column| column.norm()).fold(largest, f64::max);
    }
    Ok(Some(largest))
}

fn show(answer: &Answer) -> String {
    let number = |x: f64| if x.is_finite() { format!("{x:.4e}") } else { "-".into() };
    let option = |x: Option<f64>| x.map_or_else(|| "-".into(), number);
    let mut rows =
        vec![["", "matrices", "beta", "psi", "admissibility"].map(str::to_owned).to_vec()];
    let errors = &answer.errors;
    rows.push(vec![
        "error".into(),
        number(errors.matrices),
        number(errors.beta),
        option(errors.psi),
        "-".into(),
    ]);
    rows.extend(answer.bounds.iter().map(|bound| {
        let doubt = if bound.large_enough { "" } else { " (N too small)" };
        vec![
            format!("{}{doubt}", bound.kind),
            number(bound.matrices),
            number(bound.beta),
            option(bound.psi),
            option(bound.admissibility),
        ]
    }));
    let needed = &answer.samples_needed;
    format!(
        "{}\n{} samples, estimator {}, confidence {}. psi-tilde is {}-admissible by the theorem after {:.1e} samples if beta is \
         known, {:.1e} if not.\n",
        table(&rows),
        answer.samples,
        answer.estimator,
        Number(answer.confidence),
        needed.epsilon,
        needed.beta_known as f64,
        needed.beta_unknown as f64
    )
}
