//! What is wrong with a graph, and where in its document.

use accord_contract::Place;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gravity {
    /// The graph cannot be used.
    Error,
    /// It can, and something is likely to go wrong.
    Warning,
}

/// Which end of a member to point at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Its name: the member should not be there.
    Name,
    /// Its value.
    Value,
}

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How bad.
    pub gravity: Gravity,
    /// Where.
    pub place: Place,
    /// Which end of it.
    pub mark: Mark,
    /// What is wrong, and what to do.
    pub message: String,
}

/// More of one gravity than this helps nobody, and a hostile file could make a million.
const MOST: usize = 100;

/// So often a list of names is looked through for what a wrong one was meant to be: a look is quick, and a hostile file could
/// ask for a million.
const MOST_LOOKS: usize = 1_000;

/// All mistakes so far.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    all: Vec<Finding>,
    looks: usize,
}

impl Findings {
    fn push(&mut self, gravity: Gravity, place: Place, mark: Mark, message: String) {
        let known =
            |found: &Finding| found.gravity == gravity && found.place == place && found.message == message;
        // Warnings, however many, never hide an error: a graph without errors is run.
        let count = self.all.iter().filter(|found| found.gravity == gravity).count();
        if count < MOST && !self.all.iter().any(known) {
            self.all.push(Finding { gravity, place, mark, message });
        }
    }

    pub(crate) fn error(&mut self, place: Place, message: impl Into<String>) {
        self.push(Gravity::Error, place, Mark::Value, message.into());
    }

    /// An error of a member that should not be there.
    pub(crate) fn misplaced(&mut self, place: Place, message: impl Into<String>) {
        self.push(Gravity::Error, place, Mark::Name, message.into());
    }

    pub(crate) fn warning(&mut self, place: Place, message: impl Into<String>) {
        self.push(Gravity::Warning, place, Mark::Value, message.into());
    }

    /// How many of so many looks for what was meant are still to be had. They are taken.
    pub(crate) fn looks(&mut self, wanted: usize) -> usize {
        let granted = wanted.min(MOST_LOOKS.saturating_sub(self.looks));
        self.looks += granted;
        granted
    }

    pub(crate) fn into_vec(self) -> Vec<Finding> {
        self.all
    }
}
