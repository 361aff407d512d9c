//! The gate: a reported result is checked once against the run's contract before it is written.
//!
//! Runners judge too, but they may be remote, old, or third-party. A result that does not pass is not stored, and the run stays
//! with its runner. Nothing is repaired and the model is not asked again.

use accord_api::{ErrorName, FinishRun};
use accord_contract::{Rejected, Verdict};
use accord_domain::agent::{Limits, Type};
use accord_domain::attempt::ValueSource;
use accord_domain::contract::{Contract, Embedded};
use accord_domain::run::{Assignment, Outcome, Validation};
use serde::Deserialize;
use serde_json::json;

use super::Runs;
use super::finish::text_of;
use crate::app::contracts::{self, InForce, ModelOutput};
use crate::error::Error;

fn violation(message: impl Into<String>) -> Error {
    Error::new(ErrorName::ContractViolation, message)
}

impl Runs {
    /// The result, if it is one.
    pub(super) async fn gate(
        &self,
        assignment: &Assignment,
        report: &mut FinishRun,
    ) -> Result<Outcome, Error> {
        let Some(contract) = &assignment.contract else {
            return match agent_type(&assignment.blueprint)? {
                Type::Autonomous => text_result(report),
                Type::Procedural => self.any_result(assignment, report).await,
            };
        };
        let in_force = self.contracts.stored(contract).await?;
        let validation = validation(&in_force, report.validation.take())?;
        let text = data(report, "the run has a contract")?;
        let output = ModelOutput { text, structured: None, parameters: parameters(&in_force, assignment) };
        let (verdict, text) = contracts::judged(output, in_force.result.clone()).await?;
        accepted(verdict)?;
        let raw = report.raw.take().unwrap_or_else(|| text.clone());
        Ok(Outcome {
            result_text: None,
            result_data: Some(text),
            raw: Some(raw),
            validation: Some(validation),
        })
    }

    /// A command without a contract gives any value.
    async fn any_result(&self, assignment: &Assignment, report: &mut FinishRun) -> Result<Outcome, Error> {
        let text = data(report, "the agent is procedural")?;
        let output = ModelOutput { text, structured: None, parameters: assignment.parameters.clone() };
        let (verdict, text) = contracts::judged(output, contracts::any_value()?).await?;
        accepted(verdict)?;
        Ok(Outcome { result_text: None, result_data: Some(text), raw: None, validation: None })
    }
}

/// Only invariants look at the input.
pub(in crate::app) fn parameters(in_force: &InForce, assignment: &Assignment) -> String {
    match in_force.answer.invariants().is_empty() {
        true => String::new(),
        false => assignment.input.as_ref().unwrap_or(&assignment.parameters).clone(),
    }
}

pub(super) fn agent_type(blueprint: &str) -> Result<Type, Error> {
    #[derive(Deserialize)]
    struct TypeOnly {
        #[serde(default, rename = "type")]
        kind: Type,
    }
    serde_json::from_str::<TypeOnly>(blueprint).map(|blueprint| blueprint.kind).map_err(Error::internal)
}

pub(super) fn limits(blueprint: &str) -> Result<Limits, Error> {
    #[derive(Deserialize)]
    struct LimitsOnly {
        #[serde(default)]
        limits: Limits,
    }
    serde_json::from_str::<LimitsOnly>(blueprint).map(|blueprint| blueprint.limits).map_err(Error::internal)
}

fn text_result(report: &mut FinishRun) -> Result<Outcome, Error> {
    match (report.result_text.take(), report.result_data.take().filter(|data| data.get() != "null")) {
        (Some(text), None) if text.trim().is_empty() => {
            Err(violation("result_text is empty; report status failed if there is no answer"))
        }
        (Some(text), None) => {
            Ok(Outcome { result_text: Some(text), result_data: None, raw: None, validation: None })
        }
        _ => Err(violation("the run has no contract: report result_text only")),
    }
}

/// The value as text. `null` may be what the contract asks, so it has to be reported: a runner that forgot its result has none.
fn data(report: &mut FinishRun, because: &str) -> Result<String, Error> {
    if report.result_text.is_some() {
        return Err(violation(format!("{because}: report result_data, not result_text")));
    }
    let missing =
        || violation(format!("{because}: result_data is missing; report the value, null if it is null"));
    report.result_data.take().map(text_of).ok_or_else(missing)
}

/// How the contract was met: the runner knows how often it asked, and we know the contract.
fn validation(in_force: &InForce, reported: Option<Validation>) -> Result<Validation, Error> {
    let terms = &in_force.terms;
    let reported = reported.unwrap_or_else(|| Validation {
        valid: true,
        schema_name: None,
        schema_hash: terms.schema_hash.clone(),
        retry_count: 0,
        strategy: terms.strategy,
        repairs: Vec::new(),
        source: None,
        attempts: 1,
    });
    if !reported.valid {
        return Err(violation("validation.valid is false; an invalid value cannot be reported as a result"));
    }
    if reported.schema_hash != terms.schema_hash {
        return Err(violation(format!(
            "validation.schema_hash is '{}', but the run's contract has '{}'",
            reported.schema_hash, terms.schema_hash
        )));
    }
    if let Some(source) = reported.source.filter(|source| !accepts(terms, *source)) {
        let message = format!(
            "validation.source is '{}', and the run's contract does not accept a value from there",
            source.as_str()
        );
        return Err(violation(message));
    }
    Ok(Validation { schema_name: terms.schema_name.clone(), ..reported })
}

/// Whether a value that stood there can be a result under these terms.
fn accepts(terms: &Contract, source: ValueSource) -> bool {
    let extracts = |from: bool| from && !terms.strict_json_only;
    match source {
        ValueSource::Structured | ValueSource::Text => true,
        // Runners have no people.
        ValueSource::Human => false,
        ValueSource::Fence => extracts(terms.extract_json.fence),
        ValueSource::Prose => extracts(terms.extract_json.prose) && terms.embedded == Embedded::Accept,
    }
}

fn accepted(verdict: Verdict) -> Result<(), Error> {
    let Verdict::Rejected(Rejected { violations, .. }) = verdict else { return Ok(()) };
    let first = violations.errors.first().map(ToString::to_string).unwrap_or_default();
    let message = format!("the reported result does not conform to the run's contract: {first}");
    Err(violation(message).with_details(json!({"errors": violations.errors, "more_errors": violations.more})))
}
