//! A remote server, used over streamable HTTP.
//!
//! Absent: the stream of the server's own (we have asked for nothing that it could tell), resuming a stream that broke
//! off, and the farewell (`DELETE`): servers forget sessions by themselves.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::time::{Instant, timeout, timeout_at};

use super::body::Body;
use super::limits::{END, MESSAGE_BYTES, STREAM_BYTES};
use super::rpc::{self, Incoming};
use super::wire::{McpError, Wire};
use crate::transport::{Request, Response, Transport, TransportError};

/// How much of an invalid answer is shown.
const SHOWN_CHARACTERS: usize = 300;

pub(super) struct Address {
    transport: Arc<dyn Transport>,
    url: String,
    headers: BTreeMap<String, String>,
    version: Option<String>,
    /// What the server wants to know us by.
    session: Option<String>,
}

impl Address {
    pub(super) fn new(transport: Arc<dyn Transport>, url: &str, headers: &BTreeMap<String, String>) -> Self {
        let (url, headers) = (url.to_owned(), headers.clone());
        Self { transport, url, headers, version: None, session: None }
    }

    async fn post(&mut self, body: Value) -> Result<Response, McpError> {
        let own = [
            ("accept", Some("application/json, text/event-stream")),
            ("mcp-protocol-version", self.version.as_deref()),
            ("mcp-session-id", self.session.as_deref()),
        ];
        let own = own.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        let given = self.headers.iter().map(|(name, value)| (name.clone(), value.clone()));
        let request = Request { url: self.url.clone(), headers: given.chain(own).collect(), body };
        let response = self.transport.send(request).await.map_err(unreachable)?;
        if let Some(session) = header(&response, "mcp-session-id") {
            self.session = Some(session.to_owned());
        }
        match response.status {
            200..300 => Ok(response),
            status => Err(refused(status, response).await),
        }
    }
}

#[async_trait]
impl Wire for Address {
    async fn ask(&mut self, id: u64, request: Value, patience: Duration) -> Result<Value, McpError> {
        let silent = |_| McpError::Silent(patience);
        let mut response = timeout(patience, self.post(request)).await.map_err(silent)??;
        let is_stream = header(&response, "content-type").is_some_and(|kind| kind.contains("event-stream"));
        let mut body = Body::new(is_stream);
        let (mut until, mut taken) = (Instant::now() + patience, 0);
        loop {
            let piece = timeout_at(until, response.body.next()).await.map_err(silent)?;
            let messages = match piece.transpose().map_err(unreachable)? {
                Some(bytes) => {
                    taken += bytes.len();
                    if taken > STREAM_BYTES || !is_stream && taken > MESSAGE_BYTES {
                        return Err(McpError::Broken(format!(
                            "it sent an answer of more than {MESSAGE_BYTES} bytes"
                        )));
                    }
                    body.take(&bytes)
                }
                None => match body.end() {
                    Some(last) => vec![last],
                    None => return Err(McpError::Gone("its response was incomplete".to_owned())),
                },
            };
            for message in messages {
                match rpc::read(&message) {
                    Some(Incoming::Answer { id: Some(answered), outcome }) if answered == id => {
                        return outcome.map_err(McpError::Refused);
                    }
                    Some(Incoming::Answer { .. }) => {
                        return Err(McpError::Broken("it responded to an unknown request".to_owned()));
                    }
                    Some(Incoming::Progress(token)) if token == id => until = Instant::now() + patience,
                    Some(_) => {}
                    None => {
                        return Err(McpError::Broken(format!("invalid MCP message: {}", excerpt(&message))));
                    }
                }
            }
        }
    }

    async fn tell(&mut self, message: Value) -> Result<(), McpError> {
        let told = timeout(END, self.post(message)).await;
        told.map_err(|_| McpError::Silent(END))?.map(drop)
    }

    /// Never: requests are independent.
    fn is_lost_by(&self, _fault: &McpError) -> bool {
        false
    }

    fn speak(&mut self, version: &str) {
        self.version = Some(version.to_owned());
    }

    fn log(&self) -> String {
        String::new()
    }

    async fn close(self: Box<Self>) {}
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

fn unreachable(error: TransportError) -> McpError {
    McpError::Gone(format!("it cannot be reached: {error}"))
}

/// An error status, with the start of its body. Some servers send an MCP message.
async fn refused(status: u16, mut response: Response) -> McpError {
    let mut body = Vec::new();
    let reading = async {
        while let Some(Ok(bytes)) = response.body.next().await {
            body.extend_from_slice(&bytes);
            if body.len() > MESSAGE_BYTES {
                break;
            }
        }
    };
    timeout(END, reading).await.ok();
    let text = String::from_utf8_lossy(&body);
    match rpc::read(&text) {
        Some(Incoming::Answer { outcome: Err(words), .. }) => {
            McpError::Refused(format!("{words}, status {status}"))
        }
        _ => McpError::Gone(format!("it responded with status {status}: {}", excerpt(&text))),
    }
}

fn excerpt(text: &str) -> String {
    let short: String = text.chars().take(SHOWN_CHARACTERS).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("'{}{more}'", short.escape_debug())
}
