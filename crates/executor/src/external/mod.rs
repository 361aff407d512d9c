//! Programs in other languages that do an agent's work: the NDJSON protocol of `docs/guides/external-executors.md`.
//!
//! One process for each run. It is greeted with `start`, says `hello`, gets a `turn` for each question and answers it. A
//! program that breaks the protocol is ended at once and the run fails with what it did: nothing that follows a broken
//! line could be trusted. Nothing that it started outlives the session.
//!
//! What is absent: a submit tool (a program that can hold its answer to a schema says so by `native_schema`), and trust:
//! what the program says is judged like the words of any model.
//!
//! Whether a program can be asked again in place is known to the coordinator before the program runs, from the
//! blueprint (`reprompt: false`), because the coordinator then holds the contract itself. A program that says otherwise
//! in its `hello` is refused with the setting to write.

mod conformance;
mod dialogue;
mod keys;
mod memory;
mod message;
mod session;
mod settings;

use std::sync::Arc;

use async_trait::async_trait;

use crate::child::Variables;
use crate::session::{Executor, OpenError, Session};
use crate::start::Start;

pub use conformance::{Conformance, Finding, Verdict};

use dialogue::Dialogue;
use memory::Memory;
use session::External;
use settings::Settings;

#[derive(Debug, Clone)]
pub struct ExternalExecutor {
    variables: Arc<Variables>,
}

impl ExternalExecutor {
    /// Programs see these variables, without Accord's own, and those of their settings.
    pub fn new(variables: impl Into<Variables>) -> Self {
        Self { variables: Arc::new(variables.into().without_own()) }
    }
}

#[async_trait]
impl Executor for ExternalExecutor {
    async fn open(&self, start: Start) -> Result<Box<dyn Session>, OpenError> {
        let settings = Settings::read(&start.settings)?;
        if !start.tools.is_empty() {
            let text = "an external program has its own tools; remove `tools` from the blueprint".to_owned();
            return Err(OpenError::Settings(text));
        }
        let memory = Memory::read(start.conversation.as_ref())?;
        let mut dialogue = Dialogue::begin(&settings, &start, &memory, &self.variables).await?;
        let hello = dialogue.hello().await?;
        if !hello.capabilities.reprompt && settings.reprompt {
            let text = format!(
                "'{}' cannot be re-prompted: set `reprompt: false` next to its `command`, so that the coordinator enforces its contract",
                settings.command
            );
            dialogue.kill().await;
            return Err(OpenError::Settings(text));
        }
        if !hello.capabilities.resume {
            memory.check()?;
        }
        Ok(Box::new(External::new(settings, start, memory, dialogue, hello)))
    }
}
