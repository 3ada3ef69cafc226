//! `sporadic export`.

use crate::planning::pomdp;

use crate::cli::failure::Failure;
use crate::cli::model::ModelArgs;
use crate::cli::output;
use crate::kinds::Registry;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sporadic export river-swim --beta 0.2 --to toml > mine.toml
  sporadic export mine.toml --to pomdp > mine.pomdp")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// The format: a model file, or Cassandra's .pomdp
    #[arg(long, value_name = "FORMAT")]
    to: To,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum To {
    Pomdp,
    Json,
    Toml,
}

pub(crate) fn run(args: &Args, registry: &Registry) -> Result<(), Failure> {
    let model = args.model.build(registry)?;
    output::file(&match args.to {
        To::Pomdp => pomdp::export(&model),
        To::Json => model.to_json().map_err(Failure::input)?,
        To::Toml => model.to_toml().map_err(Failure::input)?,
    })
}
