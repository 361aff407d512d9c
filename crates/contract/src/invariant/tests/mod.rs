//! Invariants: what they report, and that they cannot do harm.

mod functions;
mod hostile;
mod rules;
mod values;

use serde_json::Value;

use super::{Invariant, InvariantError, Invariants};
use crate::Violation;

fn invariant(rule: &str) -> Invariant {
    Invariant { rule: rule.to_owned(), message: "broken".to_owned() }
}

fn compile(rule: &str) -> Result<Invariants, InvariantError> {
    Invariants::compile(&[invariant(rule)])
}

fn compile_error(rule: &str) -> String {
    compile(rule).unwrap_err().message
}

fn check(rule: &str, output: &Value) -> Vec<Violation> {
    compile(rule).unwrap().check(output, &Value::Null)
}

fn holds(rule: &str, output: &Value) -> bool {
    check(rule, output).is_empty()
}

/// The one violation of a rule, in its one-line form.
fn line(rule: &str, output: &Value) -> String {
    let violations = check(rule, output);
    assert_eq!(violations.len(), 1, "{violations:?}");
    assert_eq!(violations[0].keyword, "invariant");
    violations[0].to_string()
}
