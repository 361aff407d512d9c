//! A parsed file: the value, and the line and column of each of its parts.

use std::collections::HashMap;
use std::path::Path;

use accord_api::Problem;
use accord_contract::{Answer, Contract, JsonPath, Meter, Options, Schema, Verdict, judge, locate};
use serde_json::Value;

use crate::finding::{Finding, Mark};
use crate::yaml;

/// How deeply a file may nest: the deepest schema, and the definition around it.
pub(crate) const MAX_DEPTH: usize = accord_contract::limits::MAX_DEPTH + 2;

/// A line and a column, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// The position of a member's value, and of its name if it is not an item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemberPosition {
    pub(crate) name: Option<Position>,
    pub(crate) value: Position,
}

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Yaml,
    Json,
}

impl Format {
    /// The format of a file, by its extension.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// A value, and the file that it was read from, if any.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) value: Value,
    file: Option<String>,
    positions: Positions,
    /// Places with another name in the file: our name, and the name in the file.
    pub(crate) renamed: Vec<(JsonPath, JsonPath)>,
}

#[derive(Debug)]
enum Positions {
    None,
    /// By JSON pointer.
    Yaml(HashMap<String, MemberPosition>),
    /// Looked up in the text when needed.
    Json(String),
}

impl Document {
    /// A value that was not read from a file.
    pub(crate) fn without_file(value: Value) -> Self {
        Self { value, file: None, positions: Positions::None, renamed: Vec::new() }
    }

    pub(crate) fn read(text: &str, format: Format, file: &str, meter: &Meter) -> Result<Self, Problem> {
        let read = match format {
            Format::Yaml => yaml::read(text).map(|(value, positions)| (value, Positions::Yaml(positions))),
            Format::Json => read_json(text, meter).map(|value| (value, Positions::Json(text.to_owned()))),
        };
        match read {
            Ok((value, positions)) => {
                Ok(Self { value, file: Some(file.to_owned()), positions, renamed: Vec::new() })
            }
            Err(error) => Err(error.problem(file)),
        }
    }

    /// A finding with the names of the file, and line and column.
    pub(crate) fn problem(&self, finding: Finding) -> Problem {
        let place = self.as_written(&finding.place);
        let position = self.position(&place, finding.mark);
        Problem {
            severity: finding.severity,
            path: place.path(),
            message: finding.message,
            file: self.file.clone(),
            line: position.map(|position| position.line),
            column: position.map(|position| position.column),
        }
    }

    /// A place by the names of the file.
    pub(crate) fn as_written(&self, place: &JsonPath) -> JsonPath {
        let steps = place.steps();
        let under = |(ours, _): &&(JsonPath, JsonPath)| steps.starts_with(ours.steps());
        let longest = self.renamed.iter().filter(under).max_by_key(|(ours, _)| ours.steps().len());
        match longest {
            Some((ours, theirs)) => {
                let rest = steps.iter().skip(ours.steps().len());
                theirs.steps().iter().chain(rest).cloned().collect()
            }
            None => place.clone(),
        }
    }

    /// The position of a place, or of its nearest ancestor that is in the file.
    fn position(&self, place: &JsonPath, mark: Mark) -> Option<Position> {
        match &self.positions {
            Positions::None => None,
            Positions::Json(text) => {
                let location = locate(text, 0..text.len(), &place.pointer());
                let start = match (mark, &location.key) {
                    (Mark::Name, Some(key)) if location.exact => key.start,
                    _ => location.mark(text).start,
                };
                Some(position_of(text, start))
            }
            Positions::Yaml(positions) => {
                let mut place = place.clone();
                loop {
                    if let Some(position) = positions.get(&place.pointer()) {
                        return Some(position.at(mark));
                    }
                    if place.steps().is_empty() {
                        return None;
                    }
                    place.pop();
                }
            }
        }
    }
}

impl MemberPosition {
    fn at(self, mark: Mark) -> Position {
        match self.name {
            Some(name) if mark == Mark::Name || name.line != self.value.line => name,
            _ => self.value,
        }
    }
}

/// A syntax error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParseError {
    pub(crate) path: String,
    pub(crate) message: String,
    pub(crate) position: Option<Position>,
}

impl ParseError {
    fn problem(self, file: &str) -> Problem {
        Problem {
            severity: accord_api::Severity::Error,
            path: self.path,
            message: self.message,
            file: Some(file.to_owned()),
            line: self.position.map(|position| position.line),
            column: self.position.map(|position| position.column),
        }
    }
}

fn read_json(text: &str, meter: &Meter) -> Result<Value, ParseError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value = serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let reason = message.split(" at line ").next().unwrap_or_default();
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let position = Position { line: number(error.line()), column: number(error.column().max(1)) };
        ParseError {
            path: "$".to_owned(),
            message: format!("invalid JSON: {reason}"),
            position: Some(position),
        }
    })?;
    match duplicate_name(text, meter) {
        Some(error) => Err(error),
        None => Ok(value),
    }
}

/// serde_json keeps the last of two members with the same name; the judge's parser rejects them and gives their location.
fn duplicate_name(text: &str, meter: &Meter) -> Option<ParseError> {
    let anything = Schema::compile(&Value::Bool(true), meter).ok()?;
    let options = Options { strict_json_only: true, ..Options::default() };
    let verdict = judge(&Answer::text(text), &Contract::new(anything).with_options(options), meter);
    let Verdict::Rejected(rejected) = verdict else { return None };
    let first = rejected.violations.errors.into_iter().next()?;
    let start = locate(text, 0..text.len(), &first.pointer).mark(text).start;
    Some(ParseError { path: first.path, message: first.message, position: Some(position_of(text, start)) })
}

fn position_of(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Position { line: number(line), column: number(column) }
}
