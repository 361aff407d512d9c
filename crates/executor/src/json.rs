//! Reading and editing JSON values.

use accord_json::{Checked, Limits, read_leniently, read_unreserved};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What one message of a model, a server or a program may have. Some servers send a whole stream as one body: 64,000 tokens with
/// a dozen values each.
pub(crate) const MESSAGE: Limits = Limits::WHOLE;

/// Reads what a model or a program wrote into a value; a reserved name is an error.
pub(crate) fn read(text: &str) -> serde_json::Result<Value> {
    read_unreserved(&Checked::new(text, MESSAGE)?)
}

/// Reads a message in the format of a server or a program.
pub(crate) fn read_message<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    read_leniently(&Checked::new(text, MESSAGE)?)
}

/// Sets a member of an object; other values are left as they are.
pub(crate) fn set(object: &mut Value, key: &str, value: impl Into<Value>) {
    if let Value::Object(members) = object {
        members.insert(key.to_owned(), value.into());
    }
}
