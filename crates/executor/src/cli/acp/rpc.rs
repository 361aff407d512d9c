//! Messages to ACP agents: JSON-RPC 2.0, one a line.

use serde::Serialize;
use serde_json::{Value, json};

/// The code of an agent that has to be logged in first.
pub(super) const AUTH_REQUIRED: i64 = -32000;

pub(super) fn request(id: u64, method: &str, params: &impl Serialize) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

pub(super) fn notification(method: &str, params: &impl Serialize) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
}

pub(super) fn response(id: &Value, result: &impl Serialize) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

pub(super) fn not_offered(id: &Value, method: &str) -> String {
    let error = json!({"code": -32601, "message": format!("this client does not offer '{method}'")});
    json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()
}
