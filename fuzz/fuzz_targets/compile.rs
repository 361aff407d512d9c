//! Whatever is offered as a schema: compiling ends, in a schema that can be used or in an error that says where.

#![no_main]

use accord_contract::Meter;
use accord_contract::Schema;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = serde_json::from_slice::<Value>(bytes) else { return };
    match Schema::compile(&document, &Meter::default()) {
        Ok(schema) => {
            for value in [Value::Null, json!(""), json!(1.5), json!([[]]), json!({"a": {"a": 1}}), document] {
                assert_eq!(schema.accepts(&value, &Meter::default()), schema.check(&value, &Meter::default()).is_ok());
            }
        }
        Err(error) => assert!(!error.message.is_empty() && error.path.starts_with('$')),
    }
});
