//! Mistakes and warnings, before their lines and columns are known.

use accord_api::{Problem, Severity};
use accord_contract::{JsonPath, Meter, SchemaError, Step};

/// Which part of a member a finding points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Its name, because the member should not be there.
    Name,
    /// Its value, or its name if the value starts on another line.
    Value,
}

/// A mistake or a warning.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    pub(crate) place: JsonPath,
    pub(crate) mark: Mark,
    pub(crate) message: String,
}

/// A warning about something that is not in a file.
pub fn warning(place: &JsonPath, message: String) -> Problem {
    Problem { severity: Severity::Warning, path: place.path(), message, file: None, line: None, column: None }
}

/// All findings so far, and what looking for more may cost.
#[derive(Debug)]
pub(crate) struct Findings<'m> {
    pub(crate) meter: &'m Meter,
    all: Vec<Finding>,
    /// How many errors are of schemas that do not compile.
    schema_errors: usize,
}

/// Maximum findings of one severity, because a hostile file could cause a million.
const MAX_OF_ONE_SEVERITY: usize = 100;

impl<'m> Findings<'m> {
    pub(crate) fn new(meter: &'m Meter) -> Self {
        Self { meter, all: Vec::new(), schema_errors: 0 }
    }

    pub(crate) fn push(&mut self, finding: Finding) {
        // Counted separately, so that warnings never hide an error: an agent without errors is used.
        if self.count(finding.severity) < MAX_OF_ONE_SEVERITY {
            self.all.push(finding);
        }
    }

    /// Whether further errors would be dropped, so that looking for them is a waste of time.
    pub(crate) fn is_full(&self) -> bool {
        self.count(Severity::Error) >= MAX_OF_ONE_SEVERITY
    }

    fn count(&self, severity: Severity) -> usize {
        self.all.iter().filter(|known| known.severity == severity).count()
    }

    /// Adds an error, unless there is one at this place already, which this one probably follows from.
    pub(crate) fn error(&mut self, place: JsonPath, message: impl Into<String>) {
        if !self.has_error_at(&place) {
            let message = message.into();
            self.push(Finding { severity: Severity::Error, place, mark: Mark::Value, message });
        }
    }

    pub(crate) fn warning(&mut self, place: JsonPath, message: impl Into<String>) {
        let message = message.into();
        self.push(Finding { severity: Severity::Warning, place, mark: Mark::Value, message });
    }

    /// Adds a warning at a place relative to another.
    pub(crate) fn warning_within(&mut self, at: &JsonPath, inner: &JsonPath, message: impl Into<String>) {
        self.warning(at.steps().iter().chain(inner.steps()).cloned().collect(), message);
    }

    /// Adds the error of a schema that does not compile.
    pub(crate) fn schema(&mut self, at: &JsonPath, error: &SchemaError) {
        let before = self.all.len();
        self.error(beneath(at, &error.pointer), error.message.clone());
        self.schema_errors += self.all.len() - before;
    }

    pub(crate) fn has_error_at(&self, place: &JsonPath) -> bool {
        self.all.iter().any(|finding| finding.severity == Severity::Error && finding.place == *place)
    }

    /// Whether there is an error at this place or below it.
    pub(crate) fn has_error_beneath(&self, place: &JsonPath) -> bool {
        let is_error = |finding: &&Finding| finding.severity == Severity::Error;
        self.all.iter().filter(is_error).any(|finding| finding.place.steps().starts_with(place.steps()))
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.all.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// The place of the first error, if all errors are of schemas that do not compile.
    pub(crate) fn only_schema_errors(&self) -> Option<&JsonPath> {
        let mut errors = self.all.iter().filter(|finding| finding.severity == Severity::Error);
        let first = errors.next()?;
        (self.schema_errors == 1 + errors.count()).then_some(&first.place)
    }

    pub(crate) fn into_vec(self) -> Vec<Finding> {
        self.all
    }
}

/// A place below another, by JSON pointer. A number is treated as an index, because schemas have lists and hardly any
/// names that are numbers.
fn beneath(at: &JsonPath, pointer: &str) -> JsonPath {
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
