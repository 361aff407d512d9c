//! Checks that a program implements the protocol, for `accord doctor --executor`.
//!
//! Each check starts the program anew, so that one failure does not hide another. The program gets a few short
//! prompts: if it uses a model, that costs what a few short prompts cost.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::dialogue::{Dialogue, END_PATIENCE};
use super::memory::Memory;
use super::message::{self, Hello, ProgramAnswer, ProgramMessage};
use super::settings::Settings;
use crate::answer::Stop;
use crate::child::Variables;
use crate::journal::Journal;
use crate::json::read as read_json;
use crate::session::OpenError;
use crate::start::Start;
use crate::turn::{Delivery, Turn};

const SESSION: &str = "ses_conformance";

/// A prompt with everything that is easily broken in transport: quotes, lines, a backslash, characters of several bytes.
const PROMPT: &str = "Say \"hello\" \\ in one line.\nThis is a second line: naïve, 日本, 🙂, </prompt>.";

/// How long a program may take to stop after a cancel before it would be killed.
const CANCEL_PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    /// It would work, but not well.
    Doubtful,
    Failed,
    /// The program says that it cannot do this.
    Skipped,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub check: &'static str,
    pub verdict: Verdict,
    pub message: String,
    /// The schema profile of the program, if the check is about that.
    pub profile: Option<String>,
}

#[derive(Debug, Clone)]
pub struct Conformance {
    settings: Settings,
    folder: PathBuf,
    variables: Arc<Variables>,
}

/// The message of a check that passed, or the verdict and message of one that did not.
type Checked = Result<String, (Verdict, String)>;

impl Conformance {
    /// A program by the settings of a blueprint's `executor`, in a folder, with these variables.
    pub fn new(
        settings: &Value,
        folder: PathBuf,
        variables: impl Into<Variables>,
    ) -> Result<Self, OpenError> {
        let settings = Settings::read(settings)?;
        Ok(Self { settings, folder, variables: Arc::new(variables.into().without_own()) })
    }

    /// Runs every check. If the program does not send hello, there is one finding.
    pub async fn examine(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut note = |check, checked: Checked| {
            let (verdict, message) = match checked {
                Ok(message) => (Verdict::Passed, message),
                Err(other) => other,
            };
            findings.push(Finding { check, verdict, message, profile: None });
        };
        let hello = match self.greeted().await {
            Ok(hello) => hello,
            Err(error) => {
                note("hello", Err(failed(error)));
                return findings;
            }
        };
        note("hello", Ok(spoken(&hello)));
        note("answer", self.answers().await);
        note("unknown_types", self.ignores().await);
        note("reprompt", self.reprompted(&hello).await);
        note("resume", self.resumed(&hello).await);
        note("native_schema", self.held(&hello).await);
        note("cancel", self.cancelled().await);
        note("shutdown", self.shut_down().await);
        note("end_of_input", self.hung_up().await);
        let profile = hello.capabilities.native_schema.profile();
        let about_schemas = findings.iter_mut().filter(|finding| finding.check == "native_schema");
        about_schemas.for_each(|finding| finding.profile.clone_from(&profile));
        findings
    }

    async fn greeted(&self) -> Result<Hello, OpenError> {
        let mut dialogue = self.begin(None).await?;
        let hello = dialogue.hello().await;
        dialogue.kill().await;
        hello
    }

    /// One turn, and nothing after its answer.
    async fn answers(&self) -> Checked {
        let mut dialogue = self.opened(None).await?;
        let answered = self.ask(&mut dialogue, 1, Delivery::Text).await?;
        dialogue.send(message::shutdown(SESSION)).await;
        let deadline = Instant::now() + END_PATIENCE;
        while let Ok(Ok(incoming)) = timeout_at(deadline, dialogue.next()).await {
            if matches!(incoming, ProgramMessage::Answer(_) | ProgramMessage::ReportedError(_)) {
                dialogue.kill().await;
                return Err(failed("it answered one turn twice"));
            }
        }
        dialogue.kill().await;
        Ok(format!("answered {} characters", answered.text.chars().count()))
    }

    async fn ignores(&self) -> Checked {
        let mut dialogue = self.opened(None).await?;
        dialogue
            .send(json!({"type": "accord.conformance", "protocol": 1, "session_id": SESSION}).to_string())
            .await;
        self.ask(&mut dialogue, 1, Delivery::Text).await?;
        dialogue.kill().await;
        Ok("an unknown message type was ignored".to_owned())
    }

    async fn reprompted(&self, hello: &Hello) -> Checked {
        if !hello.capabilities.reprompt {
            let text = "it reports that it cannot be re-prompted: set `reprompt: false` in the blueprint";
            return Err((Verdict::Skipped, text.to_owned()));
        }
        let mut dialogue = self.opened(None).await?;
        self.ask(&mut dialogue, 1, Delivery::Text).await?;
        self.ask(&mut dialogue, 2, Delivery::Text).await?;
        dialogue.kill().await;
        Ok("answered a second turn in the same process".to_owned())
    }

    async fn resumed(&self, hello: &Hello) -> Checked {
        if !hello.capabilities.resume {
            let text = "it reports that it cannot resume: the earlier conversation is put into its prompt";
            return Err((Verdict::Skipped, text.to_owned()));
        }
        let mut dialogue = self.opened(None).await?;
        let answered = self.ask(&mut dialogue, 1, Delivery::Text).await?;
        dialogue.kill().await;
        let has_state = answered.state.is_some();
        let memory = Memory { state: answered.state, history: Vec::new() };
        let mut dialogue = self.opened(Some(memory)).await?;
        self.ask(&mut dialogue, 1, Delivery::Text).await?;
        dialogue.kill().await;
        match has_state {
            true => Ok("another process continued from `state`".to_owned()),
            false => {
                let text = "it resumes without `state` in its answers: a session can continue only on the machine that keeps its state";
                Err((Verdict::Doubtful, text.to_owned()))
            }
        }
    }

    async fn held(&self, hello: &Hello) -> Checked {
        if hello.capabilities.native_schema.profile().is_none() {
            return Err((Verdict::Skipped, "it reports that it does not support schemas".to_owned()));
        }
        let schema = json!({
            "type": "object", "additionalProperties": false, "required": ["ok"],
            "properties": {"ok": {"type": "boolean"}},
        });
        let mut dialogue = self.opened(None).await?;
        let delivery = Delivery::Native { name: "result".to_owned(), schema };
        let answered = self.ask(&mut dialogue, 1, delivery).await?;
        dialogue.kill().await;
        let value = answered.structured.or_else(|| read_json(answered.text.trim()).ok());
        let members = value.as_ref().and_then(Value::as_object);
        match members
            .is_some_and(|members| members.len() == 1 && members.get("ok").is_some_and(Value::is_boolean))
        {
            true => Ok("the answer conforms to the schema that was sent".to_owned()),
            false => Err(failed("it reports that it enforces schemas, but its answer does not conform")),
        }
    }

    async fn cancelled(&self) -> Checked {
        let mut dialogue = self.opened(None).await?;
        dialogue.send(message::turn(SESSION, 1, &turn(Delivery::Text), PROMPT)).await;
        dialogue.send(message::cancel(SESSION, 1)).await;
        let deadline = Instant::now() + CANCEL_PATIENCE;
        let checked = loop {
            match timeout_at(deadline, dialogue.next()).await {
                Err(_) => {
                    let seconds = CANCEL_PATIENCE.as_secs();
                    let text = format!(
                        "it neither answered nor gave up within {seconds} seconds; it would be killed"
                    );
                    break Err((Verdict::Doubtful, text));
                }
                Ok(Ok(ProgramMessage::Answer(_) | ProgramMessage::ReportedError(_))) => {
                    break Ok("gave up or answered in time".to_owned());
                }
                Ok(Ok(_)) => {}
                Ok(Err(_)) => break Ok("ended in time".to_owned()),
            }
        };
        dialogue.kill().await;
        checked
    }

    async fn shut_down(&self) -> Checked {
        let dialogue = self.opened(None).await?;
        ended(dialogue.end_with(Some(message::shutdown(SESSION))).await, "`shutdown`")
    }

    async fn hung_up(&self) -> Checked {
        let dialogue = self.opened(None).await?;
        ended(dialogue.end_with(None).await, "the end of its stdin")
    }

    async fn begin(&self, memory: Option<Memory>) -> Result<Dialogue, OpenError> {
        let conversation = memory.as_ref().map(|memory| json!(memory));
        let start = Start {
            session_id: SESSION.to_owned(),
            run_id: "run_conformance".to_owned(),
            settings: Value::Null,
            project_dir: self.folder.clone(),
            tools: Vec::new(),
            mcp_servers: Vec::new(),
            parameters: json!({"prompt": PROMPT}),
            conversation,
            opening: Vec::new(),
            max_steps: 1,
            retry: crate::Retry::default(),
            costs_are_limited: false,
            tool_entries: crate::ToolEntries::default(),
            caller_tools: crate::CallerTools::default(),
            journal: Arc::new(Journal::none()),
            files: crate::files::Files::default(),
        };
        let memory = memory.unwrap_or_default();
        Dialogue::begin(&self.settings, &start, &memory, &self.variables).await
    }

    async fn opened(&self, memory: Option<Memory>) -> Result<Dialogue, (Verdict, String)> {
        let mut dialogue = self.begin(memory).await.map_err(failed)?;
        dialogue.hello().await.map_err(failed)?;
        Ok(dialogue)
    }

    /// Asks a turn; an answer that is not one to it is a failure.
    async fn ask(
        &self,
        dialogue: &mut Dialogue,
        number: u64,
        delivery: Delivery,
    ) -> Result<ProgramAnswer, (Verdict, String)> {
        dialogue.send(message::turn(SESSION, number, &turn(delivery), PROMPT)).await;
        let deadline = Instant::now() + Duration::from_secs(self.settings.timeout_seconds);
        loop {
            let incoming = timeout_at(deadline, dialogue.next()).await.map_err(|_| {
                failed(format!("there was no answer within {} seconds", self.settings.timeout_seconds))
            })?;
            match incoming.map_err(failed)? {
                ProgramMessage::Answer(answered)
                    if answered.session_id.as_deref().unwrap_or(SESSION) != SESSION =>
                {
                    let theirs = answered.session_id.as_deref().unwrap_or_default();
                    return Err(failed(format!("it answered for session '{theirs}'; expected '{SESSION}'")));
                }
                ProgramMessage::Answer(answered) if answered.turn.unwrap_or(number) != number => {
                    let theirs = answered.turn.unwrap_or_default();
                    return Err(failed(format!("it answered turn {theirs}; expected {number}")));
                }
                ProgramMessage::Answer(answered) => match answered.stop {
                    Stop::Refused(words) => return Err(failed(format!("it refused to answer: {words}"))),
                    _ => return Ok(*answered),
                },
                ProgramMessage::ReportedError(error) => {
                    return Err(failed(format!("it reported an error: {}", error.message)));
                }
                ProgramMessage::Hello(_) => return Err(failed("it sent hello twice")),
                ProgramMessage::Event(_) | ProgramMessage::Usage(_) | ProgramMessage::Unknown => {}
            }
        }
    }
}

fn failed(how: impl ToString) -> (Verdict, String) {
    (Verdict::Failed, how.to_string())
}

fn turn(delivery: Delivery) -> Turn {
    Turn {
        system_prompt: "Answer shortly.".to_owned(),
        prompt: PROMPT.to_owned(),
        delivery,
        ..Turn::default()
    }
}

fn spoken(hello: &Hello) -> String {
    let declared = &hello.capabilities;
    format!(
        "{}: resume {}, native_schema {}, reprompt {}",
        hello.name.as_deref().unwrap_or("it has no name"),
        declared.resume,
        declared.native_schema.profile().as_deref().unwrap_or("false"),
        declared.reprompt
    )
}

fn ended(by_itself: bool, after: &str) -> Checked {
    let seconds = END_PATIENCE.as_secs();
    match by_itself {
        true => Ok(format!("exited on its own after {after}")),
        false => Err(failed(format!("did not exit within {seconds} seconds after {after}"))),
    }
}
