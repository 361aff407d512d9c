//! A request with the results of calls: it goes on in the run that made them.

use std::collections::BTreeSet;

use accord_api::{AnswerInput, CallerTools, ErrorName};
use accord_domain::id::{InputId, RunId};
use accord_domain::input_request::{InputRequest, Purpose, Status};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::ask::{Ask, Client};
use super::fields::invalid;
use super::input::Side;
use crate::error::Error;

/// Why a run is stopped whose caller goes on elsewhere.
const WENT_ON: &str =
    "its caller continued the conversation in another run, with other tools or instructions";

impl Ask {
    /// The tools of the caller, with what else is asked: a request that asks for something else is another run.
    pub(super) fn caller_tools(&self) -> CallerTools {
        let system = self.turns.iter().filter(|turn| turn.side == Side::System);
        let system: Vec<&str> = system.map(|turn| turn.text.as_str()).collect();
        let asked = json!([system, format!("{:?}", self.wanted.schema), format!("{:?}", self.wanted.form)]);
        let asked = accord_blueprint::hex(&Sha256::digest(asked.to_string()));
        CallerTools { tools: self.wanted.tools.clone(), choice: self.wanted.choice, asked: Some(asked) }
    }
}

impl Client {
    /// The run whose calls a request answers, if it goes on there. The answers are written.
    pub(super) async fn continued(&self, ask: &Ask) -> Result<Option<RunId>, Error> {
        let mut calls = Vec::with_capacity(ask.results.len());
        for result in &ask.results {
            calls.push(self.call(&result.call_id).await?);
        }
        let Some(first) = calls.first() else { return Ok(None) };
        let run_id = first.run_id.clone();
        if calls.iter().any(|call| call.run_id != run_id || call.delivery != first.delivery) {
            return Err(refused(
                "the results at the end are of different answers; send those of the last one",
            ));
        }
        let run = self.run(&run_id).await?;
        self.check_owner(&run_id, run.requested_by.as_ref().and_then(|by| by.key_id.as_ref())).await?;
        let is_same_agent = ask.model.as_ref().is_none_or(|model| *model == run.agent_name);
        if !is_same_agent || self.app.runs.caller_tools(&run_id).await? != Some(ask.caller_tools()) {
            if ask.previous.is_some() {
                return Err(refused(
                    "the model, the tools, tool_choice, the format or the instructions are not those of the request that the calls answered; send the same, or the whole conversation as input without previous_response_id",
                ));
            }
            self.app.runs.stop_because(&run_id, WENT_ON).await?;
            return Ok(None);
        }
        let given: BTreeSet<&InputId> = calls.iter().map(|call| &call.id).collect();
        let open = self.app.runs.open_calls(&run_id).await?;
        let missing = open.iter().find(|call| call.delivery == first.delivery && !given.contains(&call.id));
        if let Some(missing) = missing {
            let name = missing.tool.as_ref().map(|tool| tool.name.as_str()).unwrap_or_default();
            return Err(refused(format!(
                "the result of the call {} of '{name}' is missing; send the results of all calls together",
                missing.id
            )));
        }
        for (result, call) in ask.results.iter().zip(&calls) {
            self.answer(call, &result.text).await?;
        }
        Ok(Some(run_id))
    }

    async fn call(&self, id: &InputId) -> Result<InputRequest, Error> {
        let unknown = || refused(format!("there is no call {id}; send the id that the answer had"));
        match self.app.inputs.one(id).await {
            Ok(call) if call.purpose == Purpose::ToolCall => Ok(call),
            Ok(_) => Err(unknown()),
            Err(error) if error.name() == ErrorName::InputNotFound => Err(unknown()),
            Err(error) => Err(error),
        }
    }

    async fn check_owner(
        &self,
        run_id: &RunId,
        owner: Option<&accord_domain::id::KeyId>,
    ) -> Result<(), Error> {
        if let Some(acting) = &self.caller.run {
            self.app.lineage.find_run(acting, run_id).await?;
            return Ok(());
        }
        let key = self.caller.requested_by.as_ref().and_then(|by| by.key_id.as_ref());
        if key == owner {
            return Ok(());
        }
        let message =
            "the calls belong to a run of another API key; send the results with the key that started it";
        Err(Error::new(ErrorName::Forbidden, message))
    }

    async fn answer(&self, call: &InputRequest, text: &str) -> Result<(), Error> {
        let answer = AnswerInput { answer: Value::from(text), digest: None };
        match self.app.inputs.answer(&call.id, answer, self.caller.actor()).await {
            Ok(_) => Ok(()),
            Err(error) if error.name() == ErrorName::InputClosed => {
                let now = self.app.inputs.one(&call.id).await?;
                Err(closed(&now))
            }
            Err(error) => Err(error),
        }
    }
}

/// Why a call cannot be answered any more.
fn closed(call: &InputRequest) -> Error {
    let (id, run) = (&call.id, &call.run_id);
    refused(match call.status {
        Status::Answered => {
            format!("the call {id} was answered before, with another result; the first one counts")
        }
        Status::Expired => format!(
            "the call {id} was not answered in time, and its run {run} has failed; start again without its calls and results"
        ),
        Status::Open | Status::Withdrawn => {
            format!("the run {run} of the call {id} is over; start again without its calls and results")
        }
    })
}

fn refused(message: impl Into<String>) -> Error {
    invalid("tool_call_id", message)
}
