//! One node of a document: what nodes of every kind have in common.

use accord_contract::JsonPath;
use accord_domain::nearest;
use serde_json::Value;

use super::object_reader::{ObjectReader, type_name};
use super::{Node, OnFailure, Then};
use crate::finding::Findings;
use crate::kinds::{self, NodeKind};
use crate::limits::{LONGEST_ID, MOST_RETRIES};

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

pub(super) fn node(id: &str, value: &Value, place: JsonPath, findings: &mut Findings) -> Option<Node> {
    let mut reader = ObjectReader::of(value, place, "a node", findings)?;
    if let Some(problem) = id_problem(id) {
        findings.misplaced(reader.place.clone(), problem);
    }
    let names = kinds::ALL.map(|definition| definition.name);
    let name = reader.required_text("type", &format!("one of {}", names.join(", ")), findings);
    reader.any("position");
    reader.text("description", findings);
    let name = name?;
    let Some(definition) = kinds::ALL.into_iter().find(|definition| definition.name == name) else {
        let meant = (findings.looks(1) > 0).then(|| nearest(name, names)).flatten();
        let message = match meant {
            Some(meant) => format!("unknown node type '{name}'; did you mean '{meant}'?"),
            None => format!("unknown node type '{name}'; expected one of {}", names.join(", ")),
        };
        findings.error(reader.at("type"), message);
        return None;
    };
    let kind = (definition.read)(&mut reader, findings);
    let on_failure = on_failure(&mut reader, definition.per_item, findings);
    if kind.is_some() {
        for only in [NodeKind::INPUT, NodeKind::OUTPUT] {
            if id == only && name != only {
                let message = format!("the id '{id}' is reserved for a node of type {only}");
                findings.misplaced(reader.place.clone(), message);
            }
        }
        if !definition.can_fail && reader.has("on_failure") {
            findings.misplaced(reader.at("on_failure"), format!("a node of type {name} cannot fail"));
        }
        reader.finish(&format!("a node of type {name}"), findings);
    }
    Some(Node { id: id.to_owned(), kind: kind?, on_failure })
}

fn id_problem(id: &str) -> Option<String> {
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

fn on_failure(reader: &mut ObjectReader<'_>, per_item: bool, findings: &mut Findings) -> OnFailure {
    let place = reader.at("on_failure");
    let (wrong, expected) = match per_item {
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
        "fail_at_end" if per_item => Some(Then::FailAtEnd),
        _ => None,
    };
    let unknown = |what: &str, text: &str, expected: &str| match text {
        "fail_at_end" => format!("fail_at_end is only for map nodes; {expected}"),
        _ => format!("unknown {what} '{text}'; {expected}"),
    };
    match reader.any("on_failure") {
        None => OnFailure::default(),
        Some(Value::String(text)) => match then(text) {
            Some(then) => OnFailure { retries: 0, then },
            None => {
                findings.error(place, unknown("on_failure", text, wrong));
                OnFailure::default()
            }
        },
        Some(value @ Value::Object(_)) => {
            let Some(mut inner) = ObjectReader::of(value, place, "on_failure", findings) else {
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
            inner.finish("on_failure", findings);
            OnFailure { retries: retries.unwrap_or_default(), then }
        }
        Some(other) => {
            findings
                .error(place, format!("expected a string or an object, got {}; {wrong}", type_name(other)));
            OnFailure::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_lists_the_reserved_ids() {
        let guide = include_str!("../../../../docs/guides/workflows.md");
        let list =
            guide.split("These ids are reserved").nth(1).and_then(|rest| rest.split("`input` and").next());
        let listed: Vec<&str> = list.unwrap().split('`').skip(1).step_by(2).collect();
        assert_eq!(listed, RESERVED);
    }
}
