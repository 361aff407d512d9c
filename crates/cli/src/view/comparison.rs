//! Two runs side by side.

use std::fmt::Write as _;

use accord_api::step::{Body, Step};
use accord_api::{RunStatus, RunView};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::step::{Deed, Lines};
use super::text::{self, short};
use super::{Tone, attempt};
use crate::table::{self, terminal_width};

/// More differences are counted only.
const MOST_DIFFERENCES: usize = 50;

/// Width of a column in a pipe.
const PIPED_CHARACTERS: usize = 80;

/// The width next to the two columns: marker, number, gaps.
const OTHER_COLUMNS: usize = 12;

/// One of the two.
pub(crate) struct Side {
    pub(crate) run: RunView,
    pub(crate) steps: Vec<Step>,
}

impl Side {
    /// The steps without the first one, which holds what was known about the endpoints and is missing if that was nothing.
    fn deeds(&self) -> Vec<&Step> {
        self.steps.iter().filter(|step| !matches!(step.body, Body::Opened { .. })).collect()
    }
}

/// What differs. The JSON form is part of the API.
#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    a: Head,
    b: Head,
    /// Fields that differ, by path.
    differences: Vec<Difference>,
    /// Differences that are not listed.
    more_differences: usize,
    /// The number of the first step that differs, in A if it has one there.
    first_different_step: Option<u32>,
    steps: Vec<Pair>,
}

#[derive(Debug, Serialize)]
struct Head {
    run_id: String,
    status: RunStatus,
}

#[derive(Debug, PartialEq, Serialize)]
struct Difference {
    path: String,
    a: Option<Value>,
    b: Option<Value>,
}

#[derive(Debug, Serialize)]
struct Pair {
    number: u32,
    a: Option<Step>,
    b: Option<Step>,
}

impl Comparison {
    pub(crate) fn of(a: &Side, b: &Side) -> Self {
        let (left, right) = (fields(&a.run), fields(&b.run));
        let mut differences = Vec::new();
        for ((name, left), (_, right)) in left.iter().zip(&right) {
            compare(name, Some(left), Some(right), &mut differences);
        }
        let more_differences = differences.len().saturating_sub(MOST_DIFFERENCES);
        differences.truncate(MOST_DIFFERENCES);
        let (left, right) = (a.deeds(), b.deeds());
        let pair = |index: usize| {
            let (a, b) = (left.get(index).copied().cloned(), right.get(index).copied().cloned());
            let number = a.as_ref().or(b.as_ref()).map_or(0, |step| step.number);
            Pair { number, a, b }
        };
        let steps: Vec<Pair> = (0..left.len().max(right.len())).map(pair).collect();
        let deed = |step: &Option<Step>| step.as_ref().map(|step| Deed::of(&step.body));
        let first = steps.iter().find(|pair| deed(&pair.a) != deed(&pair.b));
        let first_different_step = first.map(|pair| pair.number);
        let head = |run: &RunView| Head { run_id: run.run_id.to_string(), status: run.status };
        Self { a: head(&a.run), b: head(&b.run), differences, more_differences, first_different_step, steps }
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        self.within(terminal_width().map(usize::from))
    }

    fn within(&self, width: Option<usize>) -> String {
        let mut text = String::new();
        for (name, head) in [("A", &self.a), ("B", &self.b)] {
            let status = Tone::from(head.status).paint(head.status.as_str());
            let _ = writeln!(text, "{name}  {}  {status}", head.run_id);
        }
        let room = width.map_or(PIPED_CHARACTERS, |width| width.saturating_sub(OTHER_COLUMNS) / 2);
        text.push('\n');
        match self.differences.is_empty() {
            true => text.push_str("Agent, model, input, contract, result and usage are the same.\n"),
            false => text.push_str(&self.differences(room)),
        }
        if !self.steps.is_empty() {
            let _ = write!(text, "\n{}", self.steps(room));
        }
        text
    }

    fn differences(&self, room: usize) -> String {
        let path = self.differences.iter().map(|each| each.path.chars().count()).max().unwrap_or_default();
        let room = room.saturating_sub(path / 2).max(20);
        let mut table = table::new(&["differs", "a", "b"]);
        let shown = |value: &Option<Value>| match value {
            None => "-".to_owned(),
            Some(Value::String(text)) => short(text, room),
            Some(value) => short(&value.to_string(), room),
        };
        for difference in &self.differences {
            table.add_row([text::line(&difference.path), shown(&difference.a), shown(&difference.b)]);
        }
        let mut text = table.text();
        if self.more_differences > 0 {
            let _ = writeln!(text, "and {} more", self.more_differences);
        }
        text
    }

    fn steps(&self, room: usize) -> String {
        let mut table = table::new(&["", "step", "a", "b"]);
        let (mut left, mut right) = (Lines::default(), Lines::default());
        for pair in &self.steps {
            let shown = |lines: &mut Lines, step: &Option<Step>| {
                step.as_ref().map_or_else(|| "-".to_owned(), |step| lines.line(&step.body, room.max(20)))
            };
            let is_first = self.first_different_step == Some(pair.number);
            table.add_row([
                Tone::Warning.cell(if is_first { ">" } else { "" }),
                Tone::Plain.cell(&pair.number.to_string()),
                Tone::Plain.cell(&shown(&mut left, &pair.a)),
                Tone::Plain.cell(&shown(&mut right, &pair.b)),
            ]);
        }
        let mut text = table.text();
        if self.first_different_step.is_none() {
            text.push_str("All steps are the same.\n");
        }
        text
    }
}

/// The compared fields of a run, in this order.
fn fields(run: &RunView) -> Vec<(&'static str, Value)> {
    let raw = |document: Option<&RawValue>| -> Value {
        document.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
    };
    let result = run.result.as_ref();
    let data = result.and_then(|result| result.result_data.as_deref());
    let said = result.and_then(|result| result.result_text.clone());
    let source = result.and_then(|result| result.schema_validation.as_ref()?.source);
    let source = source.and_then(attempt::extracted).map(|source| source.as_str());
    vec![
        ("agent", json!(run.agent_name)),
        ("model", json!(run.model)),
        ("parameters", raw(run.parameters.as_deref())),
        ("contract", raw(run.contract.as_deref())),
        (
            "result",
            match data {
                Some(data) => raw(Some(data)),
                None => json!(said),
            },
        ),
        ("result source", json!(source)),
        ("error", json!(run.error.as_ref().map(|error| (error.kind, &error.message)))),
        ("attempts", json!(run.attempts)),
        ("usage", json!(run.usage)),
    ]
}

/// The deepest places where two values differ.
fn compare(path: &str, a: Option<&Value>, b: Option<&Value>, found: &mut Vec<Difference>) {
    match (a, b) {
        (Some(Value::Object(left)), Some(Value::Object(right))) => {
            let added = right.keys().filter(|name| !left.contains_key(*name));
            for name in left.keys().chain(added) {
                compare(&format!("{path}.{name}"), left.get(name), right.get(name), found);
            }
        }
        (Some(Value::Array(left)), Some(Value::Array(right))) => {
            for index in 0..left.len().max(right.len()) {
                compare(&format!("{path}[{index}]"), left.get(index), right.get(index), found);
            }
        }
        _ if a == b => {}
        _ => found.push(Difference { path: path.to_owned(), a: a.cloned(), b: b.cloned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::run::tests::{completed, failed};
    use super::super::step::tests::steps;
    use super::*;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn the_deepest_differences_are_found() {
        let mut found = Vec::new();
        let (a, b) = (json!({"x": [1, {"y": 2}], "z": 1}), json!({"x": [1, {"y": 3}, 4], "n": null, "z": 1}));
        compare("p", Some(&a), Some(&b), &mut found);
        let found: Vec<_> = found.into_iter().map(|each| (each.path, each.a, each.b)).collect();
        let expected = [
            ("p.x[1].y".to_owned(), Some(json!(2)), Some(json!(3))),
            ("p.x[2]".to_owned(), None, Some(json!(4))),
            ("p.n".to_owned(), None, Some(json!(null))),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn two_runs_are_side_by_side_and_the_first_difference_is_marked() {
        let message = |text: &str| json!({"type": "message", "text": text});
        let verdict = json!({"type": "verdict", "delivery": 1, "attempt": 1, "outcome": "accepted"});
        let a = Side { run: completed(), steps: steps(&[message("same"), message("one"), verdict]) };
        let run =
            RunView { run_id: "run_3".parse().unwrap(), model: Some("large".to_owned()), ..completed() };
        let b = Side { run, steps: steps(&[message("same"), message("two")]) };
        let opened = json!({"type": "opened", "facts": {}});
        let later = Side { run: completed(), steps: steps(&[opened, message("same")]) };
        assert_eq!(
            Comparison::of(&later, &b).first_different_step,
            Some(2),
            "what was known is no difference"
        );
        let comparison = Comparison::of(&a, &b);
        insta::assert_snapshot!(plain(&comparison.within(None)), @r#"
        A  run_1  completed
        B  run_3  completed

        DIFFERS  A      B
        model    small  large

           STEP  A                  B
           1     message: same      message: same
        >  2     message: one       message: two
           3     verdict: accepted  -
        "#);
        let told = serde_json::to_value(&comparison).unwrap();
        assert_eq!((&told["first_different_step"], &told["steps"][2]["b"]), (&json!(2), &Value::Null));
        assert_eq!(told["differences"], json!([{"path": "model", "a": "small", "b": "large"}]));
        let same = plain(&Comparison::of(&a, &a).within(None));
        assert!(
            same.contains("usage are the same.") && same.ends_with("All steps are the same.\n"),
            "{same}"
        );
    }

    #[test]
    fn a_run_without_a_result_differs_by_its_error() {
        let side = |run| Side { run, steps: Vec::new() };
        let comparison = Comparison::of(&side(completed()), &side(failed()));
        let paths: Vec<&str> = comparison.differences.iter().map(|each| each.path.as_str()).collect();
        for path in ["agent", "model", "parameters", "result", "error", "usage.input_tokens"] {
            assert!(paths.contains(&path), "no {path} in {paths:?}");
        }
    }
}
