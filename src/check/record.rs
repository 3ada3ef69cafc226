//! What an agent has played.

use std::ops::Range;

use crate::Fault;
use crate::agents::{Agent, Segment};
use crate::model::{Action, Environment};
use crate::sequence::BurstPolicy;
use crate::simulation::{Observer, Simulation};

/// Plays, and stops at a fault.
pub(super) fn play<M, A>(
    world: &Simulation<'_, M>,
    episodes: Range<usize>,
    agent: &mut A,
) -> Result<Record<M::State>, Fault>
where
    M: Environment,
    A: Agent<M::State, M::Scalar>,
{
    let mut record = Record(Vec::new());
    for k in episodes {
        let episode = k as u64;
        world.run(episode..episode + 1, agent, &mut record)?;
        if let Some(fault) = agent.fault() {
            return Err(format!("episode {k}: {fault}").into());
        }
    }
    Ok(record)
}

/// The state that each segment of an episode starts in, and its actions.
pub(super) type Episode<S> = Vec<(S, Vec<Action>)>;

/// The episodes of a play.
pub(super) struct Record<S>(pub(super) Vec<Episode<S>>);

impl<S: Clone, T> Observer<S, T> for Record<S> {
    fn episode_start(&mut self, _: u64, _: &S) {
        self.0.push(Vec::new());
    }

    fn segment(&mut self, _: u64, segment: &Segment<S, T>) {
        if let Some(episode) = self.0.last_mut() {
            episode.push((segment.start().clone(), segment.actions().to_vec()));
        }
    }
}

/// Records again, and compares the policies shown with an earlier record.
pub(super) struct Watch<'a, S> {
    pub(super) record: &'a Record<S>,
    pub(super) watched: Record<S>,
    pub(super) wrong: Option<String>,
}

impl<S: Clone, T> Observer<S, T> for Watch<'_, S> {
    fn episode_start(&mut self, episode: u64, start: &S) {
        Observer::<S, T>::episode_start(&mut self.watched, episode, start);
    }

    fn policy(&mut self, k: u64, policy: &dyn BurstPolicy<S>) {
        let played = self.record.0.get(self.watched.0.len() - 1).into_iter().flatten();
        for (i, (s, actions)) in played.enumerate() {
            if self.wrong.is_some() {
                return;
            }
            let u = i + 1;
            let shown = policy.covers(s).then(|| policy.sequence(u, s));
            self.wrong = match shown {
                None => Some("does not cover a state that is seen".to_owned()),
                Some(shown) if shown.iter().zip(actions).any(|(x, y)| x != *y) => {
                    Some(format!("shows {shown}, but {actions:?} is played"))
                }
                Some(shown)
                    if u > policy.horizon() && shown != policy.sequence(policy.horizon(), s) =>
                {
                    Some(format!(
                        "shows another sequence than at its horizon, {}",
                        policy.horizon()
                    ))
                }
                Some(_) => None,
            }
            .map(|wrong| format!("episode {k}, sighting {u}: the policy {wrong}"));
        }
    }

    fn segment(&mut self, episode: u64, segment: &Segment<S, T>) {
        self.watched.segment(episode, segment);
    }
}
