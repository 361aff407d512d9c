//! The answers of a run that were not accepted: whether the model gets on, and which came closest.

use accord_contract::{Outcome, Rejected, Violation, Violations};

/// The history of answers.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    /// Answers that were judged, accepted or not.
    judged: u32,
    cut_off: u32,
    last: Option<Last>,
    closest: Option<Closest>,
}

#[derive(Debug, Clone)]
struct Last {
    text: String,
    outcome: Outcome,
    violations: Violations,
}

/// The answer that came closest.
#[derive(Debug, Clone)]
pub(super) struct Closest {
    distance: (u8, usize),
    pub(super) outcome: Outcome,
    pub(super) errors: Vec<String>,
    pub(super) text: String,
}

impl History {
    /// Whether the model said anything at all.
    pub(super) fn was_answered(&self) -> bool {
        self.judged > 0
    }

    /// Takes an answer that is a refusal.
    pub(super) fn refused(&mut self) {
        self.judged += 1;
    }

    /// Takes an answer that keeps the contract.
    pub(super) fn accepted(&mut self) {
        self.judged += 1;
    }

    /// Takes an answer that was cut off. The next one is asked in another way, so it cannot be a repetition.
    pub(super) fn cut(&mut self, rejected: &Rejected, text: &str) {
        self.judged += 1;
        self.cut_off += 1;
        self.last = None;
        self.compare(rejected, text);
    }

    /// Takes an answer that does not keep the contract, and says whether it repeats the one before.
    pub(super) fn wanting(&mut self, rejected: &Rejected, text: &str) -> bool {
        self.judged += 1;
        let violations = rejected.violations.clone();
        let new = Last { text: text.trim().to_owned(), outcome: rejected.outcome, violations };
        let repeated = self.last.as_ref().is_some_and(|last| {
            last.text == new.text || last.outcome == new.outcome && last.violations == new.violations
        });
        self.last = Some(new);
        self.compare(rejected, text);
        repeated
    }

    fn compare(&mut self, rejected: &Rejected, text: &str) {
        let distance = distance(rejected);
        if self.closest.as_ref().is_none_or(|closest| distance <= closest.distance) {
            let errors = rejected.violations.errors.iter().map(Violation::to_string).collect();
            self.closest =
                Some(Closest { distance, outcome: rejected.outcome, errors, text: text.to_owned() });
        }
    }

    /// The answer that came closest; of several, the last.
    pub(super) fn closest(&self) -> Option<&Closest> {
        self.closest.as_ref()
    }

    /// How often the answer was cut off, if no answer was ever complete. Earlier deliveries are not counted.
    pub(super) fn always_cut(&self) -> Option<u32> {
        (self.cut_off > 0 && self.cut_off == self.judged).then_some(self.cut_off)
    }
}

/// How far an answer is from the contract: first by how much of the way it went, then by its errors.
fn distance(rejected: &Rejected) -> (u8, usize) {
    let way = match rejected.outcome {
        Outcome::InvariantFailed | Outcome::Ambiguous | Outcome::Embedded | Outcome::Unconfirmed => 0,
        Outcome::SchemaInvalid => 1,
        Outcome::ParseError => 2,
        Outcome::SchemaEcho | Outcome::ExampleEcho | Outcome::NoJson => 3,
    };
    let Violations { errors, more } = &rejected.violations;
    (way, errors.len() + more)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejected(outcome: Outcome, errors: &[&str]) -> Rejected {
        let errors = errors.iter().map(|message| Violation {
            path: "$".into(),
            pointer: String::new(),
            keyword: "type".into(),
            message: (*message).into(),
        });
        let violations = Violations { errors: errors.collect(), more: 0 };
        Rejected { outcome, violations, candidate: None }
    }

    #[test]
    fn the_same_text_or_the_same_errors_are_a_repetition() {
        let mut history = History::default();
        assert!(!history.wanting(&rejected(Outcome::SchemaInvalid, &["a"]), "1"));
        assert!(!history.wanting(&rejected(Outcome::SchemaInvalid, &["b"]), "2"));
        assert!(history.wanting(&rejected(Outcome::SchemaInvalid, &["b"]), "3"));
        assert!(history.wanting(&rejected(Outcome::SchemaInvalid, &["c"]), " 3\n"));
        assert!(!history.wanting(&rejected(Outcome::ParseError, &["c"]), "4"));
        history.cut(&rejected(Outcome::ParseError, &["c"]), "4");
        assert!(!history.wanting(&rejected(Outcome::ParseError, &["c"]), "4"));
    }

    #[test]
    fn fewer_hidden_errors_are_progress() {
        let mut history = History::default();
        let more = |more| {
            let rejected = rejected(Outcome::SchemaInvalid, &["a"]);
            Rejected { violations: Violations { more, ..rejected.violations }, ..rejected }
        };
        assert!(!history.wanting(&more(40), "1"));
        assert!(!history.wanting(&more(10), "2"));
        assert!(history.wanting(&more(10), "3"));
    }

    #[test]
    fn the_closest_has_the_fewest_errors_and_later_wins() {
        let mut history = History::default();
        history.wanting(&rejected(Outcome::NoJson, &["a"]), "prose");
        history.wanting(&rejected(Outcome::SchemaInvalid, &["a", "b"]), "two");
        history.wanting(&rejected(Outcome::SchemaInvalid, &["a"]), "one");
        history.wanting(&rejected(Outcome::SchemaInvalid, &["c"]), "one later");
        history.wanting(&rejected(Outcome::SchemaInvalid, &["a", "b", "c"]), "three");
        let closest = history.closest().unwrap();
        assert_eq!(
            (closest.text.as_str(), closest.errors.as_slice()),
            ("one later", &["$: c".to_owned()][..])
        );
    }

    #[test]
    fn always_cut_means_each_time() {
        let mut history = History::default();
        assert_eq!(history.always_cut(), None);
        history.cut(&rejected(Outcome::ParseError, &["a"]), "{");
        assert_eq!(history.always_cut(), Some(1));
        history.wanting(&rejected(Outcome::ParseError, &["a"]), "{");
        assert_eq!(history.always_cut(), None);
    }
}
