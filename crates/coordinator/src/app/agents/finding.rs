//! What was found wrong with a blueprint, before it is known where in a file that stands.

use accord_api::Severity;
use accord_contract::{Place, SchemaError, Step};

/// Which end of a member to point at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) enum Mark {
    /// Its name: the member should not be there.
    Name,
    /// Its value, or its name where the value takes several lines.
    Value,
}

/// One mistake.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) struct Finding {
    pub(in crate::app) severity: Severity,
    pub(in crate::app) place: Place,
    pub(in crate::app) mark: Mark,
    pub(in crate::app) message: String,
}

/// All mistakes so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    all: Vec<Finding>,
    /// How many of the errors are of schemas that do not compile.
    of_schemas: usize,
}

/// More of one severity than this helps nobody, and a hostile file could make a million.
const MOST: usize = 100;

impl Findings {
    pub(super) fn push(&mut self, finding: Finding) {
        // Warnings, however many, never hide an error: an agent without errors is used.
        let count = self.all.iter().filter(|known| known.severity == finding.severity).count();
        if count < MOST {
            self.all.push(finding);
        }
    }

    /// An error, unless there is one at this place already: what follows from a mistake is not another.
    pub(super) fn error(&mut self, place: Place, message: impl Into<String>) {
        if !self.has_error_at(&place) {
            let message = message.into();
            self.push(Finding { severity: Severity::Error, place, mark: Mark::Value, message });
        }
    }

    pub(super) fn warning(&mut self, place: Place, message: impl Into<String>) {
        let message = message.into();
        self.push(Finding { severity: Severity::Warning, place, mark: Mark::Value, message });
    }

    /// A warning inside of a place.
    pub(super) fn warning_within(&mut self, at: &Place, inner: &Place, message: impl Into<String>) {
        self.warning(at.steps().iter().chain(inner.steps()).cloned().collect(), message);
    }

    /// A schema that does not compile, at its place in the blueprint.
    pub(super) fn schema(&mut self, at: &Place, error: &SchemaError) {
        let before = self.all.len();
        self.error(beneath(at, &error.pointer), error.message.clone());
        self.of_schemas += self.all.len() - before;
    }

    pub(super) fn has_error_at(&self, place: &Place) -> bool {
        self.all.iter().any(|finding| finding.severity == Severity::Error && finding.place == *place)
    }

    /// Whether something inside of this place is wrong.
    pub(super) fn has_error_beneath(&self, place: &Place) -> bool {
        let is_error = |finding: &&Finding| finding.severity == Severity::Error;
        self.all.iter().filter(is_error).any(|finding| finding.place.steps().starts_with(place.steps()))
    }

    pub(super) fn has_errors(&self) -> bool {
        self.all.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// The first error, where all errors are of schemas that do not compile.
    pub(super) fn only_of_schemas(&self) -> Option<&Place> {
        let mut errors = self.all.iter().filter(|finding| finding.severity == Severity::Error);
        let first = errors.next()?;
        (self.of_schemas == 1 + errors.count()).then_some(&first.place)
    }

    pub(super) fn into_vec(self) -> Vec<Finding> {
        self.all
    }
}

/// A place below another, by JSON pointer. A name that is a number is taken for an index: schemas have lists and hardly
/// any such names.
fn beneath(at: &Place, pointer: &str) -> Place {
    let mut place = at.clone();
    for token in pointer.split('/').skip(1) {
        let name = token.replace("~1", "/").replace("~0", "~");
        place.push(match name.parse() {
            Ok(index) => Step::Index(index),
            Err(_) => Step::Key(name),
        });
    }
    place
}
