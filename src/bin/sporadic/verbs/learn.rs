//! `sporadic learn`.

use std::path::PathBuf;

use sporadic::experiment::{AgentGrid, Beyond, ModelGrid, Oracle, Shard, Spec, SpecError, Values};
use sporadic::sequence::ActionSequence;

use crate::failure::Failure;
use crate::model::ModelArgs;
use crate::workbench::{RunArgs, report};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sporadic learn river-balance --beta 0.2 --episodes 1000 --out run
  sporadic learn mine.toml --oracle words:6 --rho 30 --seeds 10 --out run
  sporadic learn river-swim --gamma 0.9 --horizon 20 --oracle beam:8,20 --episodes 99 --out run
  sporadic learn river-swim --agent fixed --sequence '(1)' --out run

The folder gets curves.csv, summary.json, figures and report.html. Stopped at any moment, the same
command continues where it was.")]
pub(crate) struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// The agent: lsvi-ucb, epsilon-greedy, one-step, certainty-equivalence, class-optimal, optimal, fixed, uniform
    #[arg(long, value_name = "NAME", default_value = "lsvi-ucb")]
    agent: String,
    /// Where sequences come from: runs:P,L, periodic:P,L, words:L or, for lsvi-ucb, a search, beam:W,D or branch-and-bound:GAP[,PREFIXES] [default: runs:5,10]
    #[arg(long, value_name = "NAME")]
    oracle: Option<Oracle>,
    /// How many episodes
    #[arg(long, value_name = "K", default_value_t = 5000)]
    episodes: u64,
    /// H, the number of sightings planned for [default: 100]
    #[arg(long, value_name = "H")]
    horizon: Option<usize>,
    /// lambda, the regulariser [default: 0.01]
    #[arg(long, value_name = "L", allow_hyphen_values = true)]
    lambda: Option<f64>,
    /// rho, the size of the bonus [default: 50]
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    rho: Option<f64>,
    /// How often `epsilon-greedy` plays a random sequence [default: 0.1]
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    epsilon: Option<f64>,
    /// What is played from the H-th sighting on: constant, reuse-last, reuse-first [default: reuse-first]
    #[arg(long, value_name = "NAME", value_parser = parse_beyond)]
    beyond: Option<Beyond>,
    /// The sequence of the agent `fixed`
    #[arg(long, value_name = "SEQUENCE")]
    sequence: Option<ActionSequence>,
    /// How many runs
    #[arg(long, value_name = "N", default_value_t = 5)]
    seeds: u64,
    /// The seed that all runs are derived from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many points of a curve are kept
    #[arg(long, value_name = "N", default_value_t = 200)]
    points: u64,
    #[command(flatten)]
    run: RunArgs,
    /// The folder for the results
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

fn parse_beyond(text: &str) -> Result<Beyond, String> {
    [Beyond::Constant, Beyond::ReuseLast, Beyond::ReuseFirst]
        .into_iter()
        .find(|beyond| beyond.to_string() == text)
        .ok_or_else(|| "not one of constant, reuse-last, reuse-first".into())
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    args.run.check()?;
    let experiment = args.spec().expand("".as_ref()).map_err(|fault| refuse(&fault))?;
    args.run.run(&experiment, Shard::default(), &args.out)?;
    report(&args.out, args.json)
}

/// In the words of the command line: there is one model and one agent.
fn refuse(fault: &SpecError) -> Failure {
    let words = fault.to_string().replace("agents[0].", "--");
    let words = words.strip_prefix("models[0]: ").unwrap_or(&words);
    Failure::input(words.replace("models[0]", "the model"))
}

impl Args {
    fn spec(&self) -> Spec {
        fn values<T>(value: Option<T>) -> Values<T> {
            Values(value.into_iter().collect())
        }
        let world = self.model.world();
        Spec {
            name: "learn".into(),
            episodes: self.episodes,
            seeds: self.seeds,
            seed: self.seed,
            points: self.points,
            models: vec![ModelGrid {
                model: world.model,
                beta: values(world.beta),
                gamma: values(world.gamma),
                states: values(world.states),
                cost: values(world.cost),
            }],
            agents: vec![AgentGrid {
                agent: self.agent.clone(),
                oracle: values(self.oracle),
                horizon: values(self.horizon),
                lambda: values(self.lambda),
                rho: values(self.rho),
                epsilon: values(self.epsilon),
                beyond: values(self.beyond),
                sequence: values(self.sequence.clone()),
            }],
        }
    }
}
