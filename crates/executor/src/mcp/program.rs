//! A server that is a child process, used over stdio.

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::process::Command;
use tokio::time::{Instant, timeout_at};

use super::limits::{END, EXIT, MESSAGE_BYTES, NOISE_LINES};
use super::rpc::{self, Incoming};
use super::wire::{McpError, Wire};
use crate::child::{ChildOutput, Environment, Live};
use crate::program;

pub(super) struct Program {
    live: Live,
    noise: usize,
}

impl Program {
    pub(super) async fn start(
        command: &str,
        args: &[String],
        environment: &Environment,
        folder: &Path,
    ) -> Result<Self, McpError> {
        let mut child = Command::new(command);
        child.args(args).env_clear().envs(environment.iter().cloned()).current_dir(folder);
        let live = Live::spawn(child, MESSAGE_BYTES).await.map_err(|error| {
            McpError::Gone(format!("'{command}' cannot be started: {}", program::cause(&error)))
        })?;
        Ok(Self { live, noise: 0 })
    }

    async fn say(&mut self, message: &Value, until: Instant) -> Result<(), McpError> {
        match timeout_at(until, self.live.send_line(message.to_string())).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(self.gone().await),
            Err(_) => Err(McpError::Gone("it does not read its stdin".to_owned())),
        }
    }

    /// How it ended. Its last words on stderr are waited for: they say why.
    async fn gone(&mut self) -> McpError {
        McpError::Gone(match self.live.last_words(EXIT).await.0 {
            Some(status) => format!("it has ended ({status})"),
            None => "it has closed its stdout".to_owned(),
        })
    }

    async fn answer_to(&mut self, id: u64, patience: Duration) -> Result<Value, McpError> {
        let mut until = Instant::now() + patience;
        loop {
            let heard =
                timeout_at(until, self.live.next_output()).await.map_err(|_| McpError::Silent(patience))?;
            let text = match heard {
                ChildOutput::Line(text) => text,
                ChildOutput::Garbage => String::new(),
                ChildOutput::TooLong => {
                    return Err(McpError::Broken(format!(
                        "it sent a message of more than {MESSAGE_BYTES} bytes"
                    )));
                }
                ChildOutput::Closed { .. } => return Err(self.gone().await),
            };
            match rpc::read(&text) {
                Some(Incoming::Answer { id: Some(answered), outcome }) if answered == id => {
                    return outcome.map_err(McpError::Refused);
                }
                // Late, or a second one: to a question that was given up or is answered.
                Some(Incoming::Answer { id: Some(answered), .. }) if (1..id).contains(&answered) => {}
                Some(Incoming::Answer { .. }) => {
                    return Err(McpError::Broken("it responded to an unknown request".to_owned()));
                }
                Some(Incoming::Request { id, method }) => self.say(&rpc::reply(id, &method), until).await?,
                Some(Incoming::Progress(token)) if token == id => until = Instant::now() + patience,
                Some(Incoming::Progress(_) | Incoming::Notification) => {}
                None => self.noisy()?,
            }
        }
    }

    fn noisy(&mut self) -> Result<(), McpError> {
        self.noise += 1;
        match self.noise > NOISE_LINES {
            true => Err(McpError::Broken("it writes invalid MCP messages to stdout".to_owned())),
            false => Ok(()),
        }
    }
}

#[async_trait]
impl Wire for Program {
    async fn ask(&mut self, id: u64, request: Value, patience: Duration) -> Result<Value, McpError> {
        self.say(&request, Instant::now() + patience).await?;
        self.answer_to(id, patience).await
    }

    async fn tell(&mut self, message: Value) -> Result<(), McpError> {
        self.say(&message, Instant::now() + END).await
    }

    /// What follows a line that cannot be could be anything.
    fn is_lost_by(&self, fault: &McpError) -> bool {
        matches!(fault, McpError::Broken(_) | McpError::Gone(_))
    }

    fn speak(&mut self, _version: &str) {}

    fn log(&self) -> String {
        self.live.stderr()
    }

    async fn close(self: Box<Self>) {
        self.live.end(END).await;
    }
}
