//! Any template is checked, and rendered if it is valid, and both end.
//!
//! The template is the output of a workflow, because templates have no public API.

#![no_main]

use accord_fuzz::{advanced, workflow};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fuzz_target!(|bytes: &[u8]| {
    let template = String::from_utf8_lossy(bytes);
    let input = json!({"a": [1, 2.50, "x", {"b": null}], "text": "a b", "number": 12345678901234567890_u64});
    if let Some(state) = advanced(&workflow(&Value::from(template.as_ref())), input) {
        assert!(state.head.status.is_over(), "nothing is at work, and it is not over: {state:?}");
    }
});
