//! Calls that a person has to approve, questions to a person, and calls that the caller of the run makes.

use accord_domain::caller_tools::CallerTool;
use accord_domain::input_request::{Decision, ToolUse};
use accord_domain::step::again::input_id;
use serde_json::Value;

use super::conversation::Call;
use super::steps::{Steps, arguments, is_known};
use crate::people::{Ask, RecordedInput};
use crate::session::TurnError;
use crate::toolbox::{ToolOutput, ToolSpec};
use crate::tools::ask_human::{self, Question};

/// What a model is told whose question nobody answered.
const UNANSWERED: &str =
    "nobody answered in time; decide yourself, or say in your answer what you do not know";

/// What people say of a call that is about to run.
pub(super) enum Consent {
    /// It may run.
    Given,
    /// It has this result instead: a person denied or answered it.
    Answered(ToolOutput),
    /// Nobody was asked yet.
    Missing(Ask),
}

impl Steps<'_> {
    /// Asks for everything that these calls need from people, before any of them runs. `place` is where they are in the
    /// conversation.
    pub(super) fn ask_people(
        &self,
        calls: &[&Call],
        tools: &[ToolSpec],
        place: usize,
    ) -> Result<(), TurnError> {
        // Calls with recorded results are behind this already.
        let open =
            calls.iter().filter(|call| is_known(&call.name, tools) && !self.journal.has_call(&call.id));
        let ask = |call: &&Call| self.ask_for(call, &arguments(&call.arguments).ok()?, place);
        let asks: Vec<Ask> = open.filter_map(ask).collect();
        if asks.is_empty() {
            return Ok(());
        }
        self.journal.ask(asks);
        Err(TurnError::InputRequired)
    }

    /// What a person has to be asked before this call runs, if nobody has answered that.
    fn ask_for(&self, call: &Call, arguments: &Value, place: usize) -> Option<Ask> {
        let id = input_id(place, &call.id);
        if self.journal.input(&id).is_some_and(|recorded| is_for(&recorded, call, arguments)) {
            return None;
        }
        if call.name == ask_human::NAME {
            let Question { question, choices } = Question::read(arguments).ok()?;
            return Some(Ask::question(id, question, &choices));
        }
        let tool = || ToolUse { name: call.name.clone(), arguments: arguments.clone() };
        if self.callers.has(&call.name) {
            let conforms = self.callers.complaint(&call.name, arguments).is_none();
            return conforms.then(|| Ask::tool_call(id, tool()));
        }
        self.policy.needs_approval(&call.name, arguments).then(|| Ask::approval(id, tool()))
    }

    /// Whether a call may run. Uses the answer of a person up: it counts for this call, and for no other.
    pub(super) fn consent(&self, call: &Call, arguments: &Value, place: usize) -> Consent {
        if let Some(ask) = self.ask_for(call, arguments, place) {
            return Consent::Missing(ask);
        }
        let recorded = self.journal.take_input(&input_id(place, &call.id));
        let recorded = recorded.filter(|recorded| is_for(recorded, call, arguments));
        if self.callers.has(&call.name) {
            let complaint = self.callers.complaint(&call.name, arguments);
            let output = complaint.map(|text| ToolOutput { ok: false, text });
            let answer = || made_by_caller(recorded.as_ref().and_then(|input| input.answer.as_ref()));
            return Consent::Answered(output.unwrap_or_else(answer));
        }
        if call.name == ask_human::NAME {
            let answer = match (recorded, Question::read(arguments)) {
                (Some(recorded), _) => recorded.answer,
                (None, Err(why)) => return Consent::Answered(ToolOutput { ok: false, text: why }),
                (None, Ok(_)) => None,
            };
            let text = answer.as_ref().and_then(|answer| answer.get("answer")).and_then(Value::as_str);
            return Consent::Answered(match text {
                Some(text) => ToolOutput { ok: true, text: text.to_owned() },
                None => ToolOutput { ok: false, text: UNANSWERED.to_owned() },
            });
        }
        match recorded.map(|recorded| Decision::read(recorded.answer.as_ref())) {
            None | Some(Decision::Approved) => Consent::Given,
            Some(Decision::Denied(text)) => Consent::Answered(ToolOutput { ok: false, text }),
        }
    }
}

/// A tool of the caller, as it is described to the model.
pub(super) fn spec(tool: &CallerTool) -> ToolSpec {
    let CallerTool { name, description, parameters, .. } = tool.clone();
    ToolSpec { name, description, parameters, original: None }
}

/// The caller's answer to a call, as the model gets it.
fn made_by_caller(answer: Option<&Value>) -> ToolOutput {
    match answer {
        Some(Value::String(text)) => ToolOutput { ok: true, text: text.clone() },
        Some(value) => ToolOutput { ok: true, text: value.to_string() },
        None => ToolOutput { ok: false, text: "the caller did not answer in time".to_owned() },
    }
}

/// Whether an answer is about a call with these arguments.
fn is_for(recorded: &RecordedInput, call: &Call, arguments: &Value) -> bool {
    recorded.tool.as_ref().is_none_or(|tool| tool.name == call.name && tool.arguments == *arguments)
}
