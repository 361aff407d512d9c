//! Layers of values, and where each came from.

use std::collections::BTreeMap;
use std::fmt;
use std::iter::successors;

use accord_domain::nearest;
use serde::Deserialize as _;
use toml::{Table, Value};

use super::secrets;
use super::values::Values;
use crate::failure::Problem;

/// The table whose names are models.
const PRICES: &str = "prices";

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Not set.
    Default,
    File(String),
    Variable(String),
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File(name) | Self::Variable(name) => formatter.write_str(name),
            Self::Flag(name) => formatter.write_str(name),
        }
    }
}

/// Values as they are put over each other.
#[derive(Debug, Default)]
pub(crate) struct Layers {
    table: Table,
    origins: BTreeMap<String, Origin>,
}

/// Where the values came from that are not defaults.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origins(BTreeMap<String, Origin>);

impl Layers {
    /// Sets one value by its dotted key.
    pub(crate) fn set(&mut self, key: &str, value: Value, origin: Origin) {
        self.set_at(&key.split('.').collect::<Vec<_>>(), value, origin);
    }

    /// Sets one value by the names of its tables and its own, which may have dots: `providers."llama.cpp".base_url`.
    fn set_at(&mut self, path: &[&str], value: Value, origin: Origin) {
        let Some((last, tables)) = path.split_last() else { return };
        let mut table = &mut self.table;
        for part in tables {
            let entry = table.entry((*part).to_owned()).or_insert_with(|| Value::Table(Table::new()));
            if !entry.is_table() {
                *entry = Value::Table(Table::new());
            }
            let Value::Table(inner) = entry else { return };
            table = inner;
        }
        table.insert((*last).to_owned(), value);
        let key = path.join(".");
        // What stood inside of it is gone.
        self.origins.retain(|name, _| !is_inside(name, &key));
        self.origins.insert(key, origin);
    }

    /// Sets every value of a table.
    pub(crate) fn set_all(&mut self, table: Table, origin: &Origin) {
        self.set_inside(&[], table, origin);
    }

    fn set_inside(&mut self, outer: &[&str], table: Table, origin: &Origin) {
        for (name, value) in table {
            let path: Vec<&str> = outer.iter().copied().chain([name.as_str()]).collect();
            match value {
                // An empty table is a value too: its name may be a mistake.
                Value::Table(inner)
                    if !inner.is_empty()
                        && (outer.is_empty() || name != "headers")
                        && (!outer.is_empty() || name != PRICES) =>
                {
                    self.set_inside(&path, inner, origin);
                }
                value => {
                    // The names of headers and models may have dots, so they are set together; each has its origin still.
                    let names = value.as_table().into_iter().flat_map(Table::keys);
                    let names: Vec<String> = names.map(|name| format!("{}.{name}", path.join("."))).collect();
                    self.set_at(&path, value, origin.clone());
                    self.origins.extend(names.into_iter().map(|name| (name, origin.clone())));
                }
            }
        }
    }

    /// What set the value at a key: a setting inside of it, itself, or the nearest one around it.
    fn blamed(&self, key: &str) -> Option<&Origin> {
        let inside = self.origins.iter().find(|(name, _)| is_inside(name, key)).map(|(_, origin)| origin);
        let mut around = successors(Some(key), |key| Some(key.rsplit_once('.')?.0));
        inside.or_else(|| around.find_map(|key| self.origins.get(key)))
    }

    /// The values, or what is wrong with them.
    pub(crate) fn finish(mut self) -> Result<(Values, Origins), Problem> {
        let mut path = serde_path_to_error::Track::new();
        let table = Value::Table(std::mem::take(&mut self.table));
        let deserializer = serde_path_to_error::Deserializer::new(table, &mut path);
        let result = Values::deserialize(deserializer);
        let key = path.path().to_string();
        match result {
            Ok(values) => Ok((values, Origins(self.origins))),
            Err(error) => {
                let origin = self.blamed(&key).map(|origin| format!(" (from {origin})")).unwrap_or_default();
                // The reader's words repeat the value.
                Err(match secrets::kind_of(&key) {
                    Some(kind) => Problem::new(format!("invalid setting {key}{origin}: expected {kind}")),
                    None => refused(&key, &origin, error.message()),
                })
            }
        }
    }
}

/// The problem of a setting, with the nearest known name if it was mistyped.
fn refused(key: &str, origin: &str, message: &str) -> Problem {
    let mut names = message.split('`').skip(1).step_by(2);
    let given = names.next().unwrap_or_default();
    let known: Vec<&str> = names.collect();
    let section = key.rsplit_once('.').map(|(section, _)| format!("{section}.")).unwrap_or_default();
    if message.starts_with("unknown field ") {
        let problem = Problem::new(format!("unknown setting {key}{origin}"));
        return match nearest(given, known.iter().copied()) {
            Some(name) => problem.hint(format!("did you mean {section}{name}?")),
            None => {
                let known: Vec<String> = known.iter().map(|name| format!("{section}{name}")).collect();
                problem.hint(format!("expected one of {}", known.join(", ")))
            }
        };
    }
    let problem = Problem::new(format!("invalid setting {key}{origin}: {}", told(message)));
    match nearest(given, known.iter().copied()) {
        Some(name) if message.starts_with("unknown variant ") => {
            problem.hint(format!("did you mean '{name}'?"))
        }
        _ => problem,
    }
}

/// The reader's error for a value of the wrong type, without the names of types in this program.
fn told(message: &str) -> String {
    let parts = message.strip_prefix("invalid ").and_then(|rest| {
        let (found, wanted) = rest.rsplit_once(", expected ")?;
        Some((found.split_once(": ")?.1, wanted))
    });
    let Some((found, wanted)) = parts else { return message.to_owned() };
    let found = match found.split_once(' ') {
        Some(("string", text)) => format!("the string {text}"),
        _ if found == "map" => "a table".to_owned(),
        _ if found == "sequence" => "a list".to_owned(),
        // Numbers and booleans follow the name of their type.
        _ => found.split('`').nth(1).unwrap_or(found).to_owned(),
    };
    let wanted = match wanted {
        "u32" => format!("an integer from 0 to {}", u32::MAX),
        "u64" => "an integer, 0 or more".to_owned(),
        "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "a table".to_owned(),
        _ if wanted.starts_with("struct ") => "a table".to_owned(),
        _ => wanted.to_owned(),
    };
    format!("expected {wanted}, got {found}")
}

fn is_inside(name: &str, key: &str) -> bool {
    name.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'))
}

impl Origins {
    /// Where a value came from.
    pub(crate) fn of(&self, key: &str) -> Origin {
        self.0.get(key).cloned().unwrap_or(Origin::Default)
    }

    /// Every value in force with its key and where it came from; secrets hidden.
    pub(crate) fn explain(&self, values: &Values) -> Vec<(String, String, Origin)> {
        let mut lines = Vec::new();
        if let Ok(Value::Table(table)) = Value::try_from(values) {
            self.flatten("", &table, &mut lines);
        }
        lines
    }

    fn flatten(&self, prefix: &str, table: &Table, lines: &mut Vec<(String, String, Origin)>) {
        for (name, value) in table {
            let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            if let Value::Table(inner) = value {
                self.flatten(&key, inner, lines);
                continue;
            }
            let origin = match key.strip_prefix(PRICES).is_some() {
                true => self.of(prefix),
                false => self.of(&key),
            };
            let text = secrets::shown(&key, value);
            lines.push((key, text, origin));
        }
    }
}
