//! A server that is a program of ours, spoken to in lines.

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::process::Command;
use tokio::time::{Instant, timeout_at};

use super::limits::{END, EXIT, MESSAGE_BYTES, NOISE_LINES};
use super::rpc::{self, Incoming};
use super::wire::{Fault, Wire};
use crate::child::{Environment, Heard, Live};
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
    ) -> Result<Self, Fault> {
        let mut child = Command::new(command);
        child.args(args).env_clear().envs(environment.iter().cloned()).current_dir(folder);
        let live = Live::spawn(child, MESSAGE_BYTES).await.map_err(|error| {
            Fault::Gone(format!("'{command}' cannot be started: {}", program::cause(&error)))
        })?;
        Ok(Self { live, noise: 0 })
    }

    async fn say(&mut self, message: &Value, until: Instant) -> Result<(), Fault> {
        match timeout_at(until, self.live.say(message.to_string())).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(self.gone().await),
            Err(_) => Err(Fault::Gone("it does not read its stdin".to_owned())),
        }
    }

    /// How it ended. Its last words on stderr are waited for: they say why.
    async fn gone(&mut self) -> Fault {
        Fault::Gone(match self.live.last_words(EXIT).await.0 {
            Some(status) => format!("it has ended ({status})"),
            None => "it has closed its stdout".to_owned(),
        })
    }

    async fn answer_to(&mut self, id: u64, patience: Duration) -> Result<Value, Fault> {
        let mut until = Instant::now() + patience;
        loop {
            let heard = timeout_at(until, self.live.hear()).await.map_err(|_| Fault::Silent(patience))?;
            let text = match heard {
                Heard::Line(text) => text,
                Heard::Garbage => String::new(),
                Heard::TooLong => {
                    return Err(Fault::Broken(format!(
                        "it sent a message of more than {MESSAGE_BYTES} bytes"
                    )));
                }
                Heard::Closed { .. } => return Err(self.gone().await),
            };
            match rpc::read(&text) {
                Some(Incoming::Answer { id: Some(answered), outcome }) if answered == id => {
                    return outcome.map_err(Fault::Refused);
                }
                // Late, or a second one: to a question that was given up or is answered.
                Some(Incoming::Answer { id: Some(answered), .. }) if (1..id).contains(&answered) => {}
                Some(Incoming::Answer { .. }) => {
                    return Err(Fault::Broken("it responded to an unknown request".to_owned()));
                }
                Some(Incoming::Request { id, method }) => self.say(&rpc::reply(id, &method), until).await?,
                Some(Incoming::Progress(token)) if token == id => until = Instant::now() + patience,
                Some(Incoming::Progress(_) | Incoming::Notification) => {}
                None => self.noisy()?,
            }
        }
    }

    fn noisy(&mut self) -> Result<(), Fault> {
        self.noise += 1;
        match self.noise > NOISE_LINES {
            true => Err(Fault::Broken("it writes invalid MCP messages to stdout".to_owned())),
            false => Ok(()),
        }
    }
}

#[async_trait]
impl Wire for Program {
    async fn ask(&mut self, id: u64, request: Value, patience: Duration) -> Result<Value, Fault> {
        self.say(&request, Instant::now() + patience).await?;
        self.answer_to(id, patience).await
    }

    async fn tell(&mut self, message: Value) -> Result<(), Fault> {
        self.say(&message, Instant::now() + END).await
    }

    /// What follows a line that cannot be could be anything.
    fn is_lost_by(&self, fault: &Fault) -> bool {
        matches!(fault, Fault::Broken(_) | Fault::Gone(_))
    }

    fn speak(&mut self, _version: &str) {}

    fn log(&self) -> String {
        self.live.stderr()
    }

    async fn close(self: Box<Self>) {
        self.live.end(END).await;
    }
}
