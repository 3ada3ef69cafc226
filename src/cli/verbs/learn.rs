//! `sporadic learn`.

use std::path::PathBuf;

use clap::ArgMatches;

use crate::cli::failure::Failure;
use crate::cli::flags;
use crate::cli::guidance;
use crate::cli::model::ModelArgs;
use crate::cli::workbench::{RunArgs, report};
use crate::experiment::{Entry, Group, Shard, Spec, SpecError};
use crate::kinds::{NamedWorld, Registry, Site, Table};
use crate::simulation::{Ending, Feedback, Regret, Setting, Simulation};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sporadic learn river-balance --gamma 0.95 --beta 0.2 --beta 0.5 --episodes 1000 --out run
  sporadic learn river-balance --gamma 0.9 --psi online --oracle adaptive --episodes 500 --out all
  sporadic learn river-balance --gamma 0.9 --beta every:5 --episodes 500 --out clock
  sporadic learn sensing-cost --oracle words:4 --rho 0.1 --rho 1 --episodes 500 --out looks
  sporadic learn sensing-cost --oracle beam:2,6 --rho 0.1 --episodes 100 --seeds 2 --out search
  sporadic learn measuring-value --agent fixed --sequence '(a0+look)' --out fixed

Families of sequences for --oracle: words:L has any L actions, of which the last is repeated; runs:P,L has 1 to P times an \
action b, then for ever 0 to L times another action c and 0 to L times b; periodic:P,L has any prefix of at most P actions and \
any period of at most L. The others search among all sequences. runs:5,10 has 1012 sequences for two actions, 3033 for three: with more \
actions begin with words:3.

Without --horizon it is 1 / (1 - gamma), the mean number of rounds of an episode, but from 10 to 1000; \
without --rho it is R / (2 (1 - gamma)), half the largest value there may be, where R is the largest reward, or 1 if \
rewards leave [0, 1] and are rescaled. For gamma = 0.99 and rewards in [0, 1] that is the paper's 100 and 50.

A flag of the model or the agent that is given several times makes a curve for each of its values. The folder \
gets curves.csv, summary.json, figures and report.html. Stopped at any moment, the same command continues \
where it was.")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The agent
    #[arg(long, value_name = "NAME", default_value = "lsvi-ucb")]
    agent: String,
    #[arg(skip)]
    parameters: Table,
    /// How many episodes
    #[arg(long, value_name = "K", default_value_t = 5000)]
    episodes: u64,
    /// How many runs
    #[arg(long, value_name = "N", default_value_t = 5)]
    seeds: u64,
    /// The seed that all runs are derived from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many points of a curve are kept
    #[arg(long, value_name = "N", default_value_t = 200)]
    points: u64,
    /// Which rewards the agent is shown: at-sightings or every-round [default: the least that the
    /// agent can learn from]
    #[arg(long, value_name = "WHEN")]
    feedback: Option<Feedback>,
    /// When episodes end: discounted, or absorbing:N for undiscounted episodes that end in absorbing states or
    /// after N steps
    #[arg(long, value_name = "WHEN", default_value_t)]
    ending: Ending,
    #[command(flatten)]
    run: RunArgs,
    /// The folder for the results
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, registry: &Registry) -> Result<(), Failure> {
    args.run.check()?;
    // Refused before anything is said about picks.
    let feedback = args.feedback(registry);
    args.spec(args.parameters.clone(), feedback)
        .expand(registry, "".as_ref())
        .map_err(|fault| refuse(&fault))?;
    let model = args.model.entry();
    let parameters =
        guidance::pick(registry, &args.agent, &args.parameters, &model.kind, &model.parameters);
    let plan = args
        .spec(parameters, feedback)
        .expand(registry, "".as_ref())
        .map_err(|fault| refuse(&fault))?;
    guidance::tell_all(&plan.advice());
    args.run.run(&plan, Shard::default(), &args.out)?;
    let outcome = report(&args.out, args.json)?;
    guidance::tell_all(&guidance::remarks(&outcome, |group| args.first_value(group, registry)));
    Ok(())
}

/// In the words of the command line: there is one model and one agent.
fn refuse(fault: &SpecError) -> Failure {
    let text = fault.to_string();
    let places = [
        ("agents[0] in models[0]: ", ""),
        ("agents[0].", "--"),
        ("models[0].", "--"),
        ("agents[0]: ", ""),
        ("models[0]: ", ""),
    ];
    Failure::input(places.iter().fold(text, |text, (from, to)| text.replace(from, to)))
}

impl Args {
    /// Reads the flags of the model's and the agent's parameters.
    pub(crate) fn read_flags(
        &mut self,
        matches: &ArgMatches,
        registry: &Registry,
    ) -> Result<(), Failure> {
        self.model.read_flags(matches, registry)?;
        let infos = registry.agent_infos();
        let known = infos.iter().filter(|info| info.name == self.agent);
        let known = known.flat_map(|info| &info.parameters);
        let everything = infos.iter().flat_map(|info| &info.parameters);
        self.parameters = flags::read(matches, "agent", known, everything)?;
        Ok(())
    }

    /// The value of the policy that the agent of a group plays in its first episode.
    fn first_value(&self, group: &Group, registry: &Registry) -> Option<f64> {
        let (model, realm) = (self.model.entry(), registry.tabular());
        let worlds = realm.read_worlds(&model.kind, &model.parameters, "".as_ref()).ok()?;
        let is_world = |world: &&NamedWorld<_>| world.parameters == group.cell.world.parameters;
        let world = &*worlds.iter().find(is_world)?.world;
        let (cell, streams) = (&group.cell, group.cell.streams());
        let site =
            Site::new(world, streams, cell.episodes, registry.oracles()).with_setting(cell.setting);
        let parameters = &cell.agent.parameters;
        let mut agent = realm.build_agent(&cell.agent.name, parameters, &site).ok()?;
        let mut regret = Regret::of(world)?.with_mean_start().without_history();
        Simulation::new(world, streams)
            .with_setting(cell.setting)
            .run(0..1, &mut agent, &mut regret)
            .ok()?;
        regret.last_value()
    }

    /// The feedback asked for, or else the least with which the agent can be run.
    fn feedback(&self, registry: &Registry) -> Feedback {
        let runs = |feedback| {
            let spec = self.spec(self.parameters.clone(), feedback);
            spec.expand(registry, "".as_ref()).is_ok()
        };
        let least = self.feedback.is_none() && !runs(Feedback::AtSightings);
        if least && runs(Feedback::EveryRound) {
            let name = &self.agent;
            guidance::tell_all(&[format!(
                "{name} learns from the reward of every round: picked --feedback every-round"
            )]);
            return Feedback::EveryRound;
        }
        self.feedback.unwrap_or_default()
    }

    fn spec(&self, parameters: Table, feedback: Feedback) -> Spec {
        Spec {
            name: "learn".into(),
            episodes: self.episodes,
            seeds: self.seeds,
            seed: self.seed,
            points: self.points,
            setting: Setting { feedback, ending: self.ending },
            models: vec![self.model.entry()],
            agents: vec![Entry { kind: self.agent.clone(), parameters }],
        }
    }
}
