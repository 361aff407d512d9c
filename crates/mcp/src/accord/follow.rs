//! Waits for runs and workflow runs, and for the people that they ask.
//!
//! Where a run needs a person, the user of the client is asked, if the client can. Otherwise the wait is over: the model
//! gets the open requests, and can have them answered with `answer_input`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use accord_api::{
    ErrorName, InputId, InputQuery, InputRequest, InputStatus, RunView, WorkId, WorkflowRunView,
};
use accord_client::ClientError;
use tokio::time::{Instant, sleep};

use super::Accord;
use super::inputs::{self, Given};
use super::tool_error::ToolError;
use crate::caller::{Asking, Caller, Reply};

/// How long one look waits for the end. A run that needs a person is noticed after this time.
const LOOK_SECONDS: u32 = 2;

/// How often the client hears that the call is alive.
const TELL_INTERVAL: Duration = Duration::from_secs(15);

/// How often a coordinator that does not answer is asked again while a run is waited for: it may be restarting.
const MOST_FAILED_LOOKS: u32 = 30;

const PAUSE: Duration = Duration::from_secs(1);

/// How often a user is asked the same during one call. Who is wrong so often needs more than a message.
const MOST_TRIES: u32 = 3;

/// How it stands.
#[derive(Debug)]
pub(super) enum Work {
    Run(Box<RunView>),
    Workflow(Box<WorkflowRunView>),
}

impl Work {
    pub(super) fn is_over(&self) -> bool {
        match self {
            Self::Run(view) => view.status.is_over(),
            Self::Workflow(view) => view.status.is_over(),
        }
    }

    /// The requests for input that the work may wait for: also those of the sessions that it started.
    pub(super) fn inputs(&self) -> InputQuery {
        match self {
            Self::Run(view) => {
                InputQuery { root_session_id: Some(view.session_id.clone()), ..InputQuery::default() }
            }
            Self::Workflow(view) => {
                InputQuery { workflow_run_id: Some(view.workflow_run_id.clone()), ..InputQuery::default() }
            }
        }
    }

    pub(super) fn message(&self) -> String {
        match self {
            Self::Run(view) => format!("{} is {}", view.session_id, view.status),
            Self::Workflow(view) => {
                let over = view.nodes.iter().filter(|node| node.status.is_over()).count();
                let (id, status) = (&view.workflow_run_id, view.status);
                format!("{id} is {status}: {over} of {} nodes finished", view.nodes.len())
            }
        }
    }
}

/// How the wait ended.
#[derive(Debug)]
pub(super) enum Followed {
    Over(Work),
    /// It needs a person, and the user of the client did not answer.
    NeedsInput(Work, Vec<InputRequest>),
}

impl Accord {
    pub(super) async fn look(&self, id: &WorkId, seconds: u32) -> Result<Work, ClientError> {
        Ok(match id {
            WorkId::Run(id) => Work::Run(Box::new(self.client.wait_for_run(id, seconds).await?)),
            WorkId::Workflow(id) => {
                Work::Workflow(Box::new(self.client.wait_for_workflow_run(id, seconds).await?))
            }
        })
    }

    /// Waits until the work is over or needs a person who does not answer.
    pub(super) async fn follow(&self, id: &WorkId, caller: &Caller) -> Result<Followed, ToolError> {
        let mut asked = Asked::default();
        for (key, reply) in &caller.replies {
            self.take(id, key, reply.clone(), &mut asked).await?;
        }
        let mut told: Option<Instant> = None;
        let mut message = format!("{id} is running");
        let mut failed = 0;
        // A run that calls these tools may not answer people's requests, so it waits for them.
        let mut answers_inputs = true;
        loop {
            if told.is_none_or(|told| told.elapsed() >= TELL_INTERVAL) {
                caller.tell(&message).await;
                told = Some(Instant::now());
            }
            let work = match self.look(id, LOOK_SECONDS).await {
                Err(error) if error.is_transient() && failed < MOST_FAILED_LOOKS => {
                    failed += 1;
                    sleep(PAUSE).await;
                    continue;
                }
                Err(error) if error.is_transient() => {
                    return Err(ToolError::Lost { id: id.to_string(), error });
                }
                Err(error) => return Err(error.into()),
                Ok(work) => work,
            };
            failed = 0;
            if work.is_over() {
                return Ok(Followed::Over(work));
            }
            message = work.message();
            if !answers_inputs {
                continue;
            }
            let open = match self.open_inputs(work.inputs()).await {
                Err(error) if error.is(ErrorName::Forbidden) => {
                    answers_inputs = false;
                    continue;
                }
                Err(error) if error.is_transient() => continue,
                open => open?,
            };
            if self.ask_for(id, &open, caller, &mut asked).await? == Next::GiveUp {
                return Ok(Followed::NeedsInput(work, open));
            }
        }
    }

    /// Takes a reply that came with a call that was made again.
    pub(super) async fn take(
        &self,
        id: &WorkId,
        key: &str,
        reply: Reply,
        asked: &mut Asked,
    ) -> Result<(), ToolError> {
        let unknown = || ToolError::Refused(format!("'{key}' is not the key of a question of {id}"));
        let (input_id, digest) = inputs::asked(key).ok_or_else(unknown)?;
        let input = match self.client.input(&input_id).await {
            Err(error) if error.is(ErrorName::InputNotFound) => return Err(unknown()),
            input => input?,
        };
        let own = InputQuery { run_id: Some(input.run_id.clone()), ..self.look(id, 0).await?.inputs() };
        let is_own = async || {
            let items = self.client.inputs(&own).await?.items;
            Ok::<_, ClientError>(items.iter().any(|known| known.id == input.id))
        };
        // A closed request is not looked up: it cannot be answered again, so it does not matter to which work it belongs.
        if input.status == InputStatus::Open && !is_own().await? {
            return Err(unknown());
        }
        match self.give(&input, digest, reply).await? {
            Given::Taken => {}
            Given::Left => _ = asked.left.insert(input.id),
            Given::Rejected(why) => _ = asked.rejected.insert(input.id, why),
        }
        Ok(())
    }

    /// Has the user of the client answer open requests.
    async fn ask_for(
        &self,
        id: &WorkId,
        open: &[InputRequest],
        caller: &Caller,
        asked: &mut Asked,
    ) -> Result<Next, ToolError> {
        if open.is_empty() {
            return Ok(Next::Wait);
        }
        let pending = open.iter().filter(|input| !asked.left.contains(&input.id));
        let pending: Vec<&InputRequest> = pending.collect();
        match &caller.asking {
            Asking::Impossible => Ok(Next::GiveUp),
            Asking::InResult => {
                let question = |input: &&InputRequest| inputs::question(input, asked.why(&input.id));
                let questions: Vec<_> = pending.iter().filter_map(question).collect();
                match questions.is_empty() {
                    true => Ok(Next::GiveUp),
                    false => Err(ToolError::Ask { questions, state: id.to_string() }),
                }
            }
            Asking::DuringCall(_) => {
                let mut answered = 0;
                for input in pending {
                    match self.ask(input, caller).await? {
                        true => answered += 1,
                        false => _ = asked.left.insert(input.id.clone()),
                    }
                }
                Ok(if answered == 0 { Next::GiveUp } else { Next::Wait })
            }
        }
    }

    /// Asks the user during the call, and again if the reply does not conform. Tells whether the request is closed.
    async fn ask(&self, input: &InputRequest, caller: &Caller) -> Result<bool, ToolError> {
        let mut rejected: Option<String> = None;
        for _ in 0..MOST_TRIES {
            let Some(question) = inputs::question(input, rejected.as_deref()) else { return Ok(false) };
            let Some(reply) = caller.ask(question, self.closed(&input.id)).await else { return Ok(false) };
            match self.give(input, &input.digest, reply).await? {
                Given::Taken => return Ok(true),
                Given::Rejected(why) => rejected = Some(why),
                Given::Left => break,
            }
        }
        let now = self.client.input(&input.id).await?;
        Ok(now.status != InputStatus::Open)
    }

    /// Returns when a request is no longer open: somebody else answered, or its run ended.
    async fn closed(&self, id: &InputId) {
        loop {
            sleep(PAUSE).await;
            if self.client.input(id).await.is_ok_and(|input| input.status != InputStatus::Open) {
                return;
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Next {
    Wait,
    GiveUp,
}

/// What the user of the client did about requests.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Requests that the user did not want to answer.
    left: BTreeSet<InputId>,
    /// Requests whose answer did not conform, and why.
    rejected: BTreeMap<InputId, String>,
}

impl Asked {
    /// Why answers were rejected.
    pub(super) fn rejections(&self) -> impl Iterator<Item = &str> {
        self.rejected.values().map(String::as_str)
    }

    /// Why the last answer to a request was rejected.
    fn why(&self, id: &InputId) -> Option<&str> {
        self.rejected.get(id).map(String::as_str)
    }
}
