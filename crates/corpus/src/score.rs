//! How often the judge was right.

use std::collections::BTreeMap;

use accord_contract::Mode;
use serde_json::Value;

use crate::case::{Case, Expected};
use crate::equality::same_value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Right,
    /// A value was expected, nothing was accepted.
    Missed,
    /// A value was expected, another was accepted.
    WrongValue,
    /// Nothing should have been accepted.
    FalseAccept,
}

impl Mark {
    /// The mark of what was accepted for a case.
    pub fn of(expected: &Expected, accepted: Option<&Value>) -> Self {
        match (expected, accepted) {
            (Expected::Reject, None) => Self::Right,
            (Expected::Reject, Some(_)) => Self::FalseAccept,
            (Expected::Value(_), None) => Self::Missed,
            (Expected::Value(expected), Some(accepted)) if same_value(expected, accepted) => Self::Right,
            (Expected::Value(_), Some(_)) => Self::WrongValue,
        }
    }
}

/// The groups with separate thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// A value is expected without repair.
    Strict,
    /// A value is expected, with repair.
    Lenient,
    /// Nothing may be accepted.
    Reject,
}

impl Group {
    fn of(case: &Case) -> Self {
        match (&case.expected, case.mode) {
            (Expected::Reject, _) => Self::Reject,
            (Expected::Value(_), Mode::Strict) => Self::Strict,
            (Expected::Value(_), Mode::Lenient) => Self::Lenient,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    pub right: usize,
    /// Nothing accepted though a value was expected.
    pub missed: usize,
    /// Another value accepted than expected.
    pub wrong_value: usize,
    /// Something accepted though nothing should be.
    pub false_accept: usize,
}

impl Tally {
    pub fn total(self) -> usize {
        self.right + self.missed + self.wrong_value + self.false_accept
    }

    /// The share of right ones in percent; of no cases, all are right.
    pub fn accuracy(self) -> f64 {
        match self.total() {
            0 => 100.0,
            total => 100.0 * self.right as f64 / total as f64,
        }
    }

    fn add(&mut self, mark: Mark) {
        match mark {
            Mark::Right => self.right += 1,
            Mark::Missed => self.missed += 1,
            Mark::WrongValue => self.wrong_value += 1,
            Mark::FalseAccept => self.false_accept += 1,
        }
    }
}

/// The thresholds of a score. Wrong values and false accepts are not included: none is allowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    pub strict: f64,
    pub lenient: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { strict: 99.0, lenient: 95.0 }
    }
}

/// The marks of all cases, by class and by group, and every case that was not right.
#[derive(Debug, Clone, Default)]
pub struct Score {
    pub classes: BTreeMap<String, Tally>,
    pub groups: BTreeMap<Group, Tally>,
    /// Id, mark and accepted value of each case that was not right.
    pub faults: Vec<(String, Mark, Option<Value>)>,
}

impl Score {
    /// Scores what a judge accepts for each case.
    pub fn of(cases: &[Case], mut judge: impl FnMut(&Case) -> Option<Value>) -> Self {
        let mut score = Self::default();
        for case in cases {
            score.add(case, judge(case));
        }
        score
    }

    fn add(&mut self, case: &Case, accepted: Option<Value>) {
        let mark = Mark::of(&case.expected, accepted.as_ref());
        self.classes.entry(case.class.clone()).or_default().add(mark);
        self.groups.entry(Group::of(case)).or_default().add(mark);
        if mark != Mark::Right {
            self.faults.push((case.id.clone(), mark, accepted));
        }
    }

    pub fn group(&self, group: Group) -> Tally {
        self.groups.get(&group).copied().unwrap_or_default()
    }

    /// What keeps this score from being good enough, in words; empty when it is.
    pub fn shortfalls(&self, thresholds: Thresholds) -> Vec<String> {
        let mut found = Vec::new();
        let wrong: usize = self.groups.values().map(|tally| tally.wrong_value).sum();
        let accepts: usize = self.groups.values().map(|tally| tally.false_accept).sum();
        if wrong > 0 {
            found.push(format!("{wrong} wrong value(s); none is allowed"));
        }
        if accepts > 0 {
            found.push(format!("{accepts} false accept(s); none is allowed"));
        }
        for (name, group, needed) in
            [("strict", Group::Strict, thresholds.strict), ("lenient", Group::Lenient, thresholds.lenient)]
        {
            let reached = self.group(group).accuracy();
            if reached < needed {
                found.push(format!("{name} accuracy is {reached:.1} %; {needed} % is needed"));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn case(id: &str, mode: Mode, expected: Expected) -> Case {
        Case {
            id: id.into(),
            class: "plain".into(),
            mode,
            text: String::new(),
            schema: json!(true),
            expected,
        }
    }

    #[test]
    fn each_kind_of_fault_is_counted_and_named() {
        let cases = [
            case("right", Mode::Strict, Expected::Value(json!(1))),
            case("missed", Mode::Strict, Expected::Value(json!(1))),
            case("wrong", Mode::Lenient, Expected::Value(json!(1))),
            case("accepted", Mode::Lenient, Expected::Reject),
        ];
        let score = Score::of(&cases, |case| match case.id.as_str() {
            "missed" => None,
            "wrong" => Some(json!(2)),
            _ => Some(json!(1)),
        });
        assert_eq!(score.classes["plain"], Tally { right: 1, missed: 1, wrong_value: 1, false_accept: 1 });
        assert_eq!(
            score.faults,
            [
                ("missed".to_owned(), Mark::Missed, None),
                ("wrong".to_owned(), Mark::WrongValue, Some(json!(2))),
                ("accepted".to_owned(), Mark::FalseAccept, Some(json!(1))),
            ]
        );
        assert_eq!(
            score.shortfalls(Thresholds::default()),
            [
                "1 wrong value(s); none is allowed",
                "1 false accept(s); none is allowed",
                "strict accuracy is 50.0 %; 99 % is needed",
                "lenient accuracy is 0.0 %; 95 % is needed",
            ]
        );
    }

    #[test]
    fn a_clean_score_has_no_shortfall() {
        let cases =
            [case("a", Mode::Strict, Expected::Value(json!(1))), case("b", Mode::Lenient, Expected::Reject)];
        let score = Score::of(&cases, |case| (case.id == "a").then(|| json!(1.0)));
        assert_eq!(score.shortfalls(Thresholds::default()), [] as [&str; 0]);
        assert_eq!(score.group(Group::Strict).accuracy(), 100.0);
    }
}
