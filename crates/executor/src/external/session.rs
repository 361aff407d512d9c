//! A session with a program: one turn after another.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::dialogue::{Dialogue, ProgramFailure};
use super::memory::{Exchange, Memory};
use super::message::{self, Hello, Kind, ProgramAnswer, ProgramMessage, ReportedError};
use super::settings::Settings;
use crate::answer::{Answer, Stop, Usage};
use crate::event::{Event, Events};
use crate::session::{Capabilities, OpenError, Session, TurnError, TurnFailure};
use crate::start::Start;
use crate::turn::{Delivery, Turn};

/// How long a program may take to give up a turn that is cancelled, before it is ended.
const CANCEL_PATIENCE: Duration = Duration::from_secs(2);

/// Messages in one turn. Each is stored as an event, so a program that sends more is stopped.
const MAX_MESSAGES: u32 = 100_000;

pub(super) struct External {
    settings: Settings,
    start: Start,
    hello: Hello,
    memory: Memory,
    /// None after a failure, which the turn's error reported.
    dialogue: Option<Dialogue>,
    /// Turns that were asked of this process.
    asked: u64,
    /// Whether it has answered in this run.
    answered: bool,
}

/// Why a turn has no answer, and whether the program can still be asked.
enum Interruption {
    Turn(TurnError),
    Program(TurnError),
    Cancelled(TurnError),
}

impl From<ProgramFailure> for Interruption {
    fn from(failure: ProgramFailure) -> Self {
        Self::Program(TurnError::Failed(failure.to_string()))
    }
}

impl External {
    pub(super) fn new(
        settings: Settings,
        start: Start,
        memory: Memory,
        dialogue: Dialogue,
        hello: Hello,
    ) -> Self {
        Self { settings, start, hello, memory, dialogue: Some(dialogue), asked: 0, answered: false }
    }

    fn name(&self) -> &str {
        self.hello.name.as_deref().unwrap_or(&self.settings.command)
    }

    async fn ask(
        &mut self,
        turn: Turn,
        events: &Events,
        cancel: &CancellationToken,
        usage: &mut Usage,
    ) -> Result<Answer, TurnError> {
        let command = &self.settings.command;
        if matches!(turn.delivery, Delivery::Tool { .. }) {
            return Err(TurnError::ToolRejected(format!("'{command}' does not support a submit tool")));
        }
        if self.asked > 0 && !self.hello.capabilities.reprompt {
            return Err(TurnError::Failed(format!("'{command}' reported that it cannot be re-prompted")));
        }
        let Some(mut dialogue) = self.dialogue.take() else {
            return Err(TurnError::Failed(format!("'{command}' already exited after a failure")));
        };
        // Output from before the question is not an answer to it, and need not name a turn.
        if self.asked > 0
            && let Err(
                Interruption::Program(error) | Interruption::Turn(error) | Interruption::Cancelled(error),
            ) = self.hear_rest(&mut dialogue, events, usage).await
        {
            dialogue.kill().await;
            return Err(error);
        }
        self.asked += 1;
        // A program that cannot resume gets the history once, after its start.
        let prompt = match self.asked == 1 && !self.hello.capabilities.resume {
            true => self.memory.with_history(&turn.prompt),
            false => turn.prompt.clone(),
        };
        dialogue.send(message::turn(&self.start.session_id, self.asked, &turn, &prompt)).await;
        match self.listen(&mut dialogue, events, cancel, usage).await {
            Ok(answered) => {
                self.dialogue = Some(dialogue);
                self.remember(&turn, &answered);
                Ok(self.answer(answered, *usage))
            }
            Err(Interruption::Turn(error)) => {
                self.dialogue = Some(dialogue);
                Err(error)
            }
            Err(Interruption::Program(error)) => {
                dialogue.kill().await;
                Err(error)
            }
            Err(Interruption::Cancelled(error)) => {
                self.give_up(&mut dialogue, usage).await;
                dialogue.end().await;
                Err(error)
            }
        }
    }

    async fn listen(
        &self,
        dialogue: &mut Dialogue,
        events: &Events,
        cancel: &CancellationToken,
        usage: &mut Usage,
    ) -> Result<ProgramAnswer, Interruption> {
        let deadline = Instant::now() + Duration::from_secs(self.settings.timeout_seconds);
        let mut last_words = String::new();
        for _ in 0..MAX_MESSAGES {
            let incoming = tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(Interruption::Cancelled(TurnError::Stopped)),
                incoming = timeout_at(deadline, dialogue.next()) => match incoming {
                    Ok(incoming) => incoming?,
                    Err(_) => {
                        return Err(Interruption::Cancelled(TurnError::TimedOut(self.settings.timeout_seconds)));
                    }
                },
            };
            match incoming {
                ProgramMessage::Unknown => {}
                ProgramMessage::Event(event) => {
                    if let Event::Message { text } = &event {
                        last_words.clone_from(text);
                    }
                    events.tell(event).await;
                }
                ProgramMessage::Usage(step) => usage.add(step),
                ProgramMessage::Answer(answered) => {
                    self.check(dialogue, &answered)?;
                    if !answered.text.is_empty() && answered.text != last_words {
                        events.tell(Event::Message { text: answered.text.clone() }).await;
                    }
                    self.hear_rest(dialogue, events, usage).await?;
                    return Ok(*answered);
                }
                ProgramMessage::ReportedError(error) => return Err(self.reported(dialogue, error)?),
                ProgramMessage::Hello(_) => return Err(dialogue.failed("sent hello twice").into()),
            }
        }
        let how = format!("wrote {MAX_MESSAGES} messages in one turn and no answer");
        Err(dialogue.failed(&how).into())
    }

    /// Reads messages that arrived together with the answer, without waiting. Later ones are read in the next turn, if any.
    async fn hear_rest(
        &self,
        dialogue: &mut Dialogue,
        events: &Events,
        usage: &mut Usage,
    ) -> Result<(), Interruption> {
        // Lets the reading task deliver what it has.
        tokio::task::yield_now().await;
        for _ in 0..MAX_MESSAGES {
            let Some(incoming) = dialogue.buffered_message() else { return Ok(()) };
            let how = match incoming? {
                ProgramMessage::Unknown => continue,
                ProgramMessage::Event(event) => {
                    events.tell(event).await;
                    continue;
                }
                ProgramMessage::Usage(step) => {
                    usage.add(step);
                    continue;
                }
                ProgramMessage::Answer(_) => format!("answered turn {} twice", self.asked),
                ProgramMessage::ReportedError(_) => {
                    format!("answered turn {} and reported an error for it", self.asked)
                }
                ProgramMessage::Hello(_) => "sent hello twice".to_owned(),
            };
            return Err(dialogue.failed(&how).into());
        }
        Ok(())
    }

    /// Whether an answer is one to this turn of this session.
    fn check(&self, dialogue: &Dialogue, answered: &ProgramAnswer) -> Result<(), ProgramFailure> {
        self.check_session(dialogue, answered.session_id.as_deref())?;
        match answered.turn {
            None => Ok(()),
            Some(turn) if turn == self.asked => Ok(()),
            Some(turn) if turn < self.asked => Err(dialogue.failed(&format!("answered turn {turn} twice"))),
            Some(turn) => Err(dialogue.failed(&format!("answered turn {turn}; expected {}", self.asked))),
        }
    }

    fn check_session(&self, dialogue: &Dialogue, named: Option<&str>) -> Result<(), ProgramFailure> {
        let expected = &self.start.session_id;
        let Some(other) = named.filter(|named| named != expected) else { return Ok(()) };
        let other: String = other.chars().take(64).collect();
        Err(dialogue.failed(&format!("answered for session '{other}'; expected '{expected}'")))
    }

    fn reported(&self, dialogue: &Dialogue, error: ReportedError) -> Result<Interruption, ProgramFailure> {
        self.check_session(dialogue, error.session_id.as_deref())?;
        if let Some(turn) = error.turn.filter(|turn| *turn != self.asked) {
            let how = format!("reported an error for turn {turn}; expected {}", self.asked);
            return Err(dialogue.failed(&how));
        }
        let message = format!("'{}': {}", self.name(), error.message);
        Ok(Interruption::Turn(match error.kind {
            Kind::Failed => TurnError::Failed(message),
            Kind::Transport => TurnError::Transport(message),
            Kind::SchemaRejected => TurnError::SchemaRejected(message),
        }))
    }

    /// Cancels the turn and waits a little, so that the program can stop and report its usage.
    async fn give_up(&self, dialogue: &mut Dialogue, usage: &mut Usage) {
        dialogue.send(message::cancel(&self.start.session_id, self.asked)).await;
        let deadline = Instant::now() + CANCEL_PATIENCE;
        while let Ok(Ok(incoming)) = timeout_at(deadline, dialogue.next()).await {
            match incoming {
                ProgramMessage::Usage(step) => usage.add(step),
                ProgramMessage::Answer(_) | ProgramMessage::ReportedError(_) => return,
                ProgramMessage::Event(_) | ProgramMessage::Hello(_) | ProgramMessage::Unknown => {}
            }
        }
    }

    fn remember(&mut self, turn: &Turn, answered: &ProgramAnswer) {
        self.answered = true;
        self.memory.state.clone_from(&answered.state);
        if !self.hello.capabilities.resume {
            let (prompt, answer) = (turn.prompt.clone(), answered.text.clone());
            self.memory.history.push(Exchange { prompt, answer });
        }
    }

    fn answer(&self, answered: ProgramAnswer, usage: Usage) -> Answer {
        let ProgramAnswer { text, structured, stop, model, .. } = answered;
        let text = if matches!(stop, Stop::Refused(_)) { String::new() } else { text };
        let model = model.or_else(|| self.hello.model.clone()).unwrap_or_else(|| self.name().to_owned());
        Answer { structured, stop, usage, ..Answer::of_text(text, model) }
    }
}

#[async_trait]
impl Session for External {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            endpoint: format!("external {}", self.name()),
            model: self.hello.model.clone().unwrap_or_else(|| self.name().to_owned()),
            native: self.hello.capabilities.native_schema.profile(),
            tool: None,
            json_mode: false,
            native_beside_tools: true,
            reprompt: self.hello.capabilities.reprompt,
            max_tokens: None,
            takes_ceiling: false,
            repeats: false,
            records_steps: false,
            takes_pdfs: true,
        }
    }

    async fn turn(
        &mut self,
        turn: Turn,
        events: &Events,
        cancel: &CancellationToken,
    ) -> Result<Answer, TurnFailure> {
        let mut usage = Usage::default();
        let result = self.ask(turn, events, cancel, &mut usage).await;
        result.map_err(|error| TurnFailure { error, usage })
    }

    fn conversation(&self) -> Option<Value> {
        match self.answered {
            true => Some(json!(self.memory)),
            false => self.start.conversation.clone(),
        }
    }

    fn switch(&mut self, _settings: &Value) -> Result<(), OpenError> {
        Err(OpenError::OneProvider)
    }

    async fn close(mut self: Box<Self>) {
        if let Some(dialogue) = self.dialogue.take() {
            dialogue.end().await;
        }
    }
}
