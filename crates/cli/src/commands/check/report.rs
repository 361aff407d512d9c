//! The verdict for people.

use std::fmt::Write as _;
use std::ops::Range;

use accord_contract::{
    Accepted, Answer, Candidate, Contract, Mode, Outcome, Rejected, Source as Origin, Verdict, Violation,
    judge,
};
use owo_colors::OwoColorize as _;

use crate::document::Source;
use crate::excerpt::{Position, draw, visible};
use crate::meter::meter;

pub(super) fn accepted(source: &Source, accepted: &Accepted) -> String {
    let origin = match accepted.source {
        Origin::Structured => "handed over as a value",
        Origin::Text => "the whole text",
        Origin::Fence => "found in a fenced block",
        Origin::Prose => "found in the text",
    };
    let mut report = format!("{} ({origin})\n", "valid".green().bold());
    for repair in &accepted.repairs {
        let kind = serde_json::to_value(repair.kind).unwrap_or_default();
        let head = format!("repaired[{}]:", kind.as_str().unwrap_or_default());
        let _ = write!(report, "{} ", head.yellow().bold());
        if let Some(at) = repair.at {
            let Position { line, column } = Position::of(&source.text, at);
            let _ = write!(report, "{}:{line}:{column} at ", visible(&source.name));
        }
        let _ = writeln!(report, "{}: {}", visible(&repair.path), visible(&repair.detail));
    }
    let value = serde_json::to_string_pretty(&accepted.value).unwrap_or_default();
    let _ = writeln!(report, "{}", visible(&value));
    report
}

pub(super) fn rejected(
    source: &Source,
    rejected: &Rejected,
    answer: &Answer<'_>,
    contract: &Contract,
) -> String {
    let mut report = String::new();
    for error in &rejected.violations.errors {
        let head = format!("error[{}]:", error.keyword);
        let _ = writeln!(report, "{} {}", head.red().bold(), visible(&error.message));
        let place =
            rejected.candidate.as_ref().and_then(|candidate| place_of(&source.text, candidate, error));
        match place {
            Some(place) => report.push_str(&draw(source, place, Some(&error.path))),
            None if error.path != "$" => {
                let _ = writeln!(report, "  at {}", visible(&error.path));
            }
            None => {}
        }
        report.push('\n');
    }
    if rejected.violations.more > 0 {
        let _ = writeln!(report, "and {} more errors\n", rejected.violations.more);
    }
    let _ = writeln!(report, "{} {}", "rejected:".red().bold(), words(rejected.outcome));
    if let Some(hint) = hint(answer, contract) {
        let _ = writeln!(report, "{} {hint}", "hint:".cyan().bold());
    }
    report
}

fn words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::NoJson => "there is no JSON value in the text (no_json)",
        Outcome::ParseError => "what looks like JSON cannot be read (parse_error)",
        Outcome::SchemaInvalid => "the value does not conform to the schema (schema_invalid)",
        Outcome::InvariantFailed => "the value breaks an invariant (invariant_failed)",
        Outcome::SchemaEcho => "the text gives the schema back instead of a value (schema_echo)",
        Outcome::ExampleEcho => "the text repeats an example or a placeholder (example_echo)",
        Outcome::Ambiguous => "two or more different values could be meant (ambiguous)",
        Outcome::Embedded => "the value conforms and is not alone in the text (embedded)",
        Outcome::Unconfirmed => "the value conforms and has to be confirmed (unconfirmed)",
    }
}

/// The part of the text that an error speaks of.
fn place_of(text: &str, candidate: &Candidate, error: &Violation) -> Option<Range<usize>> {
    let range = candidate.range.clone()?;
    if candidate.value.is_none() {
        // It could be read up to its end and no further.
        return Some(range.end..range.end);
    }
    Some(accord_contract::locate(text, range, &error.pointer).mark(text))
}

/// The bytes of the text that the report speaks of.
pub(super) fn places(text: &str, verdict: &Verdict) -> Vec<usize> {
    match verdict {
        Verdict::Accepted(accepted) => accepted.repairs.iter().filter_map(|repair| repair.at).collect(),
        Verdict::Rejected(Rejected { candidate: Some(candidate), violations, .. }) => {
            let errors = violations.errors.iter();
            errors.filter_map(|error| Some(place_of(text, candidate, error)?.start)).collect()
        }
        Verdict::Rejected(_) => Vec::new(),
    }
}

/// Says so when the text would pass in the other mode.
fn hint(answer: &Answer<'_>, contract: &Contract) -> Option<String> {
    if contract.options().mode == Mode::Lenient {
        return None;
    }
    let mut options = contract.options();
    options.mode = Mode::Lenient;
    match judge(answer, &contract.clone().with_options(options), &meter()) {
        Verdict::Accepted(accepted) => {
            let repairs = match accepted.repairs.len() {
                1 => "1 repair".to_owned(),
                count => format!("{count} repairs"),
            };
            Some(format!("--mode lenient accepts this text with {repairs}"))
        }
        Verdict::Rejected(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use accord_contract::{JsonPath, Repair, RepairKind, Schema, Violations};
    use serde_json::json;

    use super::*;

    fn plain(text: &str, outcome: Outcome, candidate: Option<Candidate>, error: Violation) -> String {
        let source = Source { name: "answer.txt".to_owned(), text: text.to_owned() };
        let rejected =
            Rejected { outcome, violations: Violations { errors: vec![error], more: 3 }, candidate };
        let contract = Contract::new(Schema::compile(&json!(false), &meter()).unwrap());
        let report = super::rejected(&source, &rejected, &Answer::text(text), &contract);
        anstream::adapter::strip_str(&report).to_string()
    }

    #[test]
    fn the_offending_value_is_marked_inside_its_candidate() {
        let text = "Example: {\"severity\": \"low\"}\n```json\n{\n  \"severity\": \"critical\"\n}\n```\n";
        let range = 37..65;
        assert_eq!(text.get(range.clone()), Some("{\n  \"severity\": \"critical\"\n}"));
        let error =
            Violation::new(&JsonPath::root().key("severity"), "enum", "'critical' is not one of ['low']");
        let candidate = Some(Candidate { range: Some(range), value: Some(json!({"severity": "critical"})) });
        insta::assert_snapshot!(plain(text, Outcome::SchemaInvalid, candidate, error), @r#"
        error[enum]: 'critical' is not one of ['low']
         --> answer.txt:4:15 at $.severity
          |
        4 |   "severity": "critical"
          |               ^^^^^^^^^^

        and 3 more errors

        rejected: the value does not conform to the schema (schema_invalid)
        "#);
    }

    #[test]
    fn a_syntax_error_is_marked_where_reading_stops() {
        let text = "Sure!\n{\"a\": 1,\n \"b\" 2}";
        let error = Violation::new(&JsonPath::root(), "json", "a ':' is missing");
        let candidate = Some(Candidate { range: Some(6..20), value: None });
        insta::assert_snapshot!(plain(text, Outcome::ParseError, candidate, error), @r#"
        error[json]: a ':' is missing
         --> answer.txt:3:6
          |
        3 |  "b" 2}
          |      ^

        and 3 more errors

        rejected: what looks like JSON cannot be read (parse_error)
        "#);
    }

    #[test]
    fn without_a_candidate_there_is_nothing_to_mark() {
        let error = Violation::new(&JsonPath::root(), "json", "no JSON value was found");
        insta::assert_snapshot!(plain("I cannot do that.", Outcome::NoJson, None, error), @r#"
        error[json]: no JSON value was found

        and 3 more errors

        rejected: there is no JSON value in the text (no_json)
        "#);
    }

    #[test]
    fn repairs_are_listed_before_the_value() {
        let accepted = Accepted {
            value: json!({"a": 1}),
            repairs: vec![Repair {
                kind: RepairKind::ExtraComma,
                path: "$".to_owned(),
                detail: "dropped a comma".to_owned(),
                at: Some(7),
            }],
            source: Origin::Fence,
            account: accord_contract::Account::default(),
        };
        let source = Source { name: "answer.txt".to_owned(), text: "{\n\"a\":1,}".to_owned() };
        let report = super::accepted(&source, &accepted);
        insta::assert_snapshot!(anstream::adapter::strip_str(&report).to_string(), @r#"
        valid (found in a fenced block)
        repaired[extra_comma]: answer.txt:2:6 at $: dropped a comma
        {
          "a": 1
        }
        "#);
    }
}
