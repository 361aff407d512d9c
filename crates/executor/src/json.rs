//! JSON values that are put together.

use serde_json::Value;

/// Sets a member of an object; what is no object stays as it is.
pub(crate) fn set(object: &mut Value, key: &str, value: Value) {
    if let Value::Object(members) = object {
        members.insert(key.to_owned(), value);
    }
}
