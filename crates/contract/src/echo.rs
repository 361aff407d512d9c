//! Answers that repeat what the model was shown instead of answering: a placeholder of the form, or an example.
//!
//! Such a value conforms, so only this check can refuse it. A string that the input contains as well is not an echo.

use std::collections::BTreeSet;

use accord_json::{Exceeded, Meter};
use serde_json::Value;

use crate::json_path::{JsonPath, Step};
use crate::lower::Skeleton;
use crate::schema::{Schema, walk};
use crate::verdict::{Candidate, Outcome, Rejected, Verdict};
use crate::violation::escape::quoted;
use crate::violation::{Violation, Violations};

/// Echoed strings that an error names. One is enough to refuse the answer.
const MAX_NAMED: usize = 5;

/// How many bytes of text are searched in a step.
const BYTES_A_STEP: usize = 16;

/// What the model was shown and must not repeat.
#[derive(Debug, Clone, Default)]
pub struct EchoSources {
    placeholders: BTreeSet<String>,
    /// Strings that an example took from its own input.
    extracted: BTreeSet<String>,
    /// The outputs of examples that contain a string of the model's choice, with their inputs.
    outputs: Vec<(Value, Value)>,
}

impl EchoSources {
    /// Collects the strings of a form and of examples (input, output). Strings that the schema
    /// itself lists (`enum`, `const`, names) count as answers.
    pub fn new(
        schema: &Schema,
        skeleton: Option<&Skeleton>,
        examples: impl IntoIterator<Item = (Value, Value)>,
        meter: &Meter,
    ) -> Result<Self, Exceeded> {
        let listed = listed_strings(schema.document());
        let placeholders = skeleton.map(|skeleton| skeleton.placeholders.clone()).unwrap_or_default();
        let mut shown = Self { placeholders, ..Self::default() };
        for (input, output) in examples {
            let mut strings = Vec::new();
            collect(&output, &mut |_, text| strings.push(text.to_owned()));
            strings.retain(|text| !text.is_empty() && !listed.contains(text.as_str()));
            if !strings.is_empty() {
                shown.extracted.extend(strings.into_iter().filter(|text| holds(&input, text, meter)));
                shown.outputs.push((input, output));
            }
        }
        meter.check()?;
        Ok(shown)
    }

    /// The verdict, unless it accepts an echo, or it takes too much to say so.
    #[must_use]
    pub fn refuse_echo(&self, verdict: Verdict, input: &Value, meter: &Meter) -> Verdict {
        let Verdict::Accepted(accepted) = verdict else { return verdict };
        let mut errors = self.echoes(&accepted.value, input, meter);
        if let Err(exceeded) = meter.check() {
            let message = format!("cannot be compared with the examples: {exceeded}; return a smaller value");
            errors = vec![Violation::new(&JsonPath::root(), "limit", message)];
        }
        if errors.is_empty() {
            return Verdict::Accepted(accepted);
        }
        Verdict::Rejected(Rejected {
            outcome: Outcome::ExampleEcho,
            violations: Violations { errors, more: 0 },
            candidate: Some(Candidate { range: None, value: Some(accepted.value) }),
        })
    }

    fn echoes(&self, value: &Value, input: &Value, meter: &Meter) -> Vec<Violation> {
        let mut found = Vec::new();
        collect(value, &mut |steps, text| {
            let what = if self.placeholders.contains(text) {
                "a placeholder of the form"
            } else if self.extracted.contains(text) {
                "a value of an example"
            } else {
                return;
            };
            if found.len() < MAX_NAMED && !holds(input, text, meter) {
                let place: JsonPath = steps.iter().cloned().collect();
                let message = format!("{} is {what}; give a value from the input instead", quoted(text));
                found.push(Violation::new(&place, "example", message));
            }
        });
        let repeats = |(other, output): &(Value, Value)| output == value && other != input;
        if found.is_empty() && self.outputs.iter().any(repeats) {
            let message = "this is the answer of an example; answer for the input that was given";
            found.push(Violation::new(&JsonPath::root(), "example", message));
        }
        found
    }
}

/// Strings that the schema gives as values or as names.
fn listed_strings(document: &Value) -> BTreeSet<&str> {
    let mut listed = BTreeSet::new();
    walk::each(document, &mut |_, schema| {
        let named = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        listed.extend(named.map(|(name, _)| name.as_str()));
        let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        for value in values.chain(schema.get("const")) {
            strings_of(value, &mut listed);
        }
    });
    listed
}

fn strings_of<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::String(text) => {
            found.insert(text);
        }
        Value::Array(items) => items.iter().for_each(|item| strings_of(item, found)),
        Value::Object(members) => members.values().for_each(|member| strings_of(member, found)),
        _ => {}
    }
}

/// Whether a string of the input contains this one, or is a name in it.
fn holds(input: &Value, text: &str, meter: &Meter) -> bool {
    let mut holds = false;
    collect(input, &mut |_, other| {
        let is_charged = !holds && meter.steps(1 + (other.len() / BYTES_A_STEP) as u64).is_ok();
        holds |= is_charged && other.contains(text);
    });
    holds
}

/// Visits each string of a value, names of members included. Values were parsed within the depth limit.
fn collect(value: &Value, visit: &mut dyn FnMut(&[Step], &str)) {
    fn inner(value: &Value, steps: &mut Vec<Step>, visit: &mut dyn FnMut(&[Step], &str)) {
        match value {
            Value::String(text) => visit(steps, text),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    steps.push(Step::Index(index));
                    inner(item, steps, visit);
                    steps.pop();
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    steps.push(Step::Key(name.clone()));
                    visit(steps, name);
                    inner(member, steps, visit);
                    steps.pop();
                }
            }
            _ => {}
        }
    }
    inner(value, &mut Vec::new(), visit);
}

#[cfg(test)]
mod tests {
    use accord_json::Meter;
    use serde_json::json;

    use super::*;
    use crate::lower::skeleton;
    use crate::{Answer, Contract, judge};

    fn schema() -> Schema {
        Schema::compile(
            &json!({
                "type": "object",
                "required": ["name", "mood"],
                "properties": {
                    "name": {"type": "string"},
                    "mood": {"enum": ["good", "bad"]},
                    "country": {"type": "string"},
                },
            }),
            &Meter::default(),
        )
        .unwrap()
    }

    fn verdict(answer: &Value, input: &str) -> Verdict {
        let example =
            (json!({"text": "Ann is glad"}), json!({"name": "Ann", "mood": "good", "country": "France"}));
        let shown = EchoSources::new(
            &schema(),
            skeleton(&schema(), &Meter::default()).unwrap().as_ref(),
            [example],
            &Meter::default(),
        )
        .unwrap();
        let verdict = judge(&Answer::text(&answer.to_string()), &Contract::new(schema()), &Meter::default());
        shown.refuse_echo(verdict, &json!({"text": input}), &Meter::default())
    }

    fn is_echo(answer: &Value, input: &str) -> bool {
        match verdict(answer, input) {
            Verdict::Accepted(_) => false,
            Verdict::Rejected(rejected) => {
                assert_eq!(rejected.outcome, Outcome::ExampleEcho);
                true
            }
        }
    }

    #[test]
    fn a_placeholder_is_not_an_answer() {
        assert!(is_echo(&json!({"name": "<name>", "mood": "bad"}), "Bob is sad"));
        assert!(!is_echo(&json!({"name": "<name>", "mood": "bad"}), "The tag is <name>"));
        assert!(!is_echo(&json!({"name": "Bob <name>", "mood": "bad"}), "Bob is sad"));
    }

    #[test]
    fn an_answer_without_own_strings_may_equal_an_example() {
        let schema = Schema::compile(
            &json!({"type": "object", "properties": {"n": {"type": "integer"}}}),
            &Meter::default(),
        )
        .unwrap();
        let shown = EchoSources::new(
            &schema,
            None,
            [(json!({"prompt": "n: 1."}), json!({"n": 1}))],
            &Meter::default(),
        )
        .unwrap();
        let verdict = judge(&Answer::text("{\"n\": 1}"), &Contract::new(schema), &Meter::default());
        let verdict = shown.refuse_echo(verdict, &json!({"prompt": "Count one."}), &Meter::default());
        assert!(matches!(verdict, Verdict::Accepted(_)), "{verdict:?}");
    }

    #[test]
    fn strings_of_an_examples_input_are_echoes() {
        assert!(is_echo(&json!({"name": "Ann", "mood": "bad"}), "Bob is sad"));
        assert!(!is_echo(&json!({"name": "Ann", "mood": "bad"}), "Ann is sad"));
        assert!(!is_echo(&json!({"name": "Bob", "mood": "good", "country": "France"}), "Bob is glad"));
    }

    #[test]
    fn an_example_is_not_an_answer_to_another_input() {
        let output = json!({"name": "Ann", "mood": "good", "country": "France"});
        assert!(is_echo(&output, "Anna is glad"));
        assert!(!is_echo(&output, "Ann is glad"));
    }

    #[test]
    fn the_violation_names_the_location() {
        let Verdict::Rejected(rejected) = verdict(&json!({"name": "<name>", "mood": "bad"}), "Bob") else {
            panic!("accepted")
        };
        let error = &rejected.violations.errors[0];
        assert_eq!(
            error.to_string(),
            "$.name: '<name>' is a placeholder of the form; give a value from the input instead"
        );
    }
}
