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

/// More than this helps nobody, and a hostile file could make a million.
const MOST: usize = 100;

/// All mistakes so far.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<Finding>);

impl Findings {
    fn push(&mut self, gravity: Gravity, place: Place, mark: Mark, message: String) {
        let known =
            |found: &Finding| found.gravity == gravity && found.place == place && found.message == message;
        if self.0.len() < MOST && !self.0.iter().any(known) {
            self.0.push(Finding { gravity, place, mark, message });
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

    pub(crate) fn into_vec(self) -> Vec<Finding> {
        self.0
    }
}
