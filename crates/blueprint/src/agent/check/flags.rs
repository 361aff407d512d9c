//! Warns if callers can pass any option to a command.

use std::cell::Cell;

use accord_contract::JsonPath;
use accord_domain::agent::{Blueprint, Executor, ProcessArguments};
use serde_json::Value;

use crate::finding::Findings;

/// Maximum references that are followed, because they can be circular or multiply.
const MOST_REFERENCES: usize = 64;

pub(super) fn check(blueprint: &Blueprint, findings: &mut Findings) {
    // Without a schema the only parameter is a prompt.
    let Some(schema) = &blueprint.parameters_schema else { return };
    if makes_flags(&blueprint.executor) && !is_closed(schema, schema, &Cell::new(MOST_REFERENCES)) {
        let message = "parameters become command-line options, and this schema accepts undeclared names, so a caller could pass any option: set 'additionalProperties: false'";
        findings.warning(JsonPath::root().key("parameters_schema"), message);
    }
}

fn makes_flags(executor: &Executor) -> bool {
    let Executor::Process(settings) = executor else { return false };
    let by_arguments = match &settings.args {
        Some(ProcessArguments::Mode(mode)) => Some(mode),
        _ => None,
    };
    let mode = settings.parameters_as.as_ref().or(by_arguments);
    mode.is_some_and(|mode| mode == "flags" || mode == "both")
}

/// Whether a schema accepts only declared names.
fn is_closed(schema: &Value, root: &Value, references: &Cell<usize>) -> bool {
    let Value::Object(members) = schema else { return *schema == Value::Bool(false) };
    let inner = |schema: &Value| is_closed(schema, root, references);
    let list = |keyword: &str| members.get(keyword).and_then(Value::as_array);
    let is_false = |keyword: &str| members.get(keyword) == Some(&Value::Bool(false));
    let names = members.get("propertyNames");
    let referred = || {
        let pointer = members.get("$ref")?.as_str()?.strip_prefix('#')?;
        references.set(references.get().checked_sub(1)?);
        Some(is_closed(root.pointer(pointer)?, root, references))
    };
    is_false("additionalProperties")
        || is_false("unevaluatedProperties")
        || names.is_some_and(|names| names.get("enum").or(names.get("const")).is_some())
        || members.contains_key("enum")
        || members.contains_key("const")
        || list("allOf").is_some_and(|all| all.iter().any(inner))
        || ["anyOf", "oneOf"].into_iter().filter_map(list).any(|all| all.iter().all(inner))
        || referred().unwrap_or(false)
}
