//! The live process of a session: started when it is needed, asked as often as it is the right one, ended with all it
//! started.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::answer::{Answer, Stop, Usage};
use crate::child::Signal;
use crate::event::Events;
use crate::session::{Capabilities, OpenError, Session, TurnError, TurnFailure};
use crate::turn::Turn;

use super::super::{CLAUDE_CODE, bounded, read_submissions};
use super::arguments::Setup;
use super::conversation::Conversation;
use super::outcome::{self, FinalAnswer};
use super::process::{Launcher, PROFILE, Running};
use super::totals::Totals;
use super::transcript::Transcript;
use super::turn_reader::{Interruption, hear_out};

/// How long it may take to interrupt a turn, before the process is killed.
const TIME_TO_INTERRUPT: Duration = Duration::from_secs(3);

/// How long it may take to exit, when its stdin is closed and again after a signal. It ends within a second.
const TIME_TO_END: Duration = Duration::from_secs(2);

pub(super) struct ClaudeCode {
    launcher: Launcher,
    conversation: Option<Conversation>,
    running: Option<Running>,
}

#[async_trait]
impl Session for ClaudeCode {
    fn capabilities(&self) -> Capabilities {
        self.launcher.context.capabilities(self.launcher.endpoint(), PROFILE)
    }

    async fn turn(
        &mut self,
        turn: Turn,
        events: &Events,
        cancel: &CancellationToken,
    ) -> Result<Answer, TurnFailure> {
        let before = self.totals();
        let mut transcript = Transcript::default();
        let seconds = self.launcher.context.settings.timeout_seconds;
        let asked = bounded(seconds, cancel, self.ask(turn, &mut transcript, events)).await;
        if matches!(&asked, Err(TurnError::Stopped | TurnError::TimedOut(_) | TurnError::InputRequired)) {
            self.interrupt(&mut transcript).await;
        }
        let usage = transcript.messages.at_least(self.totals().since(&before));
        self.launcher.context.settled(asked, usage)
    }

    fn conversation(&self) -> Option<Value> {
        self.conversation.as_ref().map(Conversation::write)
    }

    fn switch(&mut self, _settings: &Value) -> Result<(), OpenError> {
        Err(OpenError::OneProvider)
    }

    async fn close(mut self: Box<Self>) {
        self.end().await;
    }
}

impl ClaudeCode {
    pub(super) fn new(launcher: Launcher, conversation: Option<Conversation>) -> Self {
        Self { launcher, conversation, running: None }
    }

    fn totals(&self) -> Totals {
        self.conversation.as_ref().map(|conversation| conversation.totals).unwrap_or_default()
    }

    /// One turn, without an end of its own.
    async fn ask(
        &mut self,
        turn: Turn,
        transcript: &mut Transcript,
        events: &Events,
    ) -> Result<Answer, TurnError> {
        let setup = Setup::new(&turn, self.launcher.context.settings.model.as_deref());
        self.make_ready(setup, &turn).await?;
        let ended = self.converse(&turn.prompt, transcript, events).await;
        if ended.as_ref().is_err_and(Interruption::is_beyond_use) {
            self.kill().await;
        }
        match ended {
            Ok(answer) => Ok(answer),
            Err(Interruption::Turn(error) | Interruption::Process(error)) => Err(error),
        }
    }

    /// The running process, if it was started with these arguments, else a new one that resumes the conversation.
    async fn make_ready(&mut self, setup: Setup, turn: &Turn) -> Result<(), TurnError> {
        if let Some(running) = &mut self.running {
            let is_alive = running.live.exit(Duration::ZERO).await.is_none();
            if is_alive && running.setup == setup {
                return Ok(());
            }
            self.end().await;
        }
        let resumed = self.conversation.as_ref().map(|conversation| conversation.session_id.as_str());
        self.running = Some(self.launcher.start(setup, &turn.delivery, &turn.allowance, resumed).await?);
        Ok(())
    }

    async fn converse(
        &mut self,
        prompt: &str,
        transcript: &mut Transcript,
        events: &Events,
    ) -> Result<Answer, Interruption> {
        let Self { launcher, conversation, running } = self;
        let Some(running) = running else { return Err(Interruption::process("no process is running")) };
        let message = json!({"type": "user", "message": {"role": "user", "content": prompt}});
        // If it does not read any more, the reason follows on its output.
        running.live.send_line(message.to_string()).await.ok();
        let line = hear_out(launcher, conversation, running, transcript, events).await?;
        let ended = outcome::read(&line, transcript, &running.setup.mode, launcher.context.max_steps);
        let submissions =
            read_submissions(&CLAUDE_CODE, running.inbox.as_mut()).await.map_err(Interruption::process)?;
        Ok(answer(ended, submissions, transcript)?)
    }

    /// Asks the CLI to end its turn, so that its conversation is whole, and ends it.
    async fn interrupt(&mut self, transcript: &mut Transcript) {
        let Self { launcher, conversation, running } = self;
        if let Some(running) = running {
            running.is_ending = true;
            let request =
                json!({"type": "control_request", "request_id": "stop", "request": {"subtype": "interrupt"}});
            running.live.send_line(request.to_string()).await.ok();
            let silent = Events::none();
            let ending = hear_out(launcher, conversation, running, transcript, &silent);
            if timeout(TIME_TO_INTERRUPT, ending).await.is_err() {
                running.live.signal(Signal::Interrupt);
            }
        }
        self.end().await;
    }

    async fn end(&mut self) {
        if let Some(running) = self.running.take() {
            running.live.end(TIME_TO_END).await;
        }
    }

    async fn kill(&mut self) {
        if let Some(running) = self.running.take() {
            running.live.kill().await;
        }
    }
}

fn answer(
    ended: Result<FinalAnswer, TurnError>,
    submissions: Vec<String>,
    transcript: &Transcript,
) -> Result<Answer, TurnError> {
    let submissions = transcript.handed_in.answer(submissions);
    let is_submitted = !submissions.is_empty();
    let FinalAnswer { text, before, structured, stop } = match ended {
        // The result was submitted, and the model wanted to continue.
        Err(TurnError::TooManySteps(_) | TurnError::AllowanceUsedUp) if is_submitted => FinalAnswer {
            text: transcript.text.clone(),
            before: Vec::new(),
            structured: None,
            stop: Stop::Finished,
        },
        ended => ended?,
    };
    // A submission before a cut is a draft, because the model was not done.
    let counts = !matches!(stop, Stop::Refused(_) | Stop::Truncated);
    Ok(Answer {
        text,
        before,
        submissions: if counts { submissions } else { Vec::new() },
        structured,
        stop: if is_submitted && counts { Stop::Submitted } else { stop },
        usage: Usage::default(),
        model: transcript.model.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_not_the_answer_of_a_cut_turn() {
        let handed_in = || vec!["{\"n\": 1}".to_owned()];
        let ended =
            |stop| FinalAnswer { text: "Wait".to_owned(), before: Vec::new(), structured: None, stop };
        let mut transcript = Transcript::default();
        transcript.handed_in.called("t", "m", true);
        for (stop, expected, submissions) in [
            (Stop::Finished, Stop::Submitted, handed_in()),
            (Stop::Truncated, Stop::Truncated, Vec::new()),
            (Stop::Refused("no".to_owned()), Stop::Refused("no".to_owned()), Vec::new()),
        ] {
            let answer = answer(Ok(ended(stop)), handed_in(), &transcript).unwrap();
            assert_eq!((answer.stop, answer.submissions), (expected, submissions));
        }
    }
}
