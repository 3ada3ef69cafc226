//! The check of agents.

use rand_pcg::Pcg64;

use super::record::{Episode, Record, Watch, play};
use super::{Findings, agree};
use crate::agents::Agent;
use crate::model::{Environment, draw};
use crate::simulation::Simulation;
use crate::{Fault, Number, Real};

/// After how many episodes, drawn at random, the agent is saved, besides after the first.
const MOMENTS: usize = 3;

/// Checks an agent by playing the first `episodes` episodes of a simulation, with several agents
/// that `make` makes, all with the same arguments and the same seed.
///
/// - It plays to the end: actions are legal, the feedback is enough for it, it reports no fault.
/// - Two agents play alike.
/// - An agent that is watched plays like one that is not: its [`policy`](Agent::policy) and
///   [`certificate`](Agent::certificate) are asked for, and it is saved.
/// - It plays the policy that it shows, at every sighting; its certificate is that of the sequence
///   played first, and has no upper bound below the value.
/// - If it has a [`memory`](Agent::memory), an agent that is restored after one episode, or after
///   one of three random numbers of episodes, plays on like the one that was saved, and then saves
///   the same. What no agent has written is refused.
///
/// # Example
/// ```
/// use sporadic::agents::UniformRandom;
/// use sporadic::check;
/// use sporadic::model::gallery;
/// use sporadic::simulation::{Simulation, Streams};
/// let (swim, streams) = (gallery::river_swim::<f64>(6, 0.5, 0.9)?, Streams::new(1));
/// let world = Simulation::new(&swim, streams);
/// check::agent(&world, 20, || UniformRandom::new(2, streams.agent())).assert();
/// # Ok::<(), sporadic::model::ModelError>(())
/// ```
pub fn agent<M, A>(world: &Simulation<'_, M>, episodes: usize, make: impl Fn() -> A) -> Findings
where
    M: Environment,
    A: Agent<M::State, M::Scalar>,
{
    let mut findings = Findings::default();
    if let Err(error) = examine(world, episodes, &make, &mut findings) {
        findings.add(error.to_string());
    }
    findings
}

fn examine<M, A>(
    world: &Simulation<'_, M>,
    episodes: usize,
    make: &impl Fn() -> A,
    findings: &mut Findings,
) -> Result<(), Fault>
where
    M: Environment,
    A: Agent<M::State, M::Scalar>,
{
    let record = play(world, 0..episodes, &mut make())?;
    let compare = |other: &Record<M::State>, from: usize, how: &str| {
        let differs =
            |(x, y): (&Episode<_>, &Episode<_>)| !x.iter().map(|s| &s.1).eq(y.iter().map(|s| &s.1));
        let at = record.0[from..].iter().zip(&other.0).position(differs);
        at.map(|k| format!("{how}, it plays episode {} differently", from + k))
    };
    let twin = play(world, 0..episodes, &mut make())?;
    findings.0.extend(compare(&twin, 0, "made again with the same seed"));

    let mut rng = Pcg64::new(1, 7);
    let mut moments = vec![1];
    moments.extend((0..MOMENTS).map(|_| 1 + draw::index(episodes.saturating_sub(1), &mut rng)));
    let (mut agent, mut saved) = (make(), Vec::new());
    let mut watch = Watch { record: &record, watched: Record(Vec::new()), wrong: None };
    for k in 0..episodes {
        let episode = k as u64;
        world.run(episode..episode + 1, &mut agent, &mut watch)?;
        if moments.contains(&(k + 1)) || k + 1 == episodes {
            let _ = agent.policy();
            if let Some(choice) = agent.certificate() {
                let (value, bound) = (choice.value, choice.upper_bound);
                findings.claim(value <= bound || agree(value, bound), || {
                    let (value, bound) = (Number(value.as_f64()), Number(bound.as_f64()));
                    let what = "the certificate has the value";
                    format!("episode {k}: {what} {value}, above its bound {bound}")
                });
                let played = record.0[k].first().map_or(&[][..], |segment| &segment.1);
                findings.claim(choice.sequence.iter().zip(played).all(|(x, y)| x == *y), || {
                    format!(
                        "episode {k}: the certificate is of {}, but {played:?} was played",
                        choice.sequence
                    )
                });
            }
            if let Some(memory) = agent.memory() {
                saved.push((k + 1, memory.save()?));
            }
        }
    }
    findings.0.extend(watch.wrong);
    findings.0.extend(compare(&watch.watched, 0, "watched"));

    let Some((_, last)) = saved.pop() else { return Ok(()) };
    for (from, text) in saved {
        let mut agent = make();
        let how = format!("restored after {from} episodes");
        let save = |agent: &mut A| agent.memory().ok_or("it has no memory any more")?.save();
        agent
            .memory()
            .ok_or("it has no memory any more")?
            .restore(&text)
            .map_err(|error| format!("{how}: {error}"))?;
        findings
            .claim(save(&mut agent)? == text, || format!("{how}, it saves something else at once"));
        let rest = play(world, from..episodes, &mut agent)?;
        findings.0.extend(compare(&rest, from, &how));
        findings.claim(save(&mut agent)? == last, || {
            format!("{how}, it saves something else at the end")
        });
    }
    let refused =
        make().memory().is_none_or(|memory| memory.restore("no agent wrote this").is_err());
    findings.claim(refused, || "it restores what no agent has written".into());
    Ok(())
}
