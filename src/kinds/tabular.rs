//! What may be changed about every tabular model: reveal probabilities and the discount factor.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::info::{closest, did_you_mean};
use super::model::ModelFault;
use super::parameter::{Parameter, ParameterError, ParameterType, Table, show};
use super::realm::Overrides;
use crate::Number;
use crate::experiment::limits::MAX_VALUE;
use crate::model::{Reveal, Tabular};

/// Reveal probabilities: one for all actions, or some by the names of their actions. Each is a number or, if it
/// depends on the age of the last sighting, the text of a [`Reveal`]. A list in a specification is a
/// grid, so a list of one number per age is written as text too, or as a list in a list.
struct Betas(Value);

/// What is accepted for one reveal probability.
const NEEDED: &str = "a number, one number per age as in 0,0,0.5, or one of every:K, at-least:K:B, dead-time:K:B and recovering:K:B; by action: --beta look=0.3, in a specification { look = 0.3 }";

/// One reveal probability as it is written down: a number, or a text.
fn one(value: &Value) -> Result<Value, String> {
    match value {
        Value::Number(_) => Ok(value.clone()),
        Value::String(text) => {
            if let Ok(beta) = text.trim().parse::<f64>() {
                return Ok(beta.into());
            }
            text.parse::<Reveal<f64>>().map_err(|_| NEEDED.to_owned())?;
            Ok(text.trim().into())
        }
        Value::Array(list) if !list.is_empty() && list.iter().all(Value::is_number) => {
            Ok(list.iter().map(show).collect::<Vec<_>>().join(",").into())
        }
        _ => Err(NEEDED.to_owned()),
    }
}

/// The reveal probabilities that a value stands for.
fn reveal(value: &Value) -> Reveal<f64> {
    match value {
        Value::String(text) => text.parse().unwrap_or(Reveal::constant(f64::NAN)),
        _ => Reveal::constant(value.as_f64().unwrap_or(f64::NAN)),
    }
}

impl ParameterType for Betas {
    const PLACEHOLDER: &'static str = "B";

    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Object(table) => {
                let entry = |(name, value): (&String, &Value)| Ok((name.clone(), one(value)?));
                let table: Result<Table, String> = table.iter().map(entry).collect();
                Ok(Self(table?.into()))
            }
            _ => one(value).map(Self),
        }
    }

    /// `0.1`, or `0,0,0.5`, or `look=0.3`, or `look=0,0,0.5,run=every:5`.
    fn parse(text: &str) -> Result<Self, String> {
        if !text.contains('=') {
            return one(&text.into()).map(Self);
        }
        let needed = || "a number, or ACTION=NUMBER".to_owned();
        let mut table = Table::new();
        let mut last: Option<String> = None;
        for part in text.split(',') {
            // What has no name belongs to the list before it.
            if let Some((name, beta)) = part.rsplit_once('=') {
                let name = name.trim().to_owned();
                table.insert(name.clone(), beta.trim().into());
                last = Some(name);
            } else {
                let list = last.as_ref().and_then(|name| table.get_mut(name));
                let Some(Value::String(list)) = list else { return Err(needed()) };
                list.push(',');
                list.push_str(part.trim());
            }
        }
        for beta in table.values_mut() {
            *beta = one(beta).map_err(|_| needed())?;
        }
        Ok(Self(table.into()))
    }

    fn write(&self) -> Value {
        self.0.clone()
    }
}

pub(super) fn overrides() -> Overrides<Tabular<f64>> {
    let beta =
        "The reveal probability of every action, or of one: look=0.3; by age: 0,0,0.5 or every:5";
    Overrides {
        parameters: vec![
            Parameter::of::<Betas>("beta", beta, None),
            Parameter::of::<f64>("gamma", "The discount factor", None),
        ],
        apply,
        read,
        check,
    }
}

/// The text of standard input, once it has been read.
static STDIN: Mutex<Option<String>> = Mutex::new(None);

fn read(path: &Path) -> Result<Tabular<f64>, ModelFault> {
    let fail = |fault: crate::model::FileError| ModelFault::Build(fault.into());
    if path != Path::new("-") && !path.ends_with("-") {
        return Tabular::from_path(path).map_err(fail);
    }
    // Read once and kept: several variants of the model are made from the same text.
    let mut known = STDIN.lock().unwrap_or_else(PoisonError::into_inner);
    let text = match &*known {
        Some(text) => text,
        None => {
            let text = std::io::read_to_string(std::io::stdin());
            known.insert(text.map_err(|fault| ModelFault::Build(fault.into()))?)
        }
    };
    // JSON starts with a brace, which TOML never does.
    let is_json = text.trim_start().starts_with('{');
    if is_json { Tabular::from_json(text) } else { Tabular::from_toml(text) }.map_err(fail)
}

fn apply(mut model: Tabular<f64>, table: &Table) -> Result<Tabular<f64>, ModelFault> {
    if let Some(gamma) = table.get("gamma") {
        let gamma = f64::read(gamma).map_err(|e| ParameterError::new("gamma", show(gamma), e))?;
        model = model.with_gamma(gamma).map_err(|fault| ModelFault::Build(fault.into()))?;
    }
    let Some(beta) = table.get("beta") else { return Ok(model) };
    let beta =
        Betas::read(beta).map_err(|needed| ParameterError::new("beta", show(beta), needed))?;
    let mut betas = model.schedule().reveals();
    match &beta.0 {
        Value::Object(some) => {
            for (name, beta) in some {
                let known = model.action_names();
                let action = known.iter().position(|known| known == name);
                let by_number = name.parse().ok().filter(|&a: &usize| a < known.len());
                let action = action.or(by_number).ok_or_else(|| {
                    let meant = did_you_mean(closest(name, known.iter().map(String::as_str)));
                    let needed = format!("by the name of an action: {}{meant}", known.join(", "));
                    ParameterError::new("beta", format!("{name}={beta}"), needed)
                })?;
                betas[action] = reveal(beta);
            }
        }
        all => betas.fill(reveal(all)),
    }
    model.with_reveals(betas).map_err(|fault| ModelFault::Build(fault.into()))
}

/// Refuses a model whose values, max abs(r) / (1 - gamma), are too large to compute with.
fn check(model: &Tabular<f64>) -> Result<(), ModelFault> {
    let pairs = (0..model.num_states()).flat_map(|s| (0..model.num_actions()).map(move |a| (s, a)));
    let size = |&(s, a): &(usize, usize)| model.reward(s, a).abs();
    let Some((s, a)) = pairs.max_by(|x, y| size(x).total_cmp(&size(y))) else { return Ok(()) };
    let (reward, gamma) = (model.reward(s, a), model.gamma());
    let value = reward.abs() / (1.0 - gamma);
    if value <= MAX_VALUE {
        return Ok(());
    }
    let message = format!(
        "the reward {} of action {:?} in state {:?} is too large: with gamma = {} values may be as large as {}, \
         above the limit of {}",
        Number(reward),
        model.action_names()[a],
        model.state_names()[s],
        Number(gamma),
        Number(value),
        Number(MAX_VALUE)
    );
    Err(ParameterError::Refused { place: String::new(), message }.into())
}
