//! The check of environments.

use std::fmt::Debug;

use super::Findings;
use super::replay::{MAX_ROUNDS, replay};
use crate::agents::UniformRandom;
use crate::model::{Environment, MAX_AGES};
use crate::simulation::{Observation, Observer, Simulation, SimulationError, Step, Streams};
use crate::{Discount, Number, Real};

/// Chance makes a finding about beta with a probability below 1e-7, by Bernstein's inequality with
/// this z.
const Z: f64 = 6.0;

/// Checks an environment by playing `episodes` episodes with random actions, each of them twice
/// from the same random numbers.
///
/// - There are actions; gamma is in (0, 1) and beta in [0, 1] at every age, the same from the last
///   listed age on.
/// - Every reward met is finite and inside the [`reward_range`](Environment::reward_range).
/// - The seed decides everything: states, rewards and the number of random words drawn.
/// - No absorbing state is left or earns a positive reward; there are names for all actions or for
///   none.
/// - Reveals are as frequent as beta says, with a z of 6.
///
/// Findings after the first one of a play are left out.
///
/// # Example
/// An environment that remembers, behind a `Cell`, how often it was asked, is no Markov process.
/// ```
/// use std::cell::Cell;
/// use rand::Rng;
/// use sporadic::check;
/// use sporadic::model::{Action, Environment, gallery};
///
/// struct Tired(Cell<u32>);
///
/// impl Environment for Tired {
///     type Scalar = f64;
///     type State = u32;
///     fn num_actions(&self) -> usize { 1 }
///     fn gamma(&self) -> f64 { 0.9 }
///     fn beta(&self, _: Action) -> f64 { 1.0 }
///     fn reward(&self, _: &u32, _: Action) -> f64 { 0.0 }
///     fn initial<R: Rng + ?Sized>(&self, _: &mut R) -> u32 { 0 }
///     fn next<R: Rng + ?Sized>(&self, _: &u32, _: Action, _: &mut R) -> u32 {
///         self.0.set(self.0.get() + 1);
///         self.0.get()
///     }
/// }
///
/// let findings = check::environment(&Tired(Cell::new(0)), 1, 10);
/// let expected = "episode 0, round 0: action 0 in state 0 led to 1 and, repeated, to ";
/// assert!(findings.as_slice()[0].starts_with(expected));
///
/// check::environment(&gallery::river_swim(6, 0.1, 0.99)?, 1, 10).assert();
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn environment<M>(env: &M, seed: u64, episodes: usize) -> Findings
where
    M: Environment<State: PartialEq + Debug>,
{
    let mut findings = constants(env);
    if findings.is_empty() {
        replay(env, seed, episodes, &mut findings);
        reveals(env, seed, episodes as u64, &mut findings);
    }
    findings
}

fn constants<M: Environment>(env: &M) -> Findings {
    let mut findings = Findings::default();
    let (actions, ages) = (env.num_actions(), env.ages());
    findings.claim(actions > 0, || "the environment has no actions".into());
    if let Err(error) = Discount::new(env.gamma()) {
        findings.add(error.to_string());
    }
    findings.claim((1..=MAX_AGES).contains(&ages), || {
        format!("ages = {ages} is not in 1..={MAX_AGES}")
    });
    for a in 0..actions {
        let last = env.beta(a).as_f64();
        let listed = (1..=ages.min(MAX_AGES) + 1).map(|age| (age, env.beta_at(a, age).as_f64()));
        let wrong = |&(age, beta): &(usize, f64)| {
            !(0.0..=1.0).contains(&beta) || (age >= ages && beta.to_bits() != last.to_bits())
        };
        if !(0.0..=1.0).contains(&last) {
            findings.add(format!("beta = {} of action {a} is not in [0, 1]", Number(last)));
        } else if let Some((age, beta)) = { listed }.find(wrong) {
            let needed = if (0.0..=1.0).contains(&beta) { "beta(a)" } else { "in [0, 1]" };
            let beta = Number(beta);
            findings.add(format!("beta = {beta} of action {a} at age {age} is not {needed}"));
        }
    }
    let (low, high) = env.reward_range();
    let (low, high) = (low.as_f64(), high.as_f64());
    findings.claim(low.is_finite() && high.is_finite() && low <= high, || {
        format!("the reward range [{}, {}] is not a finite interval", Number(low), Number(high))
    });
    let labels = env.action_labels().len();
    findings.claim(labels == 0 || labels == actions, || {
        format!("{labels} names of actions, but {actions} actions")
    });
    findings
}

/// Counts data-bursts by action and age, and compares them with beta.
fn reveals<M: Environment>(env: &M, seed: u64, episodes: u64, findings: &mut Findings) {
    let streams = Streams::new(seed);
    let mut agent = UniformRandom::new(env.num_actions(), streams.agent());
    let mut counts = Counts { env, age: 0, rounds: vec![[0.0; 2]; env.num_actions() * env.ages()] };
    let world = Simulation::new(env, streams).with_max_rounds(MAX_ROUNDS as u64);
    match world.run(0..episodes, &mut agent, &mut counts) {
        Ok(()) | Err(SimulationError::Rounds { .. }) => {}
        Err(error) => findings.add(error.to_string()),
    }
    for (i, [n, seen]) in counts.rounds.into_iter().enumerate() {
        let (a, age) = (i / env.ages(), i % env.ages() + 1);
        let beta = env.beta_at(a, age).as_f64();
        let likely = Z * (n * beta * (1.0 - beta)).sqrt() + Z * Z / 3.0;
        findings.claim((seen - n * beta).abs() <= likely, || {
            let beta = Number(beta);
            format!(
                "action {a} at age {age}: {seen} of {n} rounds were revealed, but beta = {beta}"
            )
        });
    }
}

/// How often each action was taken at each age before the end of an episode, and how often there
/// was a data-burst.
struct Counts<'a, M> {
    env: &'a M,
    age: usize,
    rounds: Vec<[f64; 2]>,
}

impl<M: Environment> Observer<M::State, M::Scalar> for Counts<'_, M> {
    fn step(&mut self, step: &Step<'_, M::State, M::Scalar>) {
        let ages = self.env.ages();
        let at = step.action * ages + self.age.min(ages - 1);
        let burst = matches!(step.observation, Observation::Burst { .. });
        let terminated = matches!(step.observation, Observation::Terminated { .. });
        self.age = if burst || terminated { 0 } else { self.age + 1 };
        self.rounds[at][0] += f64::from(u8::from(!terminated));
        self.rounds[at][1] += f64::from(u8::from(burst));
    }
}
