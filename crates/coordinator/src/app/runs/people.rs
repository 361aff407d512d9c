//! Runs that need a person: an approval, an answer, a corrected result, or the work itself.
//!
//! The run gives up its runner and waits. The answer of a person is validated by the request's
//! schema and, if it is the result, by the run's contract.

use accord_api::{FinishRun, NewInput};
use accord_blueprint::hex;
use accord_contract::prompt::without_output_tags;
use accord_contract::{Rejected, Verdict};
use accord_domain::agent::{ExecutorKind, Limits, OnInputTimeout};
use accord_domain::attempt::{self, Attempt};
use accord_domain::contract::OnFailure;
use accord_domain::id::InputId;
use accord_domain::input_request::{InputRequest, Purpose, Status, ToolUse, approval_schema};
use accord_domain::run::change::Suspension;
use accord_domain::run::{Assignment, Failure, FailureType, Holder, Run, Status as RunStatus};
use accord_store::Suspend;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::Runs;
use super::caller_tools;
use super::finish::text_of;
use super::gate;
use super::judgement::error;
use crate::app::contracts::{self, InForce, ModelOutput, invalid_schema};
use crate::error::{Error, refuse};

/// More than a model calls at once. A person would not read them.
const MOST_INPUTS: usize = 50;

/// A question fits a screen.
const LONGEST_MESSAGE: usize = 16 * 1024;

/// What asking depends on.
#[derive(Deserialize)]
pub(super) struct InputOptions {
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    on_input_timeout: OnInputTimeout,
}

impl InputOptions {
    fn read(blueprint: &str) -> Result<Self, Error> {
        serde_json::from_str(blueprint).map_err(Error::internal)
    }

    fn seconds(&self) -> u64 {
        self.limits.input_seconds.unwrap_or(Limits::DEFAULT_INPUT_SECONDS)
    }

    fn time(&self) -> SignedDuration {
        SignedDuration::from_secs(i64::try_from(self.seconds()).unwrap_or(i64::MAX))
    }

    pub(super) fn timed_out(&self) -> Failure {
        let seconds = self.seconds();
        let message = format!(
            "nobody answered within {seconds} seconds (limits.input_seconds); raise it, or run it again"
        );
        Failure::new(FailureType::InputTimedOut, message)
    }
}

/// The summary that a person sees first.
#[derive(Deserialize)]
struct Described {
    #[serde(default)]
    description: String,
    #[serde(default)]
    system_prompt: Option<String>,
}

/// What differs between one request and the next.
pub(super) struct Asked {
    pub(super) call_id: String,
    pub(super) purpose: Purpose,
    pub(super) message: String,
    pub(super) schema: Value,
    pub(super) default: Option<Value>,
    pub(super) errors: Vec<attempt::Error>,
    pub(super) input: Option<Value>,
    pub(super) tool: Option<ToolUse>,
    pub(super) failure: Option<Failure>,
}

impl Runs {
    /// The runner cannot continue before a person has answered.
    pub(super) async fn ask_person(
        &self,
        run: Run,
        assignment: &Assignment,
        holder: Holder,
        mut report: FinishRun,
    ) -> Result<Run, Error> {
        let asked = std::mem::take(&mut report.inputs);
        if asked.is_empty() || asked.len() > MOST_INPUTS {
            let count = asked.len();
            return Err(refuse(format!(
                "status input_required needs 1 to {MOST_INPUTS} inputs, got {count}"
            )));
        }
        let options = InputOptions::read(&assignment.blueprint)?;
        let mut inputs = Vec::with_capacity(asked.len());
        for new in asked {
            let failure = match options.on_input_timeout {
                OnInputTimeout::Deny => None,
                OnInputTimeout::Fail => Some(options.timed_out()),
            };
            let asked = match new.purpose {
                Purpose::ToolCall => caller_tools::call(new, assignment, &options)?,
                _ => self.asked(new, failure).await?,
            };
            inputs.push(self.request(&run, &options, asked));
        }
        self.suspend_for(holder, inputs, &options, report).await
    }

    /// A run whose answers did not conform: a person is asked to correct the closest one, if the contract says so.
    pub(super) async fn salvaged(
        &self,
        run: &Run,
        assignment: &Assignment,
        failure: &Failure,
    ) -> Result<Option<InputRequest>, Error> {
        let is_unmet = matches!(
            failure.kind,
            FailureType::OutputSchemaValidationFailed
                | FailureType::SchemaValidationFailed
                | FailureType::OutputTruncated
        );
        let Some(contract) = assignment.contract.as_deref().filter(|_| is_unmet) else { return Ok(None) };
        let in_force = self.contracts.stored(contract).await?;
        if in_force.terms.on_failure != OnFailure::Ask {
            return Ok(None);
        }
        let attempts = self.store.attempts(&run.id).await?;
        let closest = attempt::closest(&attempts);
        let default = match closest {
            Some(closest) => self.candidate(&in_force, assignment, closest).await?,
            None => None,
        };
        let asked = Asked {
            call_id: String::new(),
            purpose: Purpose::Correction,
            message: format!("No answer of agent '{}' conforms. Correct the closest one.", run.agent_name),
            schema: in_force.terms.schema.clone(),
            default,
            errors: closest.map(|closest| closest.errors.clone()).unwrap_or_default(),
            input: serde_json::from_str(&assignment.parameters).ok(),
            tool: None,
            failure: Some(failure.clone()),
        };
        Ok(Some(self.request(run, &InputOptions::read(&assignment.blueprint)?, asked)))
    }

    pub(super) async fn wait_for_correction(
        &self,
        assignment: &Assignment,
        holder: Holder,
        request: InputRequest,
        report: FinishRun,
    ) -> Result<Run, Error> {
        let options = InputOptions::read(&assignment.blueprint)?;
        self.suspend_for(holder, vec![request], &options, report).await
    }

    /// Makes a new run wait for a person, if a person does its work: no runner claims it.
    pub(super) async fn ask_if_task(
        &self,
        run: &mut Run,
        assignment: &Assignment,
    ) -> Result<Option<InputRequest>, Error> {
        if run.demands.executor_type.as_deref() != Some(ExecutorKind::Human.name()) {
            return Ok(None);
        }
        let contract = match assignment.contract.as_deref() {
            Some(text) => Some(self.contracts.stored(text).await?),
            None => None,
        };
        let request = self.task(run, &assignment.blueprint, &assignment.parameters, contract.as_deref())?;
        (run.status, run.waits_until) = (RunStatus::InputRequired, Some(request.expires_at));
        Ok(Some(request))
    }

    fn task(
        &self,
        run: &Run,
        blueprint: &str,
        parameters: &str,
        contract: Option<&InForce>,
    ) -> Result<InputRequest, Error> {
        let options = InputOptions::read(blueprint)?;
        let parameters: Value = serde_json::from_str(parameters).map_err(Error::internal)?;
        let prompt = parameters.get("prompt").and_then(Value::as_str);
        let Described { description, system_prompt } =
            serde_json::from_str(blueprint).map_err(Error::internal)?;
        let introduction = system_prompt.unwrap_or(description);
        let prompt_text = without_output_tags(prompt.unwrap_or_default());
        let message = [introduction.as_str(), prompt_text.as_str()]
            .into_iter()
            .filter(|text| !text.trim().is_empty())
            .collect::<Vec<_>>()
            .join("\n\n");
        let is_prompt_alone = prompt.is_some() && parameters.as_object().is_some_and(|all| all.len() == 1);
        let asked = Asked {
            call_id: String::new(),
            purpose: Purpose::Task,
            message: if message.is_empty() { format!("A task for '{}'.", run.agent_name) } else { message },
            schema: contract.map_or_else(text_schema, |contract| contract.terms.schema.clone()),
            default: None,
            errors: Vec::new(),
            input: (!is_prompt_alone).then_some(parameters),
            tool: None,
            failure: Some(options.timed_out()),
        };
        Ok(self.request(run, &options, asked))
    }

    async fn suspend_for(
        &self,
        holder: Holder,
        inputs: Vec<InputRequest>,
        options: &InputOptions,
        report: FinishRun,
    ) -> Result<Run, Error> {
        let suspend = Suspend {
            holder,
            suspension: Suspension::Person(inputs.iter().map(|input| input.id.clone()).collect()),
            inputs,
            usage: report.usage,
            retries: report.retry_count,
            affinity: report.affinity,
            conversation: report.conversation.map(text_of),
            wait: options.time(),
            now: self.outside.now(),
        };
        Ok(self.store.suspend_run(suspend).await?)
    }

    async fn asked(&self, new: NewInput, failure: Option<Failure>) -> Result<Asked, Error> {
        let NewInput { call_id, purpose, mut message, schema, tool } = new;
        message.truncate(message.floor_char_boundary(LONGEST_MESSAGE));
        let schema = match (purpose, schema, &tool) {
            (Purpose::Approval, None, Some(_)) => approval_schema(),
            (Purpose::Question, Some(schema), None) => {
                let compiled = self.contracts.sent_schema(&schema).await?;
                compiled.map_err(|error| invalid_schema("inputs.schema", &error))?;
                schema
            }
            _ => {
                return Err(refuse(
                    "expected an input with purpose approval and a tool, with purpose question and a schema, or with purpose tool_call and a tool",
                ));
            }
        };
        let (default, errors, input) = (None, Vec::new(), None);
        Ok(Asked { call_id, purpose, message, schema, default, errors, input, tool, failure })
    }

    fn request(&self, run: &Run, options: &InputOptions, asked: Asked) -> InputRequest {
        let now = self.outside.now();
        let Asked { call_id, purpose, message, schema, default, errors, input, tool, failure } = asked;
        let shown = json!({"message": message, "tool": tool, "input": input, "schema": schema});
        InputRequest {
            id: InputId::new(self.outside.unique()),
            run_id: run.id.clone(),
            session_id: run.session_id.clone(),
            agent_name: run.agent_name.clone(),
            delivery: run.attempt,
            call_id,
            purpose,
            message,
            schema,
            default,
            errors,
            input,
            tool,
            digest: hex(&Sha256::digest(shown.to_string())),
            failure,
            created_at: now,
            expires_at: now.checked_add(options.time()).unwrap_or(Timestamp::MAX),
            status: Status::Open,
            answer: None,
            answered_by: None,
            closed_at: None,
        }
    }

    /// The value in an answer that did not conform, if there is one.
    async fn candidate(
        &self,
        in_force: &InForce,
        assignment: &Assignment,
        closest: &Attempt,
    ) -> Result<Option<Value>, Error> {
        let parameters = gate::parameters(in_force, assignment);
        let output = ModelOutput { text: closest.text.clone(), structured: None, parameters };
        let (verdict, _) = contracts::judged(output, in_force.answer.clone()).await?;
        Ok(match verdict {
            Verdict::Accepted(accepted) => Some(accepted.value),
            Verdict::Rejected(Rejected { candidate, .. }) => candidate.and_then(|candidate| candidate.value),
        })
    }
}

/// The schema of an answer in words.
fn text_schema() -> Value {
    json!({"type": "string", "minLength": 1})
}

/// The errors of an answer, for the form.
pub(in crate::app) fn answer_errors(rejected: &Rejected) -> Value {
    let errors: Vec<attempt::Error> = rejected.violations.errors.iter().map(error).collect();
    json!({"errors": errors, "more_errors": rejected.violations.more})
}
