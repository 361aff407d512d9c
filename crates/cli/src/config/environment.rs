//! The environment: `ACCORD_SECTION__KEY`, and a few other names.

use std::collections::BTreeMap;
use std::ffi::OsString;

use toml::Value;

use super::origin::{Layers, Origin};
use super::secrets;
use super::values::Values;
use crate::failure::Problem;

const PREFIX: &str = "ACCORD_";

/// Names without a section, and the keys that they mean: two short ones, and two that other tools set.
const ALIASES: &[(&str, &str)] = &[
    ("ACCORD_KEY", "runner.key"),
    ("ACCORD_KEY_FILE", "runner.key_file"),
    ("SCHEMA_ENFORCEMENT_MAX_RETRIES", "enforcement.max_retries"),
    ("SCHEMA_ENFORCEMENT_EXTRACT_JSON", "enforcement.extract_json"),
];

/// A key that takes a boolean or a list.
const BOOLEAN_OR_LIST: &str = "enforcement.extract_json";

/// Reads the variables that are ours.
pub(super) fn read(
    variables: impl Iterator<Item = (OsString, OsString)>,
    layers: &mut Layers,
) -> Result<(), Problem> {
    let defaults = Value::try_from(Values::default()).unwrap_or(Value::Boolean(false));
    let mut read: BTreeMap<String, (String, Value)> = BTreeMap::new();
    for (name, text) in variables {
        let Some(name) = name.to_str() else { continue };
        let Some(key) = key_of(name) else { continue };
        let text = text
            .into_string()
            .map_err(|_| Problem::new(format!("the environment variable {name} is not valid UTF-8")))?;
        let value = typed(&key, like(&defaults, &key), &text).ok_or_else(|| {
            let expected = match like(&defaults, &key) {
                Some(Value::Integer(_)) => "an integer",
                _ => "true or false (or 1/0, yes/no, on/off)",
            };
            Problem::new(format!("invalid value in {name} for {key}: expected {expected}, got '{text}'"))
        })?;
        match read.insert(key.clone(), (name.to_owned(), value.clone())) {
            Some((other, earlier)) if earlier != value => {
                let message = format!("{other} and {name} set {key} to different values");
                return Err(Problem::new(message).hint("remove one of them"));
            }
            _ => layers.set(&key, value, Origin::Variable(name.to_owned())),
        }
    }
    Ok(())
}

/// The key that a variable sets. One without a section (`ACCORD_CODEX_BIN`) is not a setting.
fn key_of(name: &str) -> Option<String> {
    if let Some((_, key)) = ALIASES.iter().find(|(alias, _)| *alias == name) {
        return Some((*key).to_owned());
    }
    let rest = name.strip_prefix(PREFIX)?;
    rest.contains("__").then(|| rest.replace("__", ".").to_ascii_lowercase())
}

fn list(text: &str) -> Value {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    Value::Array(items.map(|item| Value::String(item.to_owned())).collect())
}

fn like<'a>(defaults: &'a Value, key: &str) -> Option<&'a Value> {
    key.split('.').try_fold(defaults, |value, part| value.get(part))
}

/// The text as the type of the key. If the type is unknown (prices of a provider), numbers are read
/// as numbers; a secret is always a string.
fn typed(key: &str, like: Option<&Value>, text: &str) -> Option<Value> {
    match like {
        Some(Value::Integer(_)) => text.trim().parse().ok().map(Value::Integer),
        Some(Value::Boolean(_)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Some(Value::Boolean(true)),
            "false" | "0" | "no" | "off" => Some(Value::Boolean(false)),
            _ => (key == BOOLEAN_OR_LIST).then(|| list(text)),
        },
        Some(Value::Array(_)) => Some(list(text)),
        Some(_) => Some(Value::String(text.to_owned())),
        None if secrets::kind_of(key).is_some() => Some(Value::String(text.to_owned())),
        None => {
            let whole = text.parse().map(Value::Integer);
            let number = whole.or_else(|_| text.parse().map(Value::Float));
            Some(number.unwrap_or_else(|_: std::num::ParseFloatError| Value::String(text.to_owned())))
        }
    }
}
