//! Mistakes in a graph, with their location in the document.

use accord_contract::{JsonPath, Meter};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gravity {
    /// The graph cannot be used.
    Error,
    /// The graph can be used, but something is likely to go wrong.
    Warning,
}

/// Which part of a field to point at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Its name: the field should not be there.
    Name,
    Value,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub gravity: Gravity,
    pub place: JsonPath,
    /// Which part of the field.
    pub mark: Mark,
    /// What is wrong, and what to do.
    pub message: String,
}

/// Findings of one severity beyond this number are dropped: a hostile file could cause a million.
const MOST: usize = 100;

/// How often a list of names is searched for the nearest one: a hostile file could ask for a million searches.
const MOST_LOOKS: usize = 1_000;

/// What was found so far, and what looking for more may cost.
#[derive(Debug)]
pub(crate) struct Findings<'m> {
    all: Vec<Finding>,
    looks: usize,
    pub(crate) meter: &'m Meter,
}

impl<'m> Findings<'m> {
    pub(crate) fn new(meter: &'m Meter) -> Self {
        Self { all: Vec::new(), looks: 0, meter }
    }

    fn push(&mut self, gravity: Gravity, place: JsonPath, mark: Mark, message: String) {
        let known =
            |found: &Finding| found.gravity == gravity && found.place == place && found.message == message;
        // Warnings, however many, never hide an error: a graph without errors is run.
        let count = self.all.iter().filter(|found| found.gravity == gravity).count();
        if count < MOST && !self.all.iter().any(known) {
            self.all.push(Finding { gravity, place, mark, message });
        }
    }

    pub(crate) fn error(&mut self, place: JsonPath, message: impl Into<String>) {
        self.push(Gravity::Error, place, Mark::Value, message.into());
    }

    /// An error about a field that should not be there.
    pub(crate) fn misplaced(&mut self, place: JsonPath, message: impl Into<String>) {
        self.push(Gravity::Error, place, Mark::Name, message.into());
    }

    pub(crate) fn warning(&mut self, place: JsonPath, message: impl Into<String>) {
        self.push(Gravity::Warning, place, Mark::Value, message.into());
    }

    /// Takes up to `wanted` searches from the budget, and returns how many are granted.
    pub(crate) fn looks(&mut self, wanted: usize) -> usize {
        let granted = wanted.min(MOST_LOOKS.saturating_sub(self.looks));
        self.looks += granted;
        granted
    }

    /// All of them. A document that takes too much to check cannot be used.
    pub(crate) fn into_vec(mut self) -> Vec<Finding> {
        if let Err(exceeded) = self.meter.check() {
            let message =
                format!("the workflow cannot be checked: {exceeded}; make it or its schemas smaller");
            self.error(JsonPath::root(), message);
        }
        self.all
    }
}
