//! Two contracts for one value: an agent's and its caller's.
//!
//! The comparison is the one of connected nodes ([`crate::fit`]), with the agent as the producer. It is sound in both directions: what is
//! [`Agreement::Implied`] needs no second look at a value, and what is [`Agreement::Impossible`] no run.

use accord_contract::{Exceeded, JsonPath, Meter, latest, schema_changes};
use serde_json::{Map, Value, json};

use crate::fit::{Fit, Misfit, Sides, fits_as, is_addressed, mentions_references};
use crate::schema_parts::moved;

/// What two contracts have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Agreement {
    /// Every value of the agent's schema is one of the caller's.
    Implied,
    /// Some values may conform to both, or the schemas do not show it.
    Partial(Vec<Disagreement>),
    /// No value conforms to both.
    Impossible(Vec<Disagreement>),
}

/// A place where two contracts differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The place in the value, as people write it; `*` is any item or any other member.
    pub path: String,
    pub message: String,
}

impl std::fmt::Display for Disagreement {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.path, self.message)
    }
}

const SIDES: Sides = Sides { producer: "the agent", consumer: "the caller" };

/// Compares the contract of an agent with the one of its caller.
pub fn agreement(agents: &Value, callers: &Value, meter: &Meter) -> Result<Agreement, Exceeded> {
    let (Some(agents), Some(callers)) = (latest(agents, meter)?, latest(callers, meter)?) else {
        let message = "the schemas are written in dialects that cannot be compared; write both in 2020-12";
        let place = Disagreement { path: "$".to_owned(), message: message.to_owned() };
        return Ok(Agreement::Partial(vec![place]));
    };
    if schema_changes(&agents, &callers, meter)?.is_empty() {
        return Ok(Agreement::Implied);
    }
    let fit = fits_as(SIDES, &agents, &callers, meter);
    meter.check()?;
    Ok(match fit {
        Fit::Always => Agreement::Implied,
        Fit::Perhaps(misfits) => Agreement::Partial(places(misfits)),
        Fit::Never(misfits) => Agreement::Impossible(places(misfits)),
    })
}

fn places(misfits: Vec<Misfit>) -> Vec<Disagreement> {
    let place = |misfit: Misfit| Disagreement { path: path(&misfit.pointer), message: misfit.message };
    misfits.into_iter().map(place).collect()
}

fn path(pointer: &str) -> String {
    let step = |token: &str| match token {
        "*" => "[*]".to_owned(),
        name => {
            let name = name.replace("~1", "/").replace("~0", "~");
            JsonPath::root().key(&name).path().trim_start_matches('$').to_owned()
        }
    };
    pointer.split('/').skip(1).map(step).fold("$".to_owned(), |path, step| path + &step)
}

/// The keyword by which the parts of [`both`] say whose they are; errors of a value name it.
const OWNER: &str = "x-contract-of";

/// The schema of the values that conform to both. None where the two cannot be parts of one document: with addresses of their own, or
/// in dialects that cannot be written in one.
pub fn both(agents: &Value, callers: &Value, meter: &Meter) -> Result<Option<Value>, Exceeded> {
    let mut definitions = Map::new();
    let mut parts = Vec::new();
    for (owner, schema) in [("agent", agents), ("caller", callers)] {
        let Some(schema) = latest(schema, meter)? else { return Ok(None) };
        let has_references = mentions_references(&schema);
        if has_references && is_addressed(&schema) {
            return Ok(None);
        }
        let mut part = match (has_references, schema) {
            (true, schema) => {
                definitions.insert(owner.to_owned(), moved(&schema, &format!("#/$defs/{owner}")));
                json!({"$ref": format!("#/$defs/{owner}")})
            }
            (false, Value::Bool(true)) => json!({}),
            (false, Value::Bool(false)) => json!({"not": {}}),
            (false, schema) => schema,
        };
        if let Value::Object(keywords) = &mut part {
            keywords.shift_remove("$id");
            keywords.insert(OWNER.to_owned(), Value::from(owner));
        }
        parts.push(part);
    }
    let mut whole = json!({"allOf": parts});
    if let (Value::Object(keywords), false) = (&mut whole, definitions.is_empty()) {
        keywords.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Ok(Some(whole))
}

#[cfg(test)]
mod tests {
    use accord_contract::Schema;

    use super::*;

    fn sentiment() -> Value {
        json!({
            "type": "object", "required": ["label", "score"], "additionalProperties": false,
            "properties": {"label": {"enum": ["good", "bad"]}, "score": {"type": "number", "minimum": 0}},
        })
    }

    fn compared(callers: &Value) -> Agreement {
        agreement(&sentiment(), callers, &Meter::default()).unwrap()
    }

    fn first(agreement: Agreement) -> (bool, String) {
        match agreement {
            Agreement::Implied => (true, String::new()),
            Agreement::Partial(places) => (true, places[0].to_string()),
            Agreement::Impossible(places) => (false, places[0].to_string()),
        }
    }

    #[test]
    fn equal_and_wider_contracts_are_implied() {
        let reordered = json!({
            "$schema": "http://json-schema.org/draft-07/schema#", "title": "Sentiment", "type": "object",
            "properties": {"score": {"minimum": 0, "type": "number"}, "label": {"enum": ["bad", "good"]}},
            "required": ["score", "label"], "additionalProperties": false,
        });
        let wider = json!({
            "type": "object", "required": ["label", "score"], "additionalProperties": false,
            "properties": {"label": {"type": "string"}, "score": {"type": "number"}},
        });
        let by_reference = json!({
            "$ref": "#/$defs/S", "$defs": {"S": {"type": "object", "properties": {"label": {"type": "string"}}}},
        });
        for callers in [sentiment(), reordered, wider, by_reference, json!({"type": "object"}), json!(true)] {
            assert_eq!(compared(&callers), Agreement::Implied, "{callers}");
        }
    }

    #[test]
    fn the_place_of_a_difference_is_named() {
        let narrower = json!({"type": "object", "properties": {"label": {"enum": ["good"]}}});
        let lacking = json!({
            "type": "object", "required": ["label"], "additionalProperties": false,
            "properties": {"label": {"type": "string"}},
        });
        let other = json!({"type": "object", "properties": {"label": {"type": "integer"}}});
        let cases = [
            (narrower, (true, "$.label: the agent may output \"bad\", which the caller rejects")),
            (lacking, (false, "$.score: the caller accepts nothing")),
            (other, (false, "$.label: the agent outputs \"good\", which the caller rejects")),
            (
                json!({"type": "array"}),
                (false, "$: the agent outputs an object, but the caller accepts \"array\""),
            ),
        ];
        for (callers, (possible, place)) in cases {
            assert_eq!(first(compared(&callers)), (possible, place.to_owned()), "{callers}");
        }
    }

    #[test]
    fn both_are_one_schema_whose_errors_say_whose() {
        let callers = json!({
            "$ref": "#/$defs/S",
            "$defs": {"S": {"type": "object", "properties": {"score": {"$ref": "#/$defs/N"}}}, "N": {"maximum": 1}},
        });
        let meter = Meter::default();
        let both = both(&sentiment(), &callers, &meter).unwrap().unwrap();
        let schema = Schema::compile(&both, &meter).unwrap();
        let errors = |value: Value| {
            let found = schema.check(&value, &meter).err().map(|violations| violations.errors);
            found.into_iter().flatten().map(|each| each.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(errors(json!({"label": "good", "score": 1})), Vec::<String>::new());
        assert_eq!(
            errors(json!({"label": "ugly", "score": 2})),
            [
                "$.label: expected one of \"good\", \"bad\"; got \"ugly\" (the agent's schema)",
                "$.score: expected a number of at most 1, got 2 (the caller's schema)",
            ]
        );
    }

    #[test]
    fn a_document_with_addresses_is_not_taken_apart() {
        let callers = json!({"$id": "https://example.com/a", "properties": {"b": {"$ref": "#"}}});
        assert_eq!(both(&sentiment(), &callers, &Meter::default()).unwrap(), None);
    }
}
