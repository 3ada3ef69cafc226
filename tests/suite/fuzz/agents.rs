//! Damaged agents: what they have saved, changed at random, is refused or played on with.

use sporadic::experiment::{Experiment, Learner, Spec, build};
use sporadic::simulation::Simulation;

use super::{attack, cases, one_line};

/// Every agent that saves something, in a small world.
fn all() -> Experiment {
    let spec = "episodes = 20\nseeds = 1\n[[models]]\nmodel = 'river-swim'\nstates = 3\nbeta = 0.5\ngamma = 0.8\n\
        [[agents]]\nagent = 'lsvi-ucb'\nhorizon = 6\noracle = ['words:2', 'beam:2,2', 'branch-and-bound:0.5,20']\n\
        [[agents]]\nagent = 'epsilon-greedy'\nhorizon = 6\noracle = 'words:2'\n\
        [[agents]]\nagent = 'one-step'\nhorizon = 6\n\
        [[agents]]\nagent = 'certainty-equivalence'\noracle = 'words:2'\n\
        [[agents]]\nagent = 'uniform'\n[[agents]]\nagent = 'fixed'\nsequence = '(1)'\n";
    Spec::from_toml(spec).unwrap().expand(".".as_ref()).unwrap()
}

fn agent(all: &Experiment, i: usize) -> Box<dyn Learner> {
    build(&all.jobs()[i].cell, &all.jobs()[i].model).unwrap()
}

fn play(all: &Experiment, i: usize, episodes: std::ops::Range<u64>, agent: &mut dyn Learner) {
    let job = &all.jobs()[i];
    let world = Simulation::new(&*job.model, job.cell.streams());
    world.run(episodes, agent, &mut ()).unwrap();
}

#[test]
fn saved_agents() {
    let all = all();
    let saved: Vec<String> = (0..all.jobs().len())
        .map(|i| {
            let mut agent = agent(&all, i);
            play(&all, i, 0..8, &mut *agent);
            agent.save().unwrap().expect("something to save")
        })
        .collect();
    let names: Vec<String> = all.jobs().iter().map(|job| job.id.clone()).collect();
    attack(
        "saved agents",
        cases(400),
        move |m| {
            let i = m.below(saved.len());
            format!("{i}|{}", m.text(&saved[i]))
        },
        move |input| {
            let (i, text) = input.split_once('|').unwrap();
            let i: usize = i.parse().unwrap();
            let mut agent = agent(&all, i);
            if one_line(agent.restore(text)).is_none() {
                // An agent that has refused is as it was.
                play(&all, i, 0..1, &mut *agent);
                return false;
            }
            play(&all, i, 8..11, &mut *agent);
            let again = one_line(agent.save()).unwrap_or_else(|| panic!("{}", names[i]));
            one_line(agent.check());
            again.is_some()
        },
    );
}
