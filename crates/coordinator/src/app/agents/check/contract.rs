//! The contracts: schemas that compile, rules that parse, options in their ranges.

use accord_contract::{Invariant, Invariants, Place, Schema};
use accord_domain::agent::Blueprint;
use accord_domain::contract::{MOST_RETRIES, Options, Strategy};
use serde_json::Value;

use super::super::finding::Findings;
use super::super::name;
use super::{Contracts, Declared};

pub(super) fn check(blueprint: &Blueprint, findings: &mut Findings) -> Contracts {
    let root = Place::root();
    let parameters = blueprint.parameters_schema.as_ref();
    let parameters = parameters.and_then(|value| compiled(value, &root.key("parameters_schema"), findings));
    let output_options = blueprint.output_schema_options.as_ref();
    let default_options = blueprint.default_output_schema_options.as_ref();
    let output = declared("output_schema", blueprint.output_schema.as_ref(), output_options, findings);
    let default = blueprint.default_output_schema.as_ref();
    let default_output = declared("default_output_schema", default, default_options, findings);
    options("output_schema_options", output_options, findings);
    options("default_output_schema_options", default_options, findings);
    if blueprint.output_schema.is_some() && default.is_some() {
        let message = "'output_schema' always decides, so this default is never used";
        findings.warning(root.key("default_output_schema"), message);
    }
    if default_options.is_some() && default.is_none() {
        let message = "there is no 'default_output_schema' that these options could be for";
        findings.warning(root.key("default_output_schema_options"), message);
    }
    let invariants = invariants(blueprint, findings);
    Contracts { parameters, output, default_output, invariants }
}

fn compiled(value: &Value, place: &Place, findings: &mut Findings) -> Option<Schema> {
    match Schema::compile(value) {
        Ok(schema) => Some(schema),
        Err(error) => {
            findings.schema(place, &error);
            None
        }
    }
}

/// An output schema: a schema, or the name of a registered one.
fn declared(
    field: &str,
    value: Option<&Value>,
    options: Option<&Options>,
    findings: &mut Findings,
) -> Option<Declared> {
    let place = Place::root().key(field);
    let value = value?;
    if let Value::String(name) = value {
        if let Some(fault) = name::fault(name) {
            let message = format!("a text here is the name of a registered schema: {fault}");
            findings.error(place, message);
            return None;
        }
        return Some(Declared::Named(name.clone()));
    }
    let schema = compiled(value, &place, findings)?;
    for (inner, fault) in accord_workflow::compare::annotation_faults(value) {
        let mut place = place.clone();
        inner.steps().iter().for_each(|step| place.push(step.clone()));
        findings.warning(place, fault);
    }
    if !is_object_with_properties(value) {
        if options.and_then(|options| options.strategy) == Some(Strategy::Tool) {
            let message = "the submit tool takes an object: give the root 'type: object' and 'properties', \
                           or use another strategy";
            findings.error(place, message);
        } else {
            let message = "the root is not an object with properties: models are asked for it inside a wrapper, \
                           and some endpoints cannot be held to it";
            findings.warning(place, message);
        }
    }
    Some(Declared::Inline(schema))
}

pub(super) fn is_object_with_properties(schema: &Value) -> bool {
    let has_properties =
        schema.get("properties").and_then(Value::as_object).is_some_and(|map| !map.is_empty());
    schema.get("type").and_then(Value::as_str) == Some("object") && has_properties
}

fn options(field: &str, options: Option<&Options>, findings: &mut Findings) {
    let Some(options) = options else { return };
    let place = Place::root().key(field);
    if let Some(retries) = options.max_retries.filter(|retries| *retries > MOST_RETRIES) {
        let message = format!("{retries} retries are too many; {MOST_RETRIES} is the most");
        findings.error(place.key("max_retries"), message);
    }
    if options.strict_json_only == Some(true) && options.extract_json == Some(true) {
        let message = "nothing is extracted where 'strict_json_only' holds";
        findings.warning(place.key("extract_json"), message);
    }
}

fn invariants(blueprint: &Blueprint, findings: &mut Findings) -> Invariants {
    let place = Place::root().key("invariants");
    let has_contract = blueprint.output_schema.is_some() || blueprint.default_output_schema.is_some();
    if !blueprint.invariants.is_empty() && !has_contract {
        let message =
            "invariants speak of a structured output: give an 'output_schema' or a 'default_output_schema'";
        findings.error(place.clone(), message);
    }
    let rules: Vec<Invariant> = blueprint
        .invariants
        .iter()
        .map(|invariant| Invariant { rule: invariant.rule.clone(), message: invariant.message.clone() })
        .collect();
    match Invariants::compile(&rules) {
        Ok(invariants) => invariants,
        Err(_) => {
            // One by one, so that each that is wrong is told.
            for (index, rule) in rules.iter().enumerate() {
                if let Err(error) = Invariants::compile(std::slice::from_ref(rule)) {
                    findings.error(place.index(index).key("rule"), error.message);
                }
            }
            Invariants::default()
        }
    }
}
