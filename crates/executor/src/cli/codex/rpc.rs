//! Messages to the app server of Codex: JSON-RPC without the version, one a line.

use serde_json::{Value, json};

pub(super) fn request(id: u64, method: &str, params: &Value) -> String {
    json!({"id": id, "method": method, "params": params}).to_string()
}

pub(super) fn notification(method: &str) -> String {
    json!({"method": method}).to_string()
}

pub(super) fn response(id: &Value, result: &Value) -> String {
    json!({"id": id, "result": result}).to_string()
}

pub(super) fn declined(id: &Value) -> String {
    json!({"id": id, "error": {"code": -32601, "message": "there is no interactive user"}}).to_string()
}
