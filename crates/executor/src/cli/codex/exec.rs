//! One `codex exec` for a turn, if there is no app server.

use std::time::Duration;

use serde_json::Value;

use crate::child::{Live, Signal};
use crate::event::{Event, Events};
use crate::json;
use crate::session::TurnError;
use crate::turn::{Delivery, Turn};

use super::super::transcript::{Item, Transcript};
use super::super::{
    CODEX, LineError, SUBMIT_SERVER, SubmissionInbox, closed, excerpt, next_line, read_submissions,
};
use super::conversation::{Conversation, Totals, is_id};
use super::item;
use super::launcher::Launcher;
use super::live::{gone, is_gone};
use super::outcome::TurnEnd;
use super::servers::ServerVariables;
use super::turn_error::CodexError;

/// How long it may take to exit once it has closed its stdout.
const TIME_TO_EXIT: Duration = Duration::from_secs(10);

/// How long it may take to end after an interrupt.
const TIME_TO_INTERRUPT: Duration = Duration::from_secs(3);

pub(super) struct Exec {
    pub(super) live: Live,
    inbox: Option<SubmissionInbox>,
}

/// What the lines of a turn contain besides its items.
#[derive(Default)]
struct Lines {
    thread_id: Option<String>,
    totals: Option<Totals>,
    end: Option<TurnEnd>,
    error: Option<String>,
}

impl Exec {
    /// Starts a turn. The prompt goes in by stdin: arguments can be read by everybody on the machine, and are short.
    pub(super) async fn start(
        launcher: &Launcher,
        turn: &Turn,
        prompt: &str,
        past: Option<&str>,
    ) -> Result<Self, TurnError> {
        let inbox = launcher.context.inbox(&turn.delivery)?;
        let is_secret = |name: &str| launcher.context.host.is_secret(name);
        let told = ServerVariables::new(launcher.context.servers(inbox.as_ref()), is_secret)
            .map_err(|error| TurnError::Failed(error.to_string()))?;
        let mut command = launcher.command(if past.is_some() { &["exec", "resume"] } else { &["exec"] });
        command.args(["--json", "--skip-git-repo-check"]).args(told.arguments).envs(told.variables);
        if let Delivery::Native { schema, .. } = &turn.delivery {
            let file = launcher.context.write("output-schema.json", &schema.to_string())?;
            command.arg("--output-schema").arg(file);
        }
        if let Some(model) = launcher.context.model(turn) {
            command.arg("--model").arg(model);
        }
        command.args(past).arg("-");
        let live = launcher.context.spawn(command).await;
        let mut live = live.map_err(|error| TurnError::Failed(launcher.context.not_started(&error)))?;
        live.send_line(prompt.to_owned()).await.ok();
        live.hush();
        Ok(Self { live, inbox })
    }

    /// Listens until it ends. The id of the thread is noted at once: the turn may be given up at any line.
    pub(super) async fn listen(
        &mut self,
        launcher: &Launcher,
        told: &str,
        conversation: &mut Option<Conversation>,
        transcript: &mut Transcript,
        events: &Events,
    ) -> Result<TurnEnd, TurnError> {
        let mut lines = Lines::default();
        loop {
            match next_line(&CODEX, &mut self.live).await {
                Ok(text) => lines.take(&text, launcher, transcript, events).await?,
                Err(LineError::Wrong(why)) => return Err(failed(why)),
                Err(LineError::Closed { unfinished }) => {
                    return self.ended(lines, conversation.as_ref(), &unfinished).await;
                }
            }
            let is_new = conversation.is_none();
            lines.note(told, conversation)?;
            if let Some(begun) = conversation.as_ref().filter(|_| is_new) {
                events.tell(Event::Conversation(begun.write())).await;
            }
        }
    }

    /// What was handed in by the submit tool.
    pub(super) async fn submissions(&mut self) -> Result<Vec<String>, TurnError> {
        read_submissions(&CODEX, self.inbox.as_mut()).await.map_err(TurnError::Failed)
    }

    pub(super) async fn interrupt(mut self) {
        self.live.signal(Signal::Interrupt);
        self.live.exit(TIME_TO_INTERRUPT).await;
        self.live.kill().await;
    }

    async fn ended(
        &mut self,
        lines: Lines,
        conversation: Option<&Conversation>,
        unfinished: &str,
    ) -> Result<TurnEnd, TurnError> {
        let (status, stderr) = self.live.last_words(TIME_TO_EXIT).await;
        match lines.end {
            Some(TurnEnd::Failed(error)) if error.message.is_empty() => {
                return Ok(TurnEnd::Failed(CodexError::of_words(&lines.error.unwrap_or_default())));
            }
            Some(end) if unfinished.is_empty() => return Ok(end),
            _ => {}
        }
        if let Some(ours) = conversation.filter(|_| is_gone(&stderr)) {
            return Err(failed(gone(&ours.thread_id)));
        }
        if stderr.contains("required MCP servers failed") {
            let first =
                stderr.lines().find(|line| line.contains("required MCP servers failed")).unwrap_or_default();
            let text = format!("Codex could not open a thread: {}", excerpt(first));
            return Err(if first.contains(SUBMIT_SERVER) {
                TurnError::ToolRejected(text)
            } else {
                failed(text)
            });
        }
        Err(failed(closed(&CODEX, status, unfinished, &stderr)))
    }
}

impl Lines {
    async fn take(
        &mut self,
        line: &str,
        launcher: &Launcher,
        transcript: &mut Transcript,
        events: &Events,
    ) -> Result<(), TurnError> {
        let wrong = || failed(format!("Codex wrote a line that is not JSON: '{}'", excerpt(line)));
        let value: Value = json::read_message(line).map_err(|_| wrong())?;
        let Some(kind) = value.get("type").and_then(Value::as_str) else { return Err(wrong()) };
        let text =
            |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let item = || value.get("item").map_or(Item::Other, item::read);
        match kind {
            "thread.started" => self.thread_id = Some(text("/thread_id")),
            "item.started" => transcript.begins(item(), events, &launcher.context.redactor).await,
            "item.completed" => transcript.ends(item(), events, &launcher.context.redactor).await,
            "turn.completed" => {
                let count = |name: &str| value.pointer(&format!("/usage/{name}")).and_then(Value::as_u64);
                if let (Some(input_tokens), Some(output_tokens)) =
                    (count("input_tokens"), count("output_tokens"))
                {
                    self.totals = Some(Totals { input_tokens, output_tokens });
                }
                self.end = Some(TurnEnd::Completed);
            }
            "turn.failed" => self.end = Some(TurnEnd::Failed(CodexError::of_words(&text("/error/message")))),
            "error" => self.error = Some(text("/message")),
            _ => {}
        }
        Ok(())
    }

    /// Notes what belongs to the conversation, and refuses lines of another thread.
    fn note(&mut self, told: &str, conversation: &mut Option<Conversation>) -> Result<(), TurnError> {
        if let Some(id) = self.thread_id.take() {
            match conversation {
                Some(ours) if ours.thread_id == id => {}
                Some(ours) => {
                    let text = format!(
                        "Codex answered for another thread: '{}' instead of '{}'",
                        excerpt(&id),
                        ours.thread_id
                    );
                    return Err(failed(text));
                }
                None if !is_id(&id) => {
                    return Err(failed(format!("Codex reported an invalid thread id: '{}'", excerpt(&id))));
                }
                None => {
                    let totals = Totals::default();
                    *conversation =
                        Some(Conversation { thread_id: id, told: told.to_owned(), totals, begun: true });
                }
            }
        }
        if let (Some(totals), Some(conversation)) = (self.totals.take(), conversation) {
            conversation.totals = totals;
        }
        Ok(())
    }
}

fn failed(text: impl Into<String>) -> TurnError {
    TurnError::Failed(text.into())
}
