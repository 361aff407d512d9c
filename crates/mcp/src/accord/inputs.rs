//! Requests for a person's input: the tools that list and answer them, and the questions for the user of a client.

use accord_api::input_request::Purpose;
use accord_api::{AnswerInput, ErrorName, InputId, InputQuery, InputRequest, InputStatus};
use accord_client::ClientError;
use serde_json::{Map, Value, json};

use super::Accord;
use super::arguments::{self, GivenAnswer, Inputs};
use super::forms::Form;
use super::tool_error::ToolError;
use crate::caller::{Question, Reply};

/// More than one run asks at once; a workflow has several runs.
const MOST_OPEN: u32 = 500;

/// What came of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Given {
    /// The request is closed, by this reply or by somebody who was faster.
    Taken,
    /// It does not conform, and why.
    Rejected(String),
    /// The user did not answer; the request stays open.
    Left,
}

impl Accord {
    pub(super) async fn list_inputs(&self, given: Map<String, Value>) -> Result<Value, ToolError> {
        let Inputs { status, run_id, session_id, limit, cursor } = arguments::read(given)?;
        let status = Some(status.unwrap_or(InputStatus::Open));
        let root_session_id = session_id;
        let which = InputQuery { status, run_id, root_session_id, limit, cursor, ..InputQuery::default() };
        let page = self.client.inputs(&which).await?;
        let inputs: Vec<Value> = page.items.iter().map(shown).collect();
        Ok(json!({"inputs": inputs, "next_cursor": page.next_cursor}))
    }

    pub(super) async fn answer_input(&self, given: Map<String, Value>) -> Result<Value, ToolError> {
        let GivenAnswer { input_id, answer, digest } = arguments::read(given)?;
        let answer = AnswerInput { answer, digest };
        let answered = match self.client.answer_input(&input_id, &answer).await {
            Err(error) if error.is(ErrorName::ContractViolation) => {
                // Models often write an object as a text that holds it.
                match arguments::written_out::<serde_json::Error>(answer.answer.clone()) {
                    Ok(held) if held != answer.answer => {
                        self.client.answer_input(&input_id, &AnswerInput { answer: held, ..answer }).await?
                    }
                    _ => return Err(error.into()),
                }
            }
            answered => answered?,
        };
        Ok(json!({
            "input_id": answered.id,
            "status": answered.status,
            "session_id": answered.session_id,
            "run_id": answered.run_id,
            "next": "The run continues. Call get_agent_session_status with this session_id until the status is finished, then get_agent_session_result.",
        }))
    }

    /// The open ones among some requests.
    pub(super) async fn open_inputs(&self, among: InputQuery) -> Result<Vec<InputRequest>, ClientError> {
        let (status, limit) = (Some(InputStatus::Open), Some(MOST_OPEN));
        let mut open = self.client.inputs(&InputQuery { status, limit, ..among }).await?.items;
        // The oldest is asked first.
        open.reverse();
        Ok(open)
    }

    /// Answers a request with the reply of a user.
    pub(super) async fn give(
        &self,
        input: &InputRequest,
        digest: &str,
        reply: Reply,
    ) -> Result<Given, ToolError> {
        let answer = match (reply, input.purpose) {
            (Reply::Accept(content), _) => match Form::new(&input.schema, None) {
                Some(form) => form.answer(content),
                None => Value::Object(content),
            },
            (Reply::Decline, Purpose::Approval) => json!({"approve": false}),
            (Reply::Decline | Reply::Cancel, _) => return Ok(Given::Left),
        };
        let answer = AnswerInput { answer, digest: Some(digest.to_owned()) };
        match self.client.answer_input(&input.id, &answer).await {
            Ok(_) => Ok(Given::Taken),
            Err(error) if error.is(ErrorName::InputClosed) => Ok(Given::Taken),
            Err(ClientError::Api(body)) if body.error == ErrorName::ContractViolation.as_str() => {
                let details = body.details.as_ref().map(|details| format!("\n{details:#}"));
                Ok(Given::Rejected(format!("{}{}", body.message, details.unwrap_or_default())))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The question for the user of a client, if its schema has a form. After a rejected reply it says why.
pub(super) fn question(input: &InputRequest, rejected: Option<&str>) -> Option<Question> {
    let form = Form::new(&input.schema, input.default.as_ref())?;
    let mut message = input.message.clone();
    if let Some(tool) = &input.tool {
        message = format!("{message}\n\nTool: {}\nArguments: {:#}", tool.name, tool.arguments);
    }
    if let Some(given) = &input.input {
        message = format!("{message}\n\nInput: {given:#}");
    }
    for error in &input.errors {
        message = format!("{message}\n{}: {}", error.path, error.message);
    }
    if let Some(rejected) = rejected {
        message = format!("{message}\n\nThe last answer was rejected: {rejected}");
    }
    Question::new(format!("{}:{}", input.id, input.digest), message, &form.schema)
}

/// The request and the digest that a reply is for.
pub(super) fn asked(key: &str) -> Option<(InputId, &str)> {
    let (id, digest) = key.split_once(':')?;
    Some((id.parse().ok()?, digest))
}

/// A request, for a model.
pub(super) fn shown(input: &InputRequest) -> Value {
    let mut shown = json!({
        "input_id": input.id,
        "status": input.status,
        "purpose": input.purpose,
        "message": input.message,
        "schema": input.schema,
        "digest": input.digest,
        "agent_name": input.agent_name,
        "session_id": input.session_id,
        "run_id": input.run_id,
        "expires_at": input.expires_at,
    });
    let more = [
        ("tool", input.tool.as_ref().map(|tool| json!(tool))),
        ("default", input.default.clone()),
        ("errors", (!input.errors.is_empty()).then(|| json!(input.errors))),
        ("input", input.input.clone()),
        ("answer", input.answer.clone()),
    ];
    for (name, value) in more {
        if let Some(value) = value {
            super::set(&mut shown, name, value);
        }
    }
    shown
}
