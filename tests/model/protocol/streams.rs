//! The order of draws, and what follows from each episode having its own stream.

use sporadic::model::{Environment, draw};
use sporadic::sequence::ActionSequence;
use sporadic::simulation::{Observation, Simulation, Streams};

use super::{Log, fixed, log, random, small};

#[test]
fn value_stability() {
    let log = log(&small([0.3, 0.6], 0.8), 11, 3, random(Streams::new(11)));
    let steps = log.steps.iter().map(|(s, a, t, seen)| {
        let seen = match seen {
            Observation::Burst { reward, .. } => format!(" seen {reward},"),
            Observation::Terminated { reward } => format!(" end {reward}\n"),
            Observation::Hidden => ",".into(),
        };
        format!("{s} {a} {t}{seen}")
    });
    insta::assert_snapshot!(steps.collect::<String>(), @"
    1 0 1 end 1
    0 1 1 seen 0,1 0 1 seen 1,1 0 1,1 1 1 seen 1.5,1 0 0 end 1
    0 1 1 seen 0,1 1 0 end 0.5
    ");
}

#[test]
fn draws_come_in_the_documented_order() {
    let model = small([0.3, 0.6], 0.8);
    let log = log(&model, 5, 40, fixed("0(011)"));
    let mut steps = log.steps.iter();
    for k in 0..40 {
        let mut rng = Streams::new(5).world(k);
        let mut state = model.initial(&mut rng);
        let mut h = 0;
        loop {
            let action = "0(011)".parse::<ActionSequence>().unwrap().action(h);
            let next = model.next(&state, action, &mut rng);
            let terminated = draw::uniform(&mut rng) >= 0.8;
            let burst = !terminated && draw::uniform(&mut rng) < model.beta(action);
            let &(s, a, t, seen) = steps.next().unwrap();
            assert_eq!((s, a, t), (state, action, next));
            assert_eq!(seen.is_burst(), burst);
            assert_eq!(matches!(seen, Observation::Terminated { .. }), terminated);
            if terminated {
                break;
            }
            (state, h) = (next, if burst { 0 } else { h + 1 });
        }
    }
    assert!(steps.next().is_none());
}

#[test]
fn threads_that_share_the_episodes_give_one_run() {
    let model = &small([0.3, 0.6], 0.95);
    let whole = log(model, 13, 160, fixed("110(001)"));
    let part = |k: u64| {
        let mut log = Log::default();
        Simulation::new(model, Streams::new(13))
            .run(20 * k..20 * (k + 1), &mut fixed("110(001)"), &mut log)
            .unwrap();
        log
    };
    let parts: Vec<Log> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|k| scope.spawn(move || part(k))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let steps: Vec<_> = parts.iter().flat_map(|log| log.steps.clone()).collect();
    let summaries: Vec<_> = parts.iter().flat_map(|log| log.summaries.clone()).collect();
    assert_eq!((steps, summaries), (whole.steps, whole.summaries));
}

#[test]
fn agents_on_one_seed_meet_the_same_world() {
    let model = small([0.3, 0.6], 0.95);
    let (a, b) = (log(&model, 7, 300, fixed("(1)")), log(&model, 7, 300, random(Streams::new(1))));
    let horizons = |log: &Log| log.summaries.iter().map(|s| s.rounds).collect::<Vec<_>>();
    assert_eq!((a.starts.clone(), horizons(&a)), (b.starts.clone(), horizons(&b)));
    assert_ne!(a.steps, b.steps);
    let other = log(&model, 8, 300, fixed("(1)"));
    assert_ne!(horizons(&a), horizons(&other));
}
