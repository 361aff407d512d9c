//! Layers of values, and where each came from.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize as _;
use toml::{Table, Value};

use super::values::Values;
use crate::failure::Problem;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Nobody set it.
    Default,
    /// This file.
    File(String),
    /// This variable.
    Variable(String),
    /// This flag.
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
        let mut table = &mut self.table;
        let mut parts = key.split('.').peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                table.insert(part.to_owned(), value);
                break;
            }
            let entry = table.entry(part.to_owned()).or_insert_with(|| Value::Table(Table::new()));
            if !entry.is_table() {
                *entry = Value::Table(Table::new());
            }
            let Value::Table(inner) = entry else { break };
            table = inner;
        }
        self.origins.insert(key.to_owned(), origin);
    }

    /// Sets every value of a table.
    pub(crate) fn set_all(&mut self, prefix: &str, table: Table, origin: &Origin) {
        for (name, value) in table {
            let key = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
            match value {
                // An empty table is a value too: its name may be a mistake.
                Value::Table(inner) if !inner.is_empty() && !key.ends_with(".headers") => {
                    self.set_all(&key, inner, origin)
                }
                value => self.set(&key, value, origin.clone()),
            }
        }
    }

    /// The values, or what is wrong with them.
    pub(crate) fn finish(self) -> Result<(Values, Origins), Problem> {
        let mut path = serde_path_to_error::Track::new();
        let deserializer = serde_path_to_error::Deserializer::new(Value::Table(self.table), &mut path);
        let result = Values::deserialize(deserializer);
        let key = path.path().to_string();
        match result {
            Ok(values) => Ok((values, Origins(self.origins))),
            Err(error) => {
                let origin =
                    self.origins.get(&key).map(|origin| format!(" (from {origin})")).unwrap_or_default();
                let message = format!("the setting {key}{origin} cannot be used: {}", error.message());
                Err(Problem::new(message).hint("accord doctor lists every setting that there is"))
            }
        }
    }
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
            let text = match value {
                Value::String(text) if is_secret(&key) && !text.is_empty() => HIDDEN.to_owned(),
                Value::String(text) if text.contains("://") => format!("{:?}", without_secrets(text)),
                value => value.to_string(),
            };
            let origin = self.of(&key);
            lines.push((key, text, origin));
        }
    }
}

/// What stands where a secret is.
const HIDDEN: &str = "(hidden)";

fn is_secret(key: &str) -> bool {
    key == "runner.key" || key.contains(".headers.")
}

/// An address as it may be shown: without a password, and without the values of its query, which may be keys.
pub(crate) fn without_secrets(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let authority = match authority.rsplit_once('@') {
        Some((user, host)) => match user.split_once(':') {
            Some((user, _)) => format!("{user}:{HIDDEN}@{host}"),
            None => authority.to_owned(),
        },
        None => authority.to_owned(),
    };
    let Some((path, query)) = rest.split_once('?') else { return format!("{scheme}://{authority}{rest}") };
    let hide = |pair: &str| match pair.split_once('=') {
        Some((name, _)) => format!("{name}={HIDDEN}"),
        None => HIDDEN.to_owned(),
    };
    let query: Vec<String> = query.split('&').map(hide).collect();
    format!("{scheme}://{authority}{path}?{}", query.join("&"))
}
