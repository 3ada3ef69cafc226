//! Flags made from the parameters of kinds.

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;

use super::failure::Failure;
use crate::kinds::{KindInfo, Parameter, Registry, Table, show, usage};

/// Adds a flag for each parameter of the models, except where the verb has one of that name.
pub(super) fn with_model_flags(command: Command, registry: &Registry) -> Command {
    let infos = registry.model_infos();
    let shared = registry.tabular().override_parameters();
    let owned: Vec<(&str, &Parameter)> = owned(&infos).collect();
    let all = owned.into_iter().chain(shared.iter().map(|p| ("", p)));
    add(command, "model", &all.collect::<Vec<_>>(), registry, "The model")
}

/// Adds a flag for each parameter of the agents; one whose name is taken becomes `--agent-NAME`.
pub(super) fn with_agent_flags(command: Command, registry: &Registry) -> Command {
    let infos = registry.agent_infos();
    add(command, "agent", &owned(&infos).collect::<Vec<_>>(), registry, "The agent")
}

fn owned<'a>(infos: &[&'a KindInfo]) -> impl Iterator<Item = (&'a str, &'a Parameter)> {
    let of =
        |info: &'a KindInfo| info.parameters.iter().map(|p| (info.name, p)).collect::<Vec<_>>();
    infos.iter().flat_map(|info| of(info)).collect::<Vec<_>>().into_iter()
}

fn add(
    mut command: Command,
    what: &str,
    parameters: &[(&str, &Parameter)],
    registry: &Registry,
    heading: &str,
) -> Command {
    let mut done: Vec<&str> = Vec::new();
    for (_, parameter) in parameters {
        if done.contains(&parameter.name) {
            continue;
        }
        done.push(parameter.name);
        let alike: Vec<_> = parameters.iter().filter(|(_, p)| p.name == parameter.name).collect();
        let arg = Arg::new(id(what, parameter.name))
            .long(long(&command, what, parameter))
            .value_name(parameter.placeholder)
            .help(help(&alike, registry))
            .help_heading(format!("{heading}'s parameters"))
            .allow_hyphen_values(true)
            .action(ArgAction::Append);
        command = command.arg(arg);
    }
    command
}

fn id(what: &str, name: &str) -> String {
    format!("{what}.{name}")
}

/// The name of the flag.
fn long(command: &Command, what: &str, parameter: &Parameter) -> String {
    let flag = parameter.flag();
    let taken = command.get_arguments().any(|arg| arg.get_long() == Some(flag.as_str()));
    let reserved = ["help", "version"].contains(&flag.as_str());
    if taken || reserved { format!("{what}-{flag}") } else { flag }
}

/// What the parameter is, which kinds have it, and what it is if left out.
fn help(alike: &[&(&str, &Parameter)], registry: &Registry) -> String {
    // What every model has is described by what it takes for all of them.
    let (_, first) = alike.iter().find(|(kind, _)| kind.is_empty()).unwrap_or(&alike[0]);
    let kinds: Vec<&str> = alike.iter().map(|(kind, _)| *kind).filter(|k| !k.is_empty()).collect();
    let everyone = kinds.len() < alike.len();
    let of = if everyone || kinds.is_empty() {
        String::new()
    } else {
        format!(" ({})", kinds.join(", "))
    };
    let mut defaults: Vec<String> = Vec::new();
    let given = alike.iter().filter_map(|(_, p)| p.default.as_ref());
    for default in given.filter(|value| !value.is_null()).map(show) {
        if !defaults.contains(&default) {
            defaults.push(default);
        }
    }
    if everyone {
        defaults.push("the model's own".into());
    }
    let default = match defaults.as_slice() {
        [] => String::new(),
        list => format!(" [default: {}]", list.join(" or ")),
    };
    let oracles = if first.is_oracle {
        let names: Vec<String> = registry.oracles().infos().map(usage).collect();
        format!(": {}; several joined by + for the best of them", names.join(", "))
    } else {
        String::new()
    };
    format!("{}{of}{oracles}{default}", first.help)
}

/// The parameters that were given for a kind of this name.
pub(super) fn read<'a>(
    matches: &ArgMatches,
    what: &str,
    known: impl IntoIterator<Item = &'a Parameter>,
    everything: impl IntoIterator<Item = &'a Parameter>,
) -> Result<Table, Failure> {
    let known: Vec<&Parameter> = known.into_iter().collect();
    let mut table = Table::new();
    for parameter in everything {
        let id = id(what, parameter.name);
        let given = matches.try_get_many::<String>(&id).ok().flatten();
        let Some(given) = given.filter(|_| !table.contains_key(parameter.name)) else { continue };
        // What a kind and every model have, such as beta, may be written in either's way.
        let mut own: Vec<&Parameter> =
            known.iter().filter(|p| p.name == parameter.name).copied().collect();
        own.push(parameter);
        let mut values: Vec<Value> = Vec::new();
        for text in given {
            let mut ways = own.iter().map(|p| (p.parse)(text));
            let first = ways.next().unwrap_or_else(|| Err("a value".into()));
            let value = first.or_else(|needed| {
                // A list was meant in the way that knows lists, which has most to say of what it needs.
                let list = text.contains([',', ':', '=']);
                ways.try_fold(needed, |needed, way| match way {
                    Ok(value) => Err(value),
                    Err(other) => {
                        Ok(if list && other.len() > needed.len() { other } else { needed })
                    }
                })
                .map_or_else(Ok, Err)
            });
            values.push(value.map_err(|needed| {
                Failure::input(format!("--{} = {text}: must be {needed}", parameter.flag()))
            })?);
        }
        let value = if values.len() == 1 { values.remove(0) } else { Value::Array(values) };
        table.insert(parameter.name.into(), value);
    }
    Ok(table)
}
