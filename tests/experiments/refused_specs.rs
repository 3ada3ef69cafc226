//! Specifications that are refused: the error names the place, the value, and what was probably meant.
//! Sizes without sense are among them, and nothing is allocated before they are refused.

use sporadic::experiment::Spec;

use crate::experiment::registry;

/// Head, model and agent of a specification, with `;` between lines; empty where nothing is wrong.
const REFUSED: &[[&str; 3]] = &[
    // What is no specification.
    ["episodes = ", "", ""],
    ["seeds = 1", "", ""],
    ["episodes = 5; episode = 6", "", ""],
    ["episodes = 'many'", "", ""],
    ["episodes = -5", "", ""],
    ["episodes = 5; seeds = 0", "", ""],
    // Sizes.
    ["episodes = 9223372036854775807", "", ""],
    ["episodes = 5; seeds = 1000000000", "", ""],
    ["episodes = 5; seeds = 9223372036854775807", "", ""],
    ["episodes = 5; points = 9223372036854775807", "", ""],
    ["episodes = 1000000; points = 1000000; seeds = 100", "", ""],
    // Models.
    ["", "'river-swing'", ""],
    ["", "'lake'", ""],
    ["", "'river-swim'; price = 3", ""],
    ["", "'river-swim'; beta = 'often'", ""],
    ["", "'river-swim'; beta = {upp = 0.3}", ""],
    ["", "'river-swim'; beta = []", ""],
    ["", "'river-swim'; beta = [0.5, 1.5]", ""],
    ["", "'river-swim'; beta = [0.5, 0.5]", ""],
    ["", "'river-swim'; gamma = [0.9, 0.9999999999]", ""],
    ["", "'river-swim'; states = 9223372036854775807", ""],
    ["", "'river-swim'; states = 20000", "'lsvi-ucb'"],
    ["", "'river-swim'; states = 20000", "'one-step'"],
    ["", "'sensing-cost'; cost = 1e308", ""],
    // Agents.
    ["", "", "'unifrom'"],
    ["", "", "'sarsa'"],
    ["", "", "3"],
    ["", "", "'uniform'; [[agents]]; rho = 3"],
    ["", "", "'uniform'; [[agents]]; agent = 'uniform'"],
    ["", "", "'uniform'; rho = 3"],
    ["", "'drift'", "'lsvi-ucb'"],
    ["", "", "'uniform'; [[agents]]; agent = 'lsvi-ucb'; rho = [1, -1]"],
    ["", "", "'lsvi-ucb'; rho = -1e308"],
    ["", "", "'lsvi-ucb'; rho = nan"],
    ["", "", "'lsvi-ucb'; rho = 'big'"],
    ["", "", "'lsvi-ucb'; lambda = 1e-400"],
    ["", "", "'lsvi-ucb'; horizom = 3"],
    ["", "", "'lsvi-ucb'; horizon = 4000000000"],
    ["", "", "'lsvi-ucb'; horizon = 4000000000; oracle = 'beam:2,2'"],
    ["", "", "'one-step'; horizon = 1"],
    ["", "", "'one-step'; rho = [1, 2, 1]"],
    ["", "", "'epsilon-greedy'; epsilon = nan"],
    ["", "", "'fixed'"],
    ["", "", "'fixed'; sequence = ['(0)', '(7)']"],
    ["", "", "'win-more'; threshold = []"],
    // Oracles.
    ["", "", "'lsvi-ucb'; oracle = 'crystal'"],
    ["", "", "'lsvi-ucb'; oracle = 'baem:3,4'"],
    ["", "", "'lsvi-ucb'; oracle = 'beam:3'"],
    ["", "", "'lsvi-ucb'; oracle = {oracle = 'beam', widht = 3}"],
    ["", "", "'epsilon-greedy'; oracle = 'beam:3,4'"],
    ["", "", "'lsvi-ucb'; oracle = 'words:40'"],
    ["", "", "'class-optimal'; oracle = 'runs:100000,1'"],
];

fn refusal(spec: &str) -> String {
    let expand = |spec: Spec| spec.expand(&registry(), ".".as_ref());
    Spec::from_toml(spec).and_then(expand).unwrap_err().to_string()
}

#[test]
fn mistakes_are_named() {
    let lines = REFUSED.iter().map(|row| {
        let [head, model, agent] = *row;
        let or = |text: &'static str, usual| if text.is_empty() { usual } else { text };
        let head = or(head, "episodes = 5");
        let (model, agent) = (or(model, "'river-swim'"), or(agent, "'uniform'"));
        let spec = format!("{head}\n[[models]]\nmodel = {model}\n[[agents]]\nagent = {agent}\n");
        format!("{}\n    {}\n", row.concat(), refusal(&spec.replace("; ", "\n")))
    });
    insta::assert_snapshot!(lines.collect::<String>());
}

#[test]
fn a_grid_is_counted_before_it_is_made() {
    // 1000^6 agents: the lists are short, the product is not.
    let list = |make: &dyn Fn(usize) -> String| (0..1000).map(make).collect::<Vec<_>>().join(", ");
    let (numbers, whole) = (list(&|i| format!("0.{:03}", i + 1)), list(&|i| (i + 2).to_string()));
    let fault = refusal(&format!(
        "episodes = 5\n[[models]]\nmodel = 'river-swim'\nbeta = [{numbers}]\n\
         gamma = [{numbers}]\n[[agents]]\nagent = 'lsvi-ucb'\nhorizon = [{whole}]\n\
         lambda = [{numbers}]\nrho = [{numbers}]\n"
    ));
    let expected = "agents[0]: 1000000000 combinations of values, above the limit of 100000";
    assert!(fault.starts_with(expected), "{fault}");
}
