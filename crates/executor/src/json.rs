//! Reading and editing JSON values.

pub(crate) use accord_json::read_unreserved as read;
use serde_json::Value;

/// Sets a member of an object; other values are left as they are.
pub(crate) fn set(object: &mut Value, key: &str, value: impl Into<Value>) {
    if let Value::Object(members) = object {
        members.insert(key.to_owned(), value.into());
    }
}
