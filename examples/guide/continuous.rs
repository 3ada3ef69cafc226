use nalgebra::{Const, OVector, SVector};
use rand::Rng;
use sporadic::Fault;
use sporadic::agents::{Agent, FixedSequence, LsviUcb, LsviUcbParams, Replanning};
use sporadic::dim::Dimensional;
use sporadic::features::{Atom, FeatureMap, LinearModel, Psi};
use sporadic::model::{Action, Environment, draw};
use sporadic::oracles::Exhaustive;
use sporadic::sequence::runs;
use sporadic::simulation::{Returns, Simulation, Streams};

/// A ball in [0, 1] that lands in the right half with probability p(s, a), and in the left half
/// otherwise, anywhere in that half with the same density. Rest (action 0) pays p(s, 0). A push
/// (action 1) pays nothing, but the ball lands on the right more often.
#[derive(Debug, Clone, Copy)]
struct Ball;

fn right(s: f64, a: Action) -> f64 {
    if a == 1 { 0.6 + 0.4 * s } else { 0.9 * s }
}

const BETA: [f64; 2] = [0.6, 0.6];

#[rustfmt::skip]
impl Environment for Ball {
    type Scalar = f64;
    type State = f64;
    fn num_actions(&self) -> usize { 2 }
    fn gamma(&self) -> f64 { 0.9 }
    fn beta(&self, a: Action) -> f64 { BETA[a] }
    fn reward(&self, s: &f64, a: Action) -> f64 { if a == 0 { right(*s, 0) } else { 0.0 } }
    fn initial<R: Rng + ?Sized>(&self, _: &mut R) -> f64 { 0.25 }
    fn next<R: Rng + ?Sized>(&self, s: &f64, a: Action, rng: &mut R) -> f64 {
        let half = if draw::bernoulli(right(*s, a), rng) { 0.5 } else { 0.0 };
        half + 0.5 * draw::uniform(rng)
    }
}

impl Dimensional for Ball {
    type Dim = Const<4>;

    fn dim(&self) -> Const<4> {
        Const
    }
}

/// phi(s, a) = (1 - p, p) in the block of the action: transitions and rewards are linear in it.
impl FeatureMap<f64> for Ball {
    type State = f64;

    fn phi(&self, s: &f64, a: Action) -> OVector<f64, Const<4>> {
        let mut phi = SVector::zeros();
        (phi[2 * a], phi[2 * a + 1]) = (1.0 - right(*s, a), right(*s, a));
        phi
    }
}

pub(crate) fn main() -> Result<(), Fault> {
    // theta, and mu as weighted points: phi is linear in s, so the midpoint of each half integrates it.
    let theta = SVector::from([0.0, 1.0, 0.0, 0.0]);
    let atom = |state, weight: [f64; 4]| Atom { state, weight: SVector::from(weight) };
    let mu = vec![atom(0.25, [1.0, 0.0, 1.0, 0.0]), atom(0.75, [0.0, 1.0, 0.0, 1.0])];
    let model = LinearModel::new(Ball, theta, mu);
    let psi = Psi::new(Ball, model.dynamics(&BETA, 0.9)?)?;

    // Every state is seen once only, so planning is over all states seen so far. It is repeated when
    // what is known has grown by a tenth.
    let params = LsviUcbParams::default()
        .with_horizon(10)
        .with_rho(3.0)
        .with_replanning(Replanning::DeterminantGrowth(1.1));
    let mut learner = LsviUcb::new(psi, Exhaustive::new(runs(2, 2, 3)), params)?;
    let mut push = FixedSequence::new("(1)".parse()?);
    let mut rest = FixedSequence::new("(0)".parse()?);
    let agents: [(&str, &mut dyn Agent<f64, f64>); 3] =
        [("always rest", &mut rest), ("always push", &mut push), ("Algorithm 1", &mut learner)];
    println!("mean return of episodes   1 to 500   1,501 to 2,000");
    for (name, agent) in agents {
        let mut returns = Returns::new();
        Simulation::new(&Ball, Streams::new(1)).run(0..2_000, agent, &mut returns)?;
        let mean = |from: usize| returns.returns()[from..from + 500].iter().sum::<f64>() / 500.0;
        println!("{name:<24} {:9.2}   {:14.2}", mean(0), mean(1_500));
        if let Some(fault) = agent.fault() {
            return Err(fault);
        }
    }
    Ok(())
}
