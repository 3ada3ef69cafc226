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
    // a0 from s0, seen in s+. The target is .95 times the best of s+, still 1; then optimism: the pair has been
    // measured once, and with the prior and this round 3 of 50 tries are done.
    play(&mut agent, vec![(0, 1.0)], 0, true, 0.0, Next::Seen(1));
    let learnt = 0.1 * 0.95;
    close(agent.tables.plain[0], learnt);
    close(agent.q(0, 0), learnt + (1.0 - learnt) * 47.0 / 50.0);
    assert_eq!(agent.tables.seen.row(0), [(1, 1.0)]);
    assert_eq!(agent.belief, [(1, 1.0)]);
    // a0 from s+ ends with 1, measured: the end is state 4.
    play(&mut agent, vec![(1, 1.0)], 0, true, 1.0, Next::End);
    close(agent.tables.plain[2], 0.1);
    close(agent.q(1, 0), 0.1 + 0.9 * 47.0 / 50.0);
    assert_eq!(agent.tables.seen.row(2), [(4, 1.0)]);
}

#[test]
fn an_unseen_step_by_hand() {
    let mut agent = agent(0.1, DynaAtmqParams { optimistic_tries: 0, ..DynaAtmqParams::default() });
    agent.tables.q = vec![0.9, 0.6, 1.0, 0.5, 0.0, 0.25, 0.0, 0.0];
    agent.tables.plain = agent.tables.q.clone();
    // a1 leads from s0 to s0, and from s- to s0 or s-, each half of ten times.
    (0..10).for_each(|_| agent.tables.seen.add(1, 0, 1.0));
    (0..10).for_each(|i| agent.tables.seen.add(5, 2 * (i % 2), 1.0));
    agent.predicted = vec![(0, 0.75), (2, 0.25)];
    play(&mut agent, vec![(0, 0.5), (2, 0.5)], 1, false, 0.2, Next::Unseen);
    // Half the learning rate each, and each state by its own transitions; the first is updated first.
    close(agent.q(0, 1), 0.95 * 0.6 + 0.05 * (0.2 + 0.95 * 0.9));
    close(agent.q(2, 1), 0.95 * 0.25 + 0.05 * (0.2 + 0.95 * (0.5 * 0.9 + 0.5 * 0.25)));
    // Nothing is counted.
    close(agent.tables.seen.total(1) + agent.tables.seen.total(5), 20.0);
    assert_eq!(agent.belief, [(0, 0.75), (2, 0.25)]);
    // An end that is measured in an uncertain state is counted in parts.
    play(&mut agent, vec![(1, 0.75), (2, 0.25)], 0, true, 1.0, Next::End);
    assert_eq!(
        (agent.tables.seen.row(2), agent.tables.seen.row(4)),
        (&[(4, 0.75)][..], &[(4, 0.25)][..])
    );
}

#[test]
fn a_measurement_is_worth_what_it_saves() {
    let mut agent = agent(0.1, DynaAtmqParams { optimistic_tries: 0, ..DynaAtmqParams::default() });
    // Going on is worth 1 in s+ and 0 in s-; going back .76 in both.
    agent.tables.q = vec![0.8, 0.7, 1.0, 0.76, 0.0, 0.76, 0.0, 0.0];
    agent.tables.plain = agent.tables.q.clone();
    let b = [(1, 0.8), (2, 0.2)];
    assert_eq!(agent.choose(&b), 0);
    close(agent.tables.measuring_value(&b, 0), 0.2 * 0.76);
    close(agent.tables.measuring_value(&b, 1), 0.8 * 0.24);
    // The end of an episode is worth nothing either way.
    close(agent.tables.measuring_value(&[(4, 1.0)], 0), 0.0);
    // What is not learnt yet counts as lost.
    agent.tables.plain[2] = 0.5;
    close(agent.tables.measuring_value(&b, 0), 0.8 * 0.5 + 0.2 * 0.76);
    agent.tables.plain[2] = 1.0;
    // So at a price of .1 it measures after a0, and at .25 it does not.
    for (cost, looks) in [(0.1, true), (0.25, false)] {
        let mut agent =
            DynaAtmq { tables: agent.tables.clone(), ..self::agent(cost, agent.params) };
        (0..80).for_each(|_| agent.tables.seen.add(0, 1, 1.0));
        (0..20).for_each(|_| agent.tables.seen.add(0, 2, 1.0));
        agent.begin_episode(&0);
        assert_eq!(agent.act(&AugmentedState::new(0)), usize::from(looks), "{cost}");
    }
}

#[test]
fn the_law_forgets_its_prior() {
    let mut agent = agent(0.1, DynaAtmqParams::default());
    let mut tables = agent.tables.clone();
    assert_eq!(tables.law(&[(0, 1.0)], 0), [0.2; 5]);
    tables.seen.add(0, 1, 1.0);
    let law = tables.law(&[(0, 1.0)], 0);
    close(law[1], (1.0 + 0.2) / 2.0);
    close(law[4], 0.2 / 2.0);
    (0..7).for_each(|_| tables.seen.add(0, 2, 1.0));
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
    agent.tables.plain = agent.tables.q.clone();
    agent.tables.update_from_model(0, 0, &params);
    close(agent.q(0, 0), 0.5); // never measured
    (0..6).for_each(|_| agent.tables.seen.add(0, 1, 1.0));
    (0..2).for_each(|_| agent.tables.seen.add(0, 2, 1.0));
    agent.tables.count_reward(0, 0, 0.4);
    agent.tables.update_from_model(0, 0, &params);
    close(agent.q(0, 0), 0.9 * 0.5 + 0.1 * (0.4 + 0.95 * (0.75 * 1.0 + 0.25 * 0.25)));
}
