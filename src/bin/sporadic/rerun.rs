//! The command that runs a group again.

use sporadic::experiment::{AgentChoice, Line, Summary};

/// The commands that run an experiment again: one for the paper's figure, else one per group.
pub(crate) fn commands(summary: &Summary) -> Vec<String> {
    match summary.groups.first() {
        Some(line) if summary.name == "reproduce" => {
            vec![format!("sporadic reproduce --episodes {} --seeds {}", line.episodes, line.seeds)]
        }
        _ => summary.groups.iter().map(|line| command(line, summary.seed)).collect(),
    }
}

fn command(line: &Line, seed: u64) -> String {
    let mut words = vec!["sporadic learn".to_owned(), word(&line.world.model)];
    let mut set = |name: &str, value: Option<String>| {
        words.extend(value.map(|value| format!("--{name} {}", word(&value))));
    };
    let number = |value: Option<f64>| value.map(|value| value.to_string());
    set("beta", number(line.world.beta));
    set("gamma", number(line.world.gamma));
    set("states", line.world.states.map(|states| states.to_string()));
    set("cost", number(line.world.cost));
    set("agent", Some(line.agent.kind().into()));
    set("oracle", line.agent.oracle().map(|oracle| oracle.to_string()));
    for (name, value) in parameters(&line.agent) {
        set(name, Some(value));
    }
    set("episodes", Some(line.episodes.to_string()));
    set("points", Some(line.points.to_string()));
    set("seeds", Some(line.seeds.to_string()));
    set("seed", Some(seed.to_string()));
    set("out", Some("DIR".into()));
    words.join(" ")
}

/// What else the agent was given.
fn parameters(agent: &AgentChoice) -> Vec<(&'static str, String)> {
    match agent {
        AgentChoice::LsviUcb { horizon, lambda, rho, beyond, .. } => vec![
            ("horizon", horizon.to_string()),
            ("lambda", lambda.to_string()),
            ("rho", rho.to_string()),
            ("beyond", beyond.to_string()),
        ],
        AgentChoice::EpsilonGreedy { horizon, lambda, epsilon, beyond, .. } => vec![
            ("horizon", horizon.to_string()),
            ("lambda", lambda.to_string()),
            ("epsilon", epsilon.to_string()),
            ("beyond", beyond.to_string()),
        ],
        AgentChoice::OneStep { horizon, lambda, rho } => vec![
            ("horizon", horizon.to_string()),
            ("lambda", lambda.to_string()),
            ("rho", rho.to_string()),
        ],
        AgentChoice::Fixed { sequence } => vec![("sequence", sequence.to_string())],
        _ => Vec::new(),
    }
}

/// A word for the shell, quoted where it must be.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,".contains(c);
    if text.chars().all(plain) { text.into() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
