//! A blueprint's document: the value, and where each of its parts stands in the file.

use std::collections::HashMap;

use accord_api::Problem;
use accord_contract::{Answer, Contract, Options, Place, Schema, Verdict, judge, locate};
use serde_json::Value;

use super::finding::{Finding, Mark};
use super::yaml;

/// How deeply a file may nest: a schema of the deepest kind, and the blueprint around it.
pub(super) const MAX_DEPTH: usize = accord_contract::limits::MAX_DEPTH + 2;

/// A line and a column, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: u32,
    pub(super) column: u32,
}

/// Where a part stands: its name, where it has one, and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) name: Option<Position>,
    pub(super) value: Position,
}

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// YAML.
    Yaml,
    /// JSON.
    Json,
}

/// A value and where it came from.
#[derive(Debug)]
pub(in crate::app) struct Document {
    pub(in crate::app) value: Value,
    file: Option<String>,
    positions: Positions,
    /// Places that people know by another name: what we call it, what the file calls it.
    pub(super) renamed: Vec<(Place, Place)>,
}

#[derive(Debug)]
enum Positions {
    None,
    Spots(HashMap<String, Spot>),
    Text(String),
}

impl Document {
    /// A value that came by itself, and not in a file.
    pub(in crate::app) fn plain(value: Value) -> Self {
        Self { value, file: None, positions: Positions::None, renamed: Vec::new() }
    }

    /// Reads a file's text.
    pub(in crate::app) fn read(text: &str, format: Format, file: &str) -> Result<Self, Problem> {
        let read = match format {
            Format::Yaml => yaml::read(text).map(|(value, spots)| (value, Positions::Spots(spots))),
            Format::Json => read_json(text).map(|value| (value, Positions::Text(text.to_owned()))),
        };
        match read {
            Ok((value, positions)) => {
                Ok(Self { value, file: Some(file.to_owned()), positions, renamed: Vec::new() })
            }
            Err(fault) => Err(fault.problem(file)),
        }
    }

    /// A finding as people are told of it: by the names of the file, with line and column.
    pub(in crate::app) fn problem(&self, finding: Finding) -> Problem {
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
    pub(super) fn as_written(&self, place: &Place) -> Place {
        let steps = place.steps();
        let under = |(ours, _): &&(Place, Place)| steps.starts_with(ours.steps());
        let longest = self.renamed.iter().filter(under).max_by_key(|(ours, _)| ours.steps().len());
        match longest {
            Some((ours, theirs)) => {
                let rest = steps.iter().skip(ours.steps().len());
                theirs.steps().iter().chain(rest).cloned().collect()
            }
            None => place.clone(),
        }
    }

    /// The position of a place, or of the nearest around it that is in the file.
    fn position(&self, place: &Place, mark: Mark) -> Option<Position> {
        match &self.positions {
            Positions::None => None,
            Positions::Text(text) => {
                let location = locate(text, 0..text.len(), &place.pointer());
                let start = match (mark, &location.key) {
                    (Mark::Name, Some(key)) if location.exact => key.start,
                    _ => location.mark(text).start,
                };
                Some(position_of(text, start))
            }
            Positions::Spots(spots) => {
                let mut place = place.clone();
                loop {
                    if let Some(spot) = spots.get(&place.pointer()) {
                        return Some(spot.at(mark));
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

impl Spot {
    fn at(self, mark: Mark) -> Position {
        match self.name {
            Some(name) if mark == Mark::Name || name.line != self.value.line => name,
            _ => self.value,
        }
    }
}

/// Why a file cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) path: String,
    pub(super) message: String,
    pub(super) position: Option<Position>,
}

impl Fault {
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

fn read_json(text: &str) -> Result<Value, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value = serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let words = message.split(" at line ").next().unwrap_or_default();
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let position = Position { line: number(error.line()), column: number(error.column().max(1)) };
        Fault { path: "$".to_owned(), message: format!("invalid JSON: {words}"), position: Some(position) }
    })?;
    match name_given_twice(text) {
        Some(fault) => Err(fault),
        None => Ok(value),
    }
}

/// The parser takes the last of two members of one name; which one was meant, nobody knows. The judge's parser refuses
/// that, and says where.
fn name_given_twice(text: &str) -> Option<Fault> {
    let anything = Schema::compile(&Value::Bool(true)).ok()?;
    let options = Options { strict_json_only: true, ..Options::default() };
    let verdict = judge(&Answer::text(text), &Contract::new(anything).with_options(options));
    let Verdict::Rejected(rejected) = verdict else { return None };
    let first = rejected.violations.errors.into_iter().next()?;
    let start = locate(text, 0..text.len(), &first.pointer).mark(text).start;
    Some(Fault { path: first.path, message: first.message, position: Some(position_of(text, start)) })
}

fn position_of(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Position { line: number(line), column: number(column) }
}
