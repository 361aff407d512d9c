//! A server that is a child process, used over stdio.
//!
//! The process is ours and not `rmcp`'s: it is ended with its whole group, what it writes is limited, and what it does wrong
//! is reported instead of ignored.

use std::convert::Infallible;
use std::path::Path;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::process::Command;
use tokio::time::timeout;

use super::error::{self, Faults, McpError};
use super::limits::{END, EXIT, MESSAGE_BYTES, NOISE_LINES};
use crate::child::{ChildOutput, Environment, Live, Stderr};
use crate::program;

pub(super) struct Program {
    live: Option<Live>,
    /// The id of the last request, the highest.
    asked: i64,
    noise: usize,
    faults: Faults,
}

impl Program {
    /// Starts a server. The end of what it writes to stderr can be read while it runs, and after.
    pub(super) async fn start(
        command: &str,
        args: &[String],
        environment: &Environment,
        folder: &Path,
        faults: Faults,
    ) -> Result<(Self, Stderr), McpError> {
        let mut child = Command::new(command);
        child.args(args).env_clear().envs(environment.iter().cloned()).current_dir(folder);
        let live = Live::spawn(child, MESSAGE_BYTES).await.map_err(|error| {
            McpError::Gone(format!("'{command}' cannot be started: {}", program::cause(&error)))
        })?;
        let stderr = live.stderr_handle();
        Ok((Self { live: Some(live), asked: -1, noise: 0, faults }, stderr))
    }

    async fn next_message(&mut self) -> Result<ServerJsonRpcMessage, McpError> {
        let Some(live) = &mut self.live else { return Err(McpError::Gone("it has ended".to_owned())) };
        loop {
            let text = match live.next_output().await {
                ChildOutput::Line(text) => text,
                ChildOutput::Garbage => String::new(),
                ChildOutput::TooLong => {
                    return Err(McpError::Broken(format!(
                        "it sent a message of more than {MESSAGE_BYTES} bytes"
                    )));
                }
                // Its last words on stderr are waited for: they say why.
                ChildOutput::Closed { .. } => {
                    return Err(McpError::Gone(match live.last_words(EXIT).await.0 {
                        Some(status) => format!("it has ended ({status})"),
                        None => "it has closed its stdout".to_owned(),
                    }));
                }
            };
            // An answer may be late, or a second one: to a question that was given up or is answered.
            match error::read(&text, |id| (0..=self.asked).contains(&id)) {
                Some(message) => return message,
                None if self.noise >= NOISE_LINES => {
                    return Err(McpError::Broken("it writes invalid MCP messages to stdout".to_owned()));
                }
                None => self.noise += 1,
            }
        }
    }
}

impl Transport<RoleClient> for Program {
    type Error = Infallible;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        if let ClientJsonRpcMessage::Request(request) = &message
            && let RequestId::Number(id) = request.id
        {
            self.asked = id;
        }
        let stdin = self.live.as_ref().and_then(Live::stdin);
        async move {
            // One that does not read any more says why by its end, or stays silent.
            if let (Some(stdin), Ok(line)) = (stdin, serde_json::to_string(&message)) {
                timeout(END, stdin.send(line)).await.ok();
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.next_message().await.map_err(|fault| self.faults.note(fault)).ok()
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        if let Some(live) = self.live.take() {
            live.end(END).await;
        }
        Ok(())
    }
}
