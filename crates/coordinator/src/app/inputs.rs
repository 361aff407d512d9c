//! What people are asked: listed, answered, given away as a link, and closed at the deadline.

use std::sync::Arc;

use accord_api::{AnswerInput, ErrorName, InputLink, InputQuery, Page};
use accord_blueprint::hex;
use accord_contract::Verdict;
use accord_domain::attempt::ValueSource;
use accord_domain::audit::Actor;
use accord_domain::id::InputId;
use accord_domain::input_request::{InputRequest, Resolution, Status};
use accord_domain::run::change::End;
use accord_domain::run::{Outcome, Run, Validation};
use accord_store::{CloseInput, InputFilter, Store, StoreError, WholeRun};
use serde_json::Value;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;

use super::contracts::{self, Contracts, InForce, ModelOutput};
use super::page;
use super::runs::{answer_errors, invariant_input};
use crate::error::Error;
use crate::hub::Hub;
use crate::metrics;
use crate::outside::Outside;

const LIST: page::List = page::List("inputs");

/// How many requests are closed in one round.
const CLOSED_A_ROUND: u32 = 200;

/// What separates the id of a request from the secret in the token of a link.
const SEPARATOR: char = '.';

/// Requests for a person's input.
pub(crate) struct Inputs {
    pub(super) store: Arc<dyn Store>,
    pub(super) outside: Arc<dyn Outside>,
    pub(super) hub: Arc<Hub>,
    pub(super) contracts: Arc<Contracts>,
}

impl Inputs {
    pub(crate) async fn list(&self, query: InputQuery) -> Result<Page<InputRequest>, Error> {
        let InputQuery { status, run_id, session_id, root_session_id, workflow_run_id, limit, cursor } =
            query;
        let request = LIST.request(limit, cursor)?;
        let filter = InputFilter { status, run_id, session_id, root_session_id, workflow_run_id };
        Ok(LIST.view(self.store.inputs(&filter, &request).await?, |request| request))
    }

    pub(crate) async fn one(&self, id: &InputId) -> Result<InputRequest, Error> {
        Ok(self.store.input(id).await?)
    }

    /// Judges an answer, and closes the request if it conforms.
    pub(crate) async fn answer(
        &self,
        id: &InputId,
        answer: AnswerInput,
        by: Actor,
    ) -> Result<InputRequest, Error> {
        let request = self.store.input(id).await?;
        if request.status != Status::Open {
            return unless_same(request, &answer.answer, &by);
        }
        if answer.digest.is_some_and(|digest| digest != request.digest) {
            let message = "the digest does not match this request, so the answer may be meant for another one; read the request again";
            return Err(Error::new(ErrorName::PreconditionFailed, message));
        }
        let end = match request.purpose.gives_result() {
            true => Some(End::Completed(self.result(&request, &answer.answer).await?)),
            false => {
                let schema = self.contracts.sent_schema(&request.schema).await?.map_err(Error::internal)?;
                let text = answer.answer.to_string();
                let output = ModelOutput { text, structured: None, parameters: String::new() };
                accepted(contracts::judged(output, contracts::as_it_stands(schema)).await?.0)?;
                None
            }
        };
        let resolution = Resolution::Answered { answer: answer.answer.clone(), by: by.clone() };
        match self.close(request.id, resolution, end).await {
            // The same answer came twice at once.
            Err(error) if error.name() == ErrorName::InputClosed => {
                unless_same(self.store.input(id).await?, &answer.answer, &by)
            }
            closed => closed,
        }
    }

    /// The result that a person made of the run.
    async fn result(&self, request: &InputRequest, answer: &Value) -> Result<Outcome, Error> {
        let WholeRun { run, assignment, .. } = self.store.whole_run(&request.run_id).await?;
        let text = answer.to_string();
        let Some(contract) = &assignment.contract else {
            let result_text = answer.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
            let result_text = result_text.ok_or_else(|| {
                let message = "expected a string that is not empty: the run has no contract";
                Error::new(ErrorName::ContractViolation, message)
            })?;
            return Ok(Outcome {
                result_text: Some(result_text),
                result_data: None,
                raw: None,
                validation: None,
            });
        };
        let in_force = self.contracts.stored(contract).await?;
        let parameters = invariant_input(&in_force, &assignment);
        let output = ModelOutput { text, structured: None, parameters };
        let (verdict, text) = contracts::judged(output, in_force.result.clone()).await?;
        accepted(verdict)?;
        let attempts = self.store.attempts(&run.id).await?.len();
        Ok(Outcome {
            result_text: None,
            raw: Some(text.clone()),
            result_data: Some(text),
            validation: Some(validation(&in_force, &run, u32::try_from(attempts).unwrap_or(u32::MAX))),
        })
    }

    async fn close(
        &self,
        input_id: InputId,
        resolution: Resolution,
        end: Option<End>,
    ) -> Result<InputRequest, Error> {
        let announcement = self.hub.announce();
        let now = self.outside.now();
        let closed = self.store.close_input(CloseInput { input_id, resolution, end, now }).await?;
        match closed.run.status.is_over() {
            true => metrics::run_over(&closed.run),
            false => announcement.queued(&closed.run.demands),
        }
        Ok(closed.request)
    }

    /// Closes the requests that nobody answered in time.
    pub(crate) async fn expire_due(&self) -> Result<(), Error> {
        for request in self.store.due_inputs(self.outside.now(), CLOSED_A_ROUND).await? {
            let end = request.failure.clone().map(End::Failed);
            match self.close(request.id.clone(), Resolution::Expired, end).await {
                // Another caller was faster.
                Err(error) if matches!(error.name(), ErrorName::InputClosed | ErrorName::InputNotFound) => {}
                Err(error) => {
                    tracing::warn!(input = %request.id, cause = error.cause(), "a request for input could not be closed; will retry");
                }
                Ok(_) => {}
            }
        }
        Ok(())
    }

    /// Creates a link with which one person can answer without an API key. An earlier link becomes
    /// invalid.
    pub(crate) async fn link(&self, id: &InputId) -> Result<InputLink, Error> {
        let request = self.store.input(id).await?;
        if request.status != Status::Open {
            return Err(StoreError::InputClosed { id: request.id, status: request.status }.into());
        }
        let secret = hex(&self.outside.secret().map_err(Error::internal)?);
        self.store.set_input_link(&request.id, &hash_of(&secret)).await?;
        let token = format!("{}{SEPARATOR}{secret}", request.id);
        Ok(InputLink { path: format!("/ui/answer#{token}"), token, expires_at: request.expires_at })
    }

    /// The request of a link that is valid.
    pub(crate) async fn by_link(&self, token: &str) -> Result<InputRequest, Error> {
        let invalid = || {
            let message = "this link is not valid: it was altered, or replaced by a newer one";
            Error::new(ErrorName::Forbidden, message)
        };
        let (id, secret) = token.split_once(SEPARATOR).ok_or_else(invalid)?;
        let id: InputId = id.parse().map_err(|_| invalid())?;
        let stored = match self.store.input_link(&id).await {
            Err(StoreError::NoSuch { .. }) => None,
            found => found?,
        };
        let is_same = |stored: &String| bool::from(stored.as_bytes().ct_eq(hash_of(secret).as_bytes()));
        if !stored.as_ref().is_some_and(is_same) {
            return Err(invalid());
        }
        let request = self.store.input(&id).await?;
        match request.status {
            Status::Open => Ok(request),
            status => {
                let message = format!("this link was used or is no longer valid: the request is {status}");
                Err(Error::new(ErrorName::Forbidden, message))
            }
        }
    }
}

/// A request that is closed. Whoever answered it gets the same response to the same answer: the first one may have been lost.
fn unless_same(request: InputRequest, answer: &Value, by: &Actor) -> Result<InputRequest, Error> {
    match request.answer.as_ref() == Some(answer) && request.answered_by.as_ref() == Some(by) {
        true => Ok(request),
        false => Err(StoreError::InputClosed { id: request.id, status: request.status }.into()),
    }
}

fn hash_of(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

fn accepted(verdict: Verdict) -> Result<(), Error> {
    let Verdict::Rejected(rejected) = verdict else { return Ok(()) };
    let first = rejected.violations.errors.first().map(ToString::to_string).unwrap_or_default();
    let message = format!("the answer does not conform: {first}");
    Err(Error::new(ErrorName::ContractViolation, message).with_details(answer_errors(&rejected)))
}

fn validation(in_force: &InForce, run: &Run, attempts: u32) -> Validation {
    Validation {
        valid: true,
        schema_name: in_force.terms.schema_name.clone(),
        schema_hash: in_force.terms.schema_hash.clone(),
        retry_count: run.retry_count,
        strategy: in_force.terms.strategy,
        repairs: Vec::new(),
        source: Some(ValueSource::Human),
        attempts,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_that_do_not_conform_name_the_location() {
        let schema = accord_contract::Schema::compile(
            &json!({
                "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]
            }),
            &accord_contract::Meter::default(),
        )
        .unwrap();
        let contract = contracts::as_it_stands(schema);
        let answer = accord_contract::Answer {
            text: r#"{"n": "three"}"#,
            structured: None,
            input: &Value::Null,
            lift: None,
        };
        let error = accepted(accord_contract::judge(&answer, &contract, &accord_contract::Meter::default()))
            .unwrap_err();
        assert_eq!(error.name(), ErrorName::ContractViolation);
        assert_eq!(error.body().details.unwrap()["errors"][0]["path"], "$.n");
    }
}
