//! Messages for models, by kind of error.

mod alternatives;
mod bounded;
mod kinds;
mod page;

use accord_json::Meter;
use serde_json::Value;

use super::Violations;
use crate::schema::Schema;

fn violations(schema: &Value, value: &Value) -> Violations {
    Schema::compile(schema, &Meter::default()).unwrap().violations(value)
}

/// The one-line forms; fails if some were omitted.
fn lines(schema: &Value, value: &Value) -> Vec<String> {
    let violations = violations(schema, value);
    assert_eq!(violations.more, 0, "{violations:?}");
    violations.errors.iter().map(ToString::to_string).collect()
}
