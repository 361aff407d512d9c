//! One node of a document.

use accord_contract::Place;
use accord_domain::nearest;
use serde_json::Value;

use super::members::{Members, kind_of};
use super::{Kind, Node, OnFailure, OutputSchema, Parameters, Severity, Target, Then, Work};
use crate::finding::Findings;
use crate::limits::{HIGHEST_CONCURRENCY, LONGEST_ID, MOST_RETRIES, USUAL_CONCURRENCY};

const KINDS: &str = "input, agent, check, map, planner, output";

/// Names that templates and conditions use for something else.
const RESERVED: &[&str] = &[
    "inputs",
    "contradictions",
    "near_duplicates",
    "agreements",
    "item",
    "index",
    "plan",
    "results",
    "loop",
    "self",
    "true",
    "false",
    "none",
    "null",
    "and",
    "or",
    "not",
    "in",
    "is",
    "if",
    "else",
    "for",
    "as",
    "has",
    "range",
    "dict",
];

pub(super) fn node(id: &str, value: &Value, place: Place, findings: &mut Findings) -> Option<Node> {
    let mut members = Members::of(value, place, "a node", findings)?;
    if let Some(fault) = id_fault(id) {
        findings.misplaced(members.place.clone(), fault);
    }
    let kind = members.required_text("type", &format!("one of {KINDS}"), findings);
    members.any("position");
    members.text("description", findings);
    let is_map = kind == Some("map");
    let kind = match kind {
        Some("input") => Some(Kind::Input { schema: input_schema(&mut members, findings) }),
        Some("output") => Some(Kind::Output { value: members.any("value").cloned() }),
        Some("agent") => work(&mut members, findings).map(Kind::Agent),
        Some("check") => check(&mut members, findings),
        Some("map") => map(&mut members, findings),
        Some("planner") => planner(&mut members, findings),
        Some(other) => {
            let meant = (findings.looks(1) > 0).then(|| nearest(other, KINDS.split(", "))).flatten();
            let message = match meant {
                Some(meant) => format!("unknown node type '{other}'; did you mean '{meant}'?"),
                None => format!("unknown node type '{other}'; expected one of {KINDS}"),
            };
            findings.error(members.at("type"), message);
            return None;
        }
        None => return None,
    };
    let on_failure = on_failure(&mut members, is_map, findings);
    if let Some(kind) = &kind {
        let fixed = matches!(kind, Kind::Input { .. } | Kind::Output { .. });
        for (name, only) in [("input", "input"), ("output", "output")] {
            if id == name && kind.as_str() != only {
                findings.misplaced(
                    members.place.clone(),
                    format!("the id '{id}' is reserved for a node of type {only}"),
                );
            }
        }
        if fixed && members.has("on_failure") {
            let message = format!("a node of type {} cannot fail", kind.as_str());
            findings.misplaced(members.at("on_failure"), message);
        }
        members.end(&format!("a node of type {}", kind.as_str()), findings);
    }
    Some(Node { id: id.to_owned(), kind: kind?, on_failure })
}

fn id_fault(id: &str) -> Option<String> {
    let mut characters = id.chars();
    let plain = characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|each| each.is_ascii_alphanumeric() || each == '_');
    if !plain || id.len() > LONGEST_ID {
        return Some(format!(
            "invalid node id '{id}': expected at most {LONGEST_ID} letters, digits and '_', not starting with a digit"
        ));
    }
    RESERVED.contains(&id).then(|| format!("the id '{id}' is reserved in templates; use another id"))
}

fn input_schema(members: &mut Members<'_>, findings: &mut Findings) -> Option<Value> {
    let (value, place) = (members.any("schema")?, members.at("schema"));
    if value.is_string() {
        let message =
            "expected the schema itself; the name of a registered schema is allowed only in output_schema";
        findings.error(place, message);
        return None;
    }
    schema(value, place, findings)
}

fn output_schema(members: &mut Members<'_>, findings: &mut Findings) -> Option<OutputSchema> {
    match members.any("output_schema")? {
        Value::String(name) => Some(OutputSchema::Named(name.clone())),
        value => schema(value, members.at("output_schema"), findings).map(OutputSchema::Inline),
    }
}

fn schema(value: &Value, place: Place, findings: &mut Findings) -> Option<Value> {
    match accord_contract::Schema::compile(value) {
        Ok(_) => Some(value.clone()),
        Err(error) => {
            findings.error(place.join(&Place::of_pointer(value, &error.pointer)), error.message);
            None
        }
    }
}

fn check(members: &mut Members<'_>, findings: &mut Findings) -> Option<Kind> {
    let assert = members.required_text("assert", "a condition in CEL over the inputs", findings);
    let message = members.required_text("message", "the message if the check fails", findings);
    let severity = match members.text("severity", findings) {
        None | Some("fail") => Severity::Fail,
        Some("warn") => Severity::Warn,
        Some(other) => {
            findings.error(members.at("severity"), format!("expected severity warn or fail, got '{other}'"));
            Severity::Fail
        }
    };
    // Without a message it is never run, and its condition is read all the same.
    let message = message.unwrap_or_default().to_owned();
    Some(Kind::Check { assert: assert?.to_owned(), message, severity })
}

fn map(members: &mut Members<'_>, findings: &mut Findings) -> Option<Kind> {
    let over = members.required_text(
        "over",
        "a template that evaluates to a list, for example '{{ files.list }}'",
        findings,
    );
    let work = work(members, findings);
    let concurrency = concurrency(members, findings);
    Some(Kind::Map { over: over?.to_owned(), work: work?, concurrency })
}

fn concurrency(members: &mut Members<'_>, findings: &mut Findings) -> u32 {
    members.number("concurrency", 1..=HIGHEST_CONCURRENCY, findings).unwrap_or(USUAL_CONCURRENCY)
}

fn planner(members: &mut Members<'_>, findings: &mut Findings) -> Option<Kind> {
    let work = work(members, findings);
    if let Some(Work { target: Target::Workflow(_), .. }) = &work {
        findings.misplaced(members.at("workflow"), "a planner must be an agent, not a workflow");
    }
    if let Some(Work { output_schema: Some(_), .. }) = &work {
        let message = "the output schema of a planner is fixed; remove this";
        findings.misplaced(members.at("output_schema"), message);
    }
    let mut agents = Vec::new();
    let at = members.at("agents");
    match members.any("agents") {
        Some(Value::Array(items)) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                match item {
                    Value::String(name) => agents.push(name.clone()),
                    other => findings.error(
                        at.index(index),
                        format!("expected the name of an agent, got {}", kind_of(other)),
                    ),
                }
            }
        }
        Some(Value::Array(_)) => findings.error(at, "'agents' must name at least one agent"),
        Some(other) => {
            findings.error(at, format!("'agents': expected a list of names, got {}", kind_of(other)))
        }
        None => findings.error(at, "missing field 'agents': the agents that a plan can use"),
    }
    let place = members.at("synthesis");
    let synthesis = members.any("synthesis").and_then(|value| {
        let mut members = Members::of(value, place, "a synthesis", findings)?;
        let work = self::work(&mut members, findings);
        members.end("a synthesis", findings);
        work.map(Box::new)
    });
    let concurrency = concurrency(members, findings);
    Some(Kind::Planner { work: work?, agents, synthesis, concurrency })
}

fn work(members: &mut Members<'_>, findings: &mut Findings) -> Option<Work> {
    let (agent, workflow) = (members.any("agent"), members.text("workflow", findings));
    let target = match (agent, workflow) {
        (Some(_), Some(_)) => {
            findings.misplaced(members.at("workflow"), "'agent' is already set; keep one of the two");
            None
        }
        (Some(Value::String(name)), None) => Some(Target::Agent(name.clone())),
        (Some(inline @ Value::Object(_)), None) => Some(Target::Inline(inline.clone())),
        (Some(other), None) => {
            let message = format!("expected an agent name or a blueprint, got {}", kind_of(other));
            findings.error(members.at("agent"), message);
            None
        }
        (None, Some(name)) => Some(Target::Workflow(name.to_owned())),
        (None, None) => {
            let message = "missing field 'agent' (or 'workflow', to run another workflow)";
            findings.error(members.at("agent"), message);
            None
        }
    };
    let parameters = parameters(members, findings);
    let output_schema = output_schema(members, findings);
    if let (Some(Target::Workflow(_)), Some(_)) = (&target, &output_schema) {
        findings.misplaced(
            members.at("output_schema"),
            "the output of a workflow is defined by the workflow itself; remove this",
        );
    }
    Some(Work { target: target?, parameters, output_schema })
}

fn parameters(members: &mut Members<'_>, findings: &mut Findings) -> Parameters {
    let (prompt, fields) = (members.text("prompt", findings), members.any("parameters"));
    match (prompt, fields) {
        (Some(_), Some(_)) => {
            findings.misplaced(members.at("parameters"), "'prompt' is already set; keep one of the two");
            Parameters::Inputs
        }
        (Some(prompt), None) => Parameters::Prompt(prompt.to_owned()),
        (None, Some(Value::Object(fields))) => Parameters::Fields(fields.clone()),
        (None, Some(other)) => {
            let message = format!("'parameters': expected an object of templates, got {}", kind_of(other));
            findings.error(members.at("parameters"), message);
            Parameters::Inputs
        }
        (None, None) => Parameters::Inputs,
    }
}

fn on_failure(members: &mut Members<'_>, is_map: bool, findings: &mut Findings) -> OnFailure {
    let place = members.at("on_failure");
    let (wrong, expected) = match is_map {
        true => (
            "expected fail, fail_at_end, continue, or {retry: n}, optionally with then: fail_at_end or continue",
            "expected fail, fail_at_end or continue",
        ),
        false => (
            "expected fail, continue, or {retry: n}, optionally with then: continue",
            "expected fail or continue",
        ),
    };
    let then = |text: &str| match text {
        "fail" => Some(Then::Fail),
        "continue" => Some(Then::Continue),
        "fail_at_end" if is_map => Some(Then::FailAtEnd),
        _ => None,
    };
    let unknown = |what: &str, text: &str, expected: &str| match text {
        "fail_at_end" => format!("fail_at_end is only for map nodes; {expected}"),
        _ => format!("unknown {what} '{text}'; {expected}"),
    };
    match members.any("on_failure") {
        None => OnFailure::default(),
        Some(Value::String(text)) => match then(text) {
            Some(then) => OnFailure { retries: 0, then },
            None => {
                findings.error(place, unknown("on_failure", text, wrong));
                OnFailure::default()
            }
        },
        Some(value @ Value::Object(_)) => {
            let Some(mut inner) = Members::of(value, place, "on_failure", findings) else {
                return OnFailure::default();
            };
            let retries = inner.number("retry", 1..=MOST_RETRIES, findings);
            if !inner.has("retry") {
                findings.error(inner.at("retry"), format!("missing field 'retry'; {wrong}"));
            }
            let text = inner.text("then", findings).unwrap_or("fail");
            let then = then(text).unwrap_or_else(|| {
                findings.error(inner.at("then"), unknown("value", text, expected));
                Then::Fail
            });
            inner.end("on_failure", findings);
            OnFailure { retries: retries.unwrap_or_default(), then }
        }
        Some(other) => {
            findings.error(place, format!("expected a string or an object, got {}; {wrong}", kind_of(other)));
            OnFailure::default()
        }
    }
}
