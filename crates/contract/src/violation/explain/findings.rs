//! The findings of the walk.

use std::collections::HashMap;

use serde_json::Value;

use crate::json_path::{JsonPath, Step};
use crate::limits::MAX_ERRORS;

/// How many findings are worded in all. More than are shown, so that there is a choice.
const MAX_KEPT: usize = 20 * MAX_ERRORS;

/// Beyond this, one alternative is as hopeless as the other.
const MAX_COUNTED: usize = 100;

#[derive(Debug)]
pub(in super::super) struct Finding {
    pub(in super::super) place: JsonPath,
    pub(in super::super) keyword: String,
    pub(in super::super) message: String,
    /// Findings of the same kind come from the same part of the schema.
    pub(in super::super) kind: usize,
    noted: bool,
}

/// The findings with messages, and the number of all findings.
#[derive(Debug)]
pub(in super::super) struct Findings {
    pub(in super::super) kept: Vec<Finding>,
    pub(in super::super) total: usize,
}

/// How far a value is from a schema.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Score {
    /// The value is of another kind altogether.
    pub(super) fatal: bool,
    pub(super) errors: usize,
}

impl Score {
    pub(super) fn is_zero(self) -> bool {
        self.errors == 0
    }
}

/// The path from the root to the current value, without allocation.
#[derive(Clone, Copy)]
pub(super) struct Trail<'t> {
    last: Option<(&'t Trail<'t>, Part<'t>)>,
}

#[derive(Clone, Copy)]
enum Part<'t> {
    Key(&'t str),
    Index(usize),
}

impl<'t> Trail<'t> {
    pub(super) fn root() -> Self {
        Self { last: None }
    }

    pub(super) fn key(&'t self, name: &'t str) -> Self {
        Self { last: Some((self, Part::Key(name))) }
    }

    pub(super) fn index(&'t self, index: usize) -> Self {
        Self { last: Some((self, Part::Index(index))) }
    }

    fn place(&self) -> JsonPath {
        let mut steps = Vec::new();
        let mut current = self;
        while let Some((parent, part)) = current.last {
            steps.push(match part {
                Part::Key(name) => Step::Key(name.to_owned()),
                Part::Index(index) => Step::Index(index),
            });
            current = parent;
        }
        steps.into_iter().rev().collect()
    }
}

/// Collects findings: always counted, kept only when collecting.
pub(super) struct Collector {
    score: Score,
    collected: Option<Collected>,
}

#[derive(Default)]
struct Collected {
    kept: Vec<Finding>,
    kinds: HashMap<(usize, String), (usize, usize)>,
}

impl Collector {
    pub(super) fn counting() -> Self {
        Self { score: Score::default(), collected: None }
    }

    pub(super) fn collecting() -> Self {
        Self { score: Score::default(), collected: Some(Collected::default()) }
    }

    pub(super) fn is_collecting(&self) -> bool {
        self.collected.is_some()
    }

    pub(super) fn score(&self) -> Score {
        self.score
    }

    pub(super) fn errors(&self) -> usize {
        self.score.errors
    }

    /// Whether more of the same would change nothing.
    pub(super) fn is_full(&self) -> bool {
        !self.is_collecting() && self.score.errors >= MAX_COUNTED
    }

    pub(super) fn add(&mut self, score: Score) {
        self.score.fatal |= score.fatal;
        self.score.errors = self.score.errors.saturating_add(score.errors);
    }

    /// Runs a part of the walk that looks inside the value: what is fatal there is an error here, not fatal.
    pub(super) fn inside(&mut self, part: impl FnOnce(&mut Self)) {
        let fatal = self.score.fatal;
        part(self);
        self.score.fatal = fatal;
    }

    pub(super) fn fail(
        &mut self,
        trail: &Trail<'_>,
        schema: &Value,
        keyword: &str,
        message: impl FnOnce() -> String,
    ) {
        self.score.errors = self.score.errors.saturating_add(1);
        let Some(collected) = &mut self.collected else { return };
        let next_kind = collected.kinds.len();
        let (kind, count) =
            collected.kinds.entry((super::address(schema), keyword.to_owned())).or_insert((next_kind, 0));
        *count += 1;
        if *count <= MAX_ERRORS && collected.kept.len() < MAX_KEPT {
            collected.kept.push(Finding {
                place: trail.place(),
                keyword: keyword.to_owned(),
                message: message(),
                kind: *kind,
                noted: false,
            });
        }
    }

    pub(super) fn fail_fatally(
        &mut self,
        trail: &Trail<'_>,
        schema: &Value,
        keyword: &str,
        message: impl FnOnce() -> String,
    ) {
        self.score.fatal = true;
        self.fail(trail, schema, keyword, message);
    }

    pub(super) fn mark_fatal(&mut self) {
        self.score.fatal = true;
    }

    /// How many findings are kept: a mark for [`Self::note_since`].
    pub(super) fn kept(&self) -> usize {
        self.collected.as_ref().map_or(0, |collected| collected.kept.len())
    }

    /// Adds a remark to the findings since a mark that have none.
    pub(super) fn note_since(&mut self, mark: usize, note: &str) {
        self.note_where(mark, note, |_| true);
    }

    /// The same, for the findings about which members an object at this place has.
    pub(super) fn note_members_since(&mut self, mark: usize, trail: &Trail<'_>, note: &str) {
        let place = trail.place();
        self.note_where(mark, note, |finding| {
            finding.place == place
                && ["required", "additionalProperties", "unevaluatedProperties"]
                    .contains(&finding.keyword.as_str())
        });
    }

    fn note_where(&mut self, mark: usize, note: &str, wanted: impl Fn(&Finding) -> bool) {
        let kept = self.collected.iter_mut().flat_map(|collected| collected.kept.iter_mut());
        for finding in kept.skip(mark).filter(|finding| !finding.noted && wanted(finding)) {
            finding.noted = true;
            finding.message.push_str(&format!(" ({note})"));
        }
    }

    pub(super) fn into_findings(self) -> Findings {
        Findings {
            kept: self.collected.map_or_else(Vec::new, |collected| collected.kept),
            total: self.score.errors,
        }
    }
}
