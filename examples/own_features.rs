//! Features of your own: a continuous linear MDP, its psi, and a value computed two ways.
//!
//! `cargo run --release --example own_features`

use nalgebra::{Const, OVector, SVector};
use rand::Rng;
use rand_pcg::Pcg64;
use sporadic::agents::FixedSequence;
use sporadic::check;
use sporadic::dim::Dimensional;
use sporadic::features::{Atom, FeatureMap, LinearModel, Psi, SequenceFeatures};
use sporadic::model::{Action, Environment, draw};
use sporadic::sequence::ActionSequence;
use sporadic::simulation::{Returns, Simulation, Streams};

/// A ball on [0, 1]. Whatever it does, it lands in the left half (density 2 on [0, 1/2]) or in the
/// right half; the chance of the right half is s pushed up or down by the action. So
/// phi(s, a) = (1 - p, p) with p = p(s, a), and mu is uniform on either half.
struct Ball;

fn right(s: f64, a: Action) -> f64 {
    if a == 1 { 0.2 + 0.8 * s } else { 0.8 * s }
}

impl Dimensional for Ball {
    type Dim = Const<2>;

    fn dim(&self) -> Const<2> {
        Const
    }
}

impl FeatureMap<f64> for Ball {
    type State = f64;

    fn phi(&self, s: &f64, a: Action) -> OVector<f64, Const<2>> {
        SVector::from([1.0 - right(*s, a), right(*s, a)])
    }
}

#[rustfmt::skip]
impl Environment for Ball {
    type Scalar = f64;
    type State = f64;
    fn num_actions(&self) -> usize { 2 }
    fn gamma(&self) -> f64 { 0.9 }
    fn beta(&self, a: Action) -> f64 { [0.5, 0.1][a] }
    fn reward(&self, s: &f64, a: Action) -> f64 { right(*s, a) } // theta = (0, 1)
    fn initial<R: Rng + ?Sized>(&self, _: &mut R) -> f64 { 0.25 }
    fn next<R: Rng + ?Sized>(&self, s: &f64, a: Action, rng: &mut R) -> f64 {
        let half = if draw::bernoulli(right(*s, a), rng) { 0.5 } else { 0.0 };
        half + 0.5 * draw::uniform(rng)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // phi is linear in s, so the midpoint of each half integrates it exactly.
    let atom = |state, weight| Atom { state, weight: SVector::from(weight) };
    let mu = vec![atom(0.25, [1.0, 0.0]), atom(0.75, [0.0, 1.0])];
    let model = LinearModel::new(Ball, SVector::from([0.0, 1.0]), mu);
    print!("{}", check::linear_mdp(&Ball, &model, 100, &mut Pcg64::new(1, 1)));

    // V(s) of "push once, then rest" from every sighting, by iterating V = <psi, v_12>.
    let psi = Psi::new(Ball, model.dynamics(&[0.5, 0.1], 0.9)?)?;
    let sequence: ActionSequence = "1(0)".parse()?;
    let mut weights = model.value_vector(0.9, |_| 0.0);
    for _ in 0..500 {
        weights = model.value_vector(0.9, |s| psi.psi(s, &sequence).dot(&weights));
    }
    println!("value through psi         {:.3}", psi.psi(&0.25, &sequence).dot(&weights));

    let mut returns = Returns::new();
    let mut agent = FixedSequence::new(sequence);
    Simulation::new(&Ball, Streams::new(3)).run(0..200_000, &mut agent, &mut returns)?;
    println!("mean of 200,000 episodes  {:.3}", returns.mean().unwrap_or(f64::NAN));
    Ok(())
}
