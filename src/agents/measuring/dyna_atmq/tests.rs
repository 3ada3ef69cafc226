use super::*;
use crate::model::gallery;

fn agent(cost: f64, params: DynaAtmqParams) -> DynaAtmq {
    let model = gallery::measuring_value(cost, 0.95).unwrap();
    DynaAtmq::for_model(&model, params, Pcg64::new(1, 1)).unwrap()
}

fn close(x: f64, y: f64) {
    assert!((x - y).abs() < 1e-12, "{x} {y}");
}

/// A round that starts in `belief` with `control`, looks or not, and pays `reward` without the price.
fn play(
    agent: &mut DynaAtmq,
    belief: Belief,
    control: usize,
    looks: bool,
    reward: f64,
    next: Next,
) {
    (agent.belief, agent.control, agent.looks) = (belief, control, looks);
    agent.reward = Some(if looks { reward - agent.controls.price() } else { reward });
    agent.learn(next);
}

#[test]
fn a_measured_step_by_hand() {
    let mut agent = agent(0.1, DynaAtmqParams::default());
    // a0 from s0, seen in s+. The target is .95 times the best of s+, still 1; then optimism: the pair counts
    // as measured 1 (prior) + 1 + 1 times, so 47 of 50 tries are left.
    play(&mut agent, vec![(0, 1.0)], 0, true, 0.0, Next::Seen(1));
    let plain = 0.9 * 1.0 + 0.1 * 0.95;
    close(agent.q(0, 0), plain + (1.0 - plain) * 47.0 / 50.0);
    assert_eq!(agent.tables.seen.row(0), [(1, 1)]);
    assert_eq!(agent.belief, [(1, 1.0)]);
    // a0 from s+ ends with 1, measured: the end is state 4.
    play(&mut agent, vec![(1, 1.0)], 0, true, 1.0, Next::End);
    close(agent.q(1, 0), 1.0);
    assert_eq!(agent.tables.seen.row(2), [(4, 1)]);
}

#[test]
fn an_unseen_step_by_hand() {
    let mut agent = agent(0.1, DynaAtmqParams::default());
    agent.tables.q[2..6].copy_from_slice(&[1.0, 0.5, 0.0, 0.25]);
    agent.predicted = vec![(1, 0.75), (2, 0.25)];
    play(&mut agent, vec![(0, 0.5), (2, 0.5)], 1, false, 0.2, Next::Unseen);
    // Half the learning rate each; no optimism for states that are not known; nothing is counted.
    let target = 0.2 + 0.95 * (0.75 * 1.0 + 0.25 * 0.25);
    close(agent.q(0, 1), 0.95 * 1.0 + 0.05 * target);
    close(agent.q(2, 1), 0.95 * 0.25 + 0.05 * target);
    assert_eq!(agent.tables.seen.total(1) + agent.tables.seen.total(5), 0);
    assert_eq!(agent.belief, [(1, 0.75), (2, 0.25)]);
}

#[test]
fn a_measurement_is_worth_what_it_saves() {
    let mut agent = agent(0.1, DynaAtmqParams { optimistic_tries: 0, ..DynaAtmqParams::default() });
    // Going on is worth 1 in s+ and 0 in s-; going back .76 in both.
    agent.tables.q = vec![0.8, 0.7, 1.0, 0.76, 0.0, 0.76, 0.0, 0.0];
    let b = [(1, 0.8), (2, 0.2)];
    assert_eq!(agent.choose(&b), 0);
    close(agent.tables.measuring_value(&b, 0), 0.2 * 0.76);
    close(agent.tables.measuring_value(&b, 1), 0.8 * 0.24);
    // The end of an episode is worth nothing either way.
    close(agent.tables.measuring_value(&[(4, 1.0)], 0), 0.0);
    // So at a price of .1 it measures after a0, and at .2 it does not.
    for (cost, looks) in [(0.1, true), (0.2, false)] {
        let mut agent =
            DynaAtmq { tables: agent.tables.clone(), ..self::agent(cost, agent.params) };
        (0..80).for_each(|_| agent.tables.seen.add(0, 1));
        (0..20).for_each(|_| agent.tables.seen.add(0, 2));
        agent.begin_episode(&0);
        assert_eq!(agent.act(&AugmentedState::new(0)), usize::from(looks), "{cost}");
    }
}

#[test]
fn the_law_forgets_its_prior() {
    let mut agent = agent(0.1, DynaAtmqParams::default());
    let mut tables = agent.tables.clone();
    assert_eq!(tables.law(&[(0, 1.0)], 0), [0.2; 5]);
    tables.seen.add(0, 1);
    let law = tables.law(&[(0, 1.0)], 0);
    close(law[1], (1.0 + 0.2) / 2.0);
    close(law[4], 0.2 / 2.0);
    (0..7).for_each(|_| tables.seen.add(0, 2));
    assert_eq!(tables.law(&[(0, 1.0)], 0), [0.0, 0.125, 0.875, 0.0, 0.0]);
    agent.tables = tables;
    let predicted = agent.predict(&[(0, 1.0)], 0);
    assert_eq!(predicted.iter().map(|(s, _)| *s).collect::<Vec<_>>(), [1, 2]);
    close(predicted.iter().map(|(_, p)| p).sum(), 1.0);
}

#[test]
fn an_update_from_the_model_by_hand() {
    let params = DynaAtmqParams { optimistic_tries: 0, ..DynaAtmqParams::default() };
    let mut agent = agent(0.1, params);
    agent.tables.q = vec![0.5, 0.5, 1.0, 0.5, 0.25, 0.0, 0.0, 0.0];
    agent.tables.update_from_model(0, 0, &params);
    close(agent.q(0, 0), 0.5); // never measured
    (0..6).for_each(|_| agent.tables.seen.add(0, 1));
    (0..2).for_each(|_| agent.tables.seen.add(0, 2));
    agent.tables.count_reward(0, 0, 0.4);
    agent.tables.update_from_model(0, 0, &params);
    close(agent.q(0, 0), 0.9 * 0.5 + 0.1 * (0.4 + 0.95 * (0.75 * 1.0 + 0.25 * 0.25)));
}
