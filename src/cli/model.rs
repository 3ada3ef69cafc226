//! The model that a command is about.

use std::path::Path;

use clap::ArgMatches;

use super::failure::Failure;
use super::flags;
use crate::experiment::Entry;
use crate::kinds::{ModelFault, Registry, Table, no_kind};
use crate::model::Tabular;
use crate::sequence::ActionSequence;

/// A model by name or file; its parameters are flags that the registry describes.
#[derive(Debug, clap::Args)]
pub(crate) struct ModelArgs {
    /// A model file (.json, .toml; - reads standard input), or the name of a model
    #[arg(value_name = "MODEL")]
    model: String,
    #[arg(skip)]
    parameters: Table,
}

impl ModelArgs {
    /// Reads the flags of the model's parameters.
    pub(crate) fn read_flags(
        &mut self,
        matches: &ArgMatches,
        registry: &Registry,
    ) -> Result<(), Failure> {
        let infos = registry.model_infos();
        let shared = registry.tabular().override_parameters();
        let own = infos.iter().filter(|info| info.name == self.model);
        let known = own.flat_map(|info| &info.parameters).chain(shared);
        let everything = infos.iter().flat_map(|info| &info.parameters).chain(shared);
        self.parameters = flags::read(matches, "model", known, everything)?;
        Ok(())
    }

    /// The model with its parameters, as a specification would have it.
    pub(crate) fn entry(&self) -> Entry {
        Entry { kind: self.model.clone(), parameters: self.parameters.clone() }
    }

    /// The model, which must be tabular.
    pub(crate) fn build(&self, registry: &Registry) -> Result<Tabular<f64>, Failure> {
        let realm = registry.tabular();
        let refuse = |fault: ModelFault| match fault {
            ModelFault::Parameter(fault) => Failure::parameter(&fault, &self.model),
            ModelFault::Build(fault) => Failure::input(fault),
        };
        if !realm.has_model(&self.model) {
            return Err(Failure::parameter(&no_kind("model", &self.model, realm.models()), ""));
        }
        let worlds = realm.read_worlds(&self.model, &self.parameters, Path::new(""));
        let mut worlds = worlds.map_err(refuse)?;
        match (worlds.pop(), worlds.is_empty()) {
            (Some(world), true) => Ok((*world.world).clone()),
            _ => {
                Err(Failure::input("this verb takes one model, but a parameter has several values"))
            }
        }
    }
}

/// The finite family that a text names.
pub(crate) fn family(
    text: &str,
    num_actions: usize,
    registry: &Registry,
) -> Result<Vec<ActionSequence>, Failure> {
    let oracle = registry.oracles().resolve(&text.into());
    let oracle = oracle.map_err(|fault| Failure::parameter(&fault.within("family"), ""))?;
    let family = oracle.family(num_actions).map_err(Failure::input)?;
    family.ok_or_else(|| {
        Failure::input(format!(
            "{text} is a search over all sequences, where a finite family is needed"
        ))
    })
}
