//! Episodes played twice from the same random numbers.

use std::fmt::Debug;

use rand_pcg::Pcg64;

use super::Findings;
use crate::model::{Action, Environment, draw};
use crate::{Number, Real};

/// The longest episode that [`environment`](super::environment) plays, so that a gamma near 1 does
/// not play for ever.
pub const MAX_ROUNDS: usize = 10_000;

/// Plays each episode twice and compares, until something is wrong. Returns the number of rounds
/// compared.
pub(crate) fn replay<M>(env: &M, seed: u64, episodes: usize, findings: &mut Findings) -> usize
where
    M: Environment<State: PartialEq + Debug>,
{
    let mut world = Pcg64::new(seed.into(), 0);
    let mut actor = Pcg64::new(seed.into(), 1);
    let mut total = 0;
    for episode in 0..episodes {
        let mut repeated = world.clone();
        let actions = draw_actions(env, &mut actor);
        let (first, second) = (play(env, &actions, &mut world), play(env, &actions, &mut repeated));
        let wrong = compare(env, &actions, &first, &second).or_else(|| {
            (world != repeated).then(|| ": repeated, it drew another number of random words".into())
        });
        if let Some(wrong) = wrong {
            findings.add(format!("episode {episode}{wrong}"));
            break;
        }
        total += actions.len();
    }
    total
}

/// The states and rewards of an episode; one more state than rewards.
struct Play<M: Environment> {
    states: Vec<M::State>,
    rewards: Vec<M::Scalar>,
}

fn play<M: Environment>(env: &M, actions: &[Action], rng: &mut Pcg64) -> Play<M> {
    let (mut states, mut rewards) = (vec![env.initial(rng)], Vec::with_capacity(actions.len()));
    for (round, &a) in actions.iter().enumerate() {
        rewards.push(env.reward(&states[round], a));
        states.push(env.next(&states[round], a, rng));
    }
    Play { states, rewards }
}

/// The first difference between two plays, or the first unsound round.
fn compare<M>(env: &M, actions: &[Action], first: &Play<M>, second: &Play<M>) -> Option<String>
where
    M: Environment<State: PartialEq + Debug>,
{
    if first.states[0] != second.states[0] {
        return Some(format!(
            " began in {:?} and, repeated, in {:?}",
            first.states[0], second.states[0]
        ));
    }
    let (low, high) = env.reward_range();
    let number = |x: M::Scalar| Number(x.as_f64());
    for (round, &a) in actions.iter().enumerate() {
        let (s, r, again) = (&first.states[round], first.rewards[round], second.rewards[round]);
        let (next, other) = (&first.states[round + 1], &second.states[round + 1]);
        // Written so that NaN, which compares false, is outside.
        let what = if !(r >= low && r <= high) {
            format!("earns {}, outside [{}, {}]", number(r), number(low), number(high))
        } else if r != again {
            format!("earned {} and, repeated, {}", number(r), number(again))
        } else if next != other {
            format!("led to {next:?} and, repeated, to {other:?}")
        } else if env.is_absorbing(s) && !(env.is_absorbing(next) && r.as_f64() <= 0.0) {
            format!("leads to {next:?} and earns {}, although {s:?} is absorbing", number(r))
        } else {
            continue;
        };
        return Some(format!(", round {round}: action {a} in state {s:?} {what}"));
    }
    None
}

/// The uniform actions of one episode of geometric length.
fn draw_actions<M: Environment>(env: &M, rng: &mut Pcg64) -> Vec<Action> {
    let (n, gamma) = (env.num_actions(), env.gamma().as_f64());
    let mut actions = vec![draw::index(n, rng)];
    while actions.len() < MAX_ROUNDS && draw::bernoulli(gamma, rng) {
        actions.push(draw::index(n, rng));
    }
    actions
}

/// `n` states of a path of uniform actions, which starts again now and then.
pub(super) fn visited<M: Environment>(env: &M, n: usize) -> Vec<M::State> {
    let mut rng = Pcg64::new(1, 2);
    let mut states = Vec::with_capacity(n);
    while states.len() < n {
        let next = match states.last() {
            Some(s) if !states.len().is_multiple_of(50) => {
                let a = draw::index(env.num_actions(), &mut rng);
                env.next(s, a, &mut rng)
            }
            _ => env.initial(&mut rng),
        };
        states.push(next);
    }
    states
}
