//! Listening to a turn, line by line, until it is over or cannot be.

use std::time::Duration;

use serde_json::{Value, json};

use crate::event::{Event, Events};
use crate::session::TurnError;

use super::super::{CLAUDE_CODE, LineError, Permission, SUBMIT_SERVER, closed, excerpt, next_line};
use super::approvals;
use super::arguments::AnswerMode;
use super::conversation::{Conversation, is_id};
use super::line::{Call, Kind, Line};
use super::outcome;
use super::process::{Launcher, Running};
use super::tools::prefix;
use super::totals::Totals;
use super::transcript::Transcript;

/// How long it may take to exit once it has closed its stdout.
const TIME_TO_EXIT: Duration = Duration::from_secs(2);

/// Why there is no answer, and whether the process can be asked again.
pub(super) enum Interruption {
    /// The turn failed, and the process is well.
    Turn(TurnError),
    Process(TurnError),
}

impl Interruption {
    pub(super) fn process(text: impl Into<String>) -> Self {
        Self::Process(TurnError::Failed(text.into()))
    }

    pub(super) fn is_beyond_use(&self) -> bool {
        matches!(self, Self::Process(_))
    }
}

impl From<TurnError> for Interruption {
    fn from(error: TurnError) -> Self {
        Self::Turn(error)
    }
}

/// Listens until the turn is over. What belongs to the conversation is noted at once: the turn may be given up at any
/// line.
pub(super) async fn hear_out(
    launcher: &Launcher,
    conversation: &mut Option<Conversation>,
    running: &mut Running,
    heard: &mut Transcript,
    events: &Events,
) -> Result<Value, Interruption> {
    let submit_tool = format!("{}__submit_result", prefix(SUBMIT_SERVER));
    loop {
        let text = match next_line(&CLAUDE_CODE, &mut running.live).await {
            Ok(text) => text,
            Err(LineError::Wrong(why)) => return Err(Interruption::process(why)),
            Err(LineError::Closed { unfinished }) => {
                return Err(ended(running, conversation.as_ref(), &unfinished).await);
            }
        };
        let Some(line) = Line::read(&text) else {
            let text = format!("Claude Code wrote a line that is not JSON: '{}'", excerpt(&text));
            return Err(Interruption::process(text));
        };
        if belongs(conversation, &line)?
            && let Some(begun) = conversation
        {
            events.tell(Event::Conversation(begun.write())).await;
        }
        match line.kind {
            Kind::Begins { servers, model } => {
                launcher.connected(running, &servers)?;
                heard.model = model;
            }
            Kind::Asks { request_id, call } => match call.filter(|_| launcher.context.desk.is_open()) {
                Some(call) => permit(launcher, running, &request_id, &call).await?,
                None => {
                    running.live.send_line(declined(&request_id)).await.ok();
                }
            },
            Kind::Ends(line) => {
                gone(conversation.as_ref(), &line)?;
                if let Some(conversation) = conversation {
                    conversation.totals = Totals::of_result(&line);
                }
                return Ok(line);
            }
            kind => heard.take(kind, &submit_tool, events, &launcher.context.redactor).await,
        }
    }
}

/// Answers a request for a permission. One that a person has to decide ends the turn.
async fn permit(
    launcher: &Launcher,
    running: &mut Running,
    request_id: &str,
    call: &Call,
) -> Result<(), Interruption> {
    let Launcher { context, permissions } = launcher;
    let request = approvals::request(request_id, call, permissions, &context.servers, &context.folder);
    if running.is_ending {
        context.desk.collect(request);
        return Ok(());
    }
    let answer = match context.desk.decide(request).await {
        Permission::Allowed => approvals::allowed(request_id, &call.input),
        Permission::Denied(reason) => approvals::denied(request_id, &reason),
        Permission::Asked => return Err(Interruption::Turn(TurnError::InputRequired)),
    };
    running.live.send_line(answer).await.ok();
    Ok(())
}

/// Declines a question: there is no user to ask.
fn declined(request_id: &str) -> String {
    let response =
        json!({"subtype": "error", "request_id": request_id, "error": "there is no interactive user"});
    json!({"type": "control_response", "response": response}).to_string()
}

/// Takes the id of a conversation that begins, and refuses lines of another one. Says whether one begins.
fn belongs(conversation: &mut Option<Conversation>, line: &Line) -> Result<bool, Interruption> {
    let Some(id) = &line.session_id else { return Ok(false) };
    match conversation {
        Some(ours) if ours.session_id == *id => Ok(false),
        Some(ours) => Err(Interruption::process(format!(
            "Claude Code answered for another session: '{}' instead of '{}'",
            excerpt(id),
            ours.session_id
        ))),
        None if matches!(line.kind, Kind::Begins { .. }) => {
            if !is_id(id) {
                return Err(Interruption::process(format!(
                    "Claude Code reported an invalid session id: '{}'",
                    excerpt(id)
                )));
            }
            *conversation = Some(Conversation { session_id: id.clone(), totals: Totals::default() });
            Ok(true)
        }
        None => Ok(false),
    }
}

/// A conversation that is not there is never begun anew in disguise.
fn gone(conversation: Option<&Conversation>, line: &Value) -> Result<(), Interruption> {
    let errors = line.get("errors").and_then(Value::as_array).into_iter().flatten();
    match conversation {
        Some(ours) if errors.filter_map(Value::as_str).any(outcome::is_gone) => {
            Err(Interruption::process(missing(&ours.session_id)))
        }
        _ => Ok(()),
    }
}

fn missing(session_id: &str) -> String {
    format!(
        "the conversation of this session is gone: Claude Code has no transcript of '{session_id}' on this machine, for \
         this project folder and this user; start a new session"
    )
}

/// The process has closed its stdout in the middle of a turn.
async fn ended(running: &mut Running, conversation: Option<&Conversation>, unfinished: &str) -> Interruption {
    let (status, stderr) = running.live.last_words(TIME_TO_EXIT).await;
    if let Some(ours) = conversation.filter(|_| outcome::is_gone(&stderr)) {
        return Interruption::process(missing(&ours.session_id));
    }
    if matches!(running.setup.mode, AnswerMode::Native(_)) && stderr.contains("--json-schema") {
        return Interruption::Process(TurnError::SchemaRejected(excerpt(&stderr)));
    }
    Interruption::process(closed(&CLAUDE_CODE, status, unfinished, &stderr))
}
