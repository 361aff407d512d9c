//! Whatever a workflow file says: it is read and checked, and where it has no mistakes its run begins.

#![no_main]

use accord_fuzz::advanced;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = serde_json::from_slice::<Value>(bytes) else { return };
    advanced(&document, json!({"a": [1, 2]}));
});
