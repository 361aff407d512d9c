//! Whatever a rule says: it is compiled, and evaluated on values of every kind, and both end.

#![no_main]

use accord_contract::Meter;
use accord_contract::{Condition, Invariant, Invariants};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fuzz_target!(|bytes: &[u8]| {
    let rule = String::from_utf8_lossy(bytes).into_owned();
    let values = [Value::Null, json!("aaaa"), json!([1, 2.5, -3, "x", [true]]), json!({"a": {"a": [1]}, "b": ""})];
    if let Ok(invariants) = Invariants::compile(&[Invariant { rule: rule.clone(), message: "no".to_owned() }]) {
        for value in &values {
            for violation in invariants.violations(value, &values[3], &Meter::default()) {
                assert!(!violation.message.is_empty());
            }
        }
    }
    if let Ok(condition) = Condition::compile(&rule, &["output", "input"]) {
        for value in &values {
            let held = condition.holds(&[("output", value), ("input", &values[2])], &Meter::default());
            assert!(held.err().is_none_or(|error| !error.to_string().is_empty()));
        }
    }
});
