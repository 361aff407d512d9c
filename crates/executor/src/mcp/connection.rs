//! A connection to one server: numbers what it is asked, and takes back what is no longer wanted.

use std::time::Duration;

use serde_json::{Value, json};

use super::rpc;
use super::wire::{McpError, Wire};
use crate::json::set;

pub(super) struct Connection {
    pub(super) wire: Box<dyn Wire>,
    last_id: u64,
    open: Option<u64>,
}

impl Connection {
    pub(super) fn new(wire: Box<dyn Wire>) -> Self {
        Self { wire, last_id: 0, open: None }
    }

    /// Asks, and waits for the answer. `patience` is how long there may be no sign of life. When this is dropped
    /// half-way, [`Connection::give_up`] comes next.
    pub(super) async fn ask(
        &mut self,
        method: &str,
        mut params: Value,
        patience: Duration,
    ) -> Result<Value, McpError> {
        self.last_id += 1;
        let id = self.last_id;
        if method == "tools/call" {
            set(&mut params, "_meta", json!({"progressToken": id}));
        }
        self.open = Some(id);
        let answered = self.wire.ask(id, rpc::request(id, method, params), patience).await;
        match answered {
            Err(McpError::Silent(_)) => self.give_up().await,
            _ => self.open = None,
        }
        answered
    }

    pub(super) async fn tell(&mut self, method: &str, params: Value) -> Result<(), McpError> {
        self.wire.tell(rpc::telling(method, params)).await
    }

    /// Tells that the answer to the question before is no longer wanted.
    pub(super) async fn give_up(&mut self) {
        let Some(id) = self.open.take() else { return };
        let params = json!({"requestId": id, "reason": "the answer is no longer wanted"});
        self.tell("notifications/cancelled", params).await.ok();
    }
}
