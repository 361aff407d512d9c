//! Calls that a person has to approve, and questions to a person.

use accord_domain::input_request::{Decision, ToolUse};
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
        if self.journal.is_replaying() {
            return Ok(());
        }
        let known = calls.iter().filter(|call| is_known(&call.name, tools));
        let asks: Vec<Ask> = known.filter_map(|call| self.ask_for(call, place)).collect();
        if asks.is_empty() {
            return Ok(());
        }
        self.journal.ask(asks);
        Err(TurnError::InputRequired)
    }

    fn ask_for(&self, call: &Call, place: usize) -> Option<Ask> {
        let arguments = arguments(&call.arguments).ok()?;
        let id = input_id(call, place);
        if self.recorded_input(call, &arguments, place).is_some() {
            return None;
        }
        if call.name == ask_human::NAME {
            let Question { question, choices } = Question::read(&arguments).ok()?;
            return Some(Ask::question(id, question, &choices));
        }
        let is_needed = self.policy.needs_approval(&call.name, &arguments);
        is_needed.then(|| Ask::approval(id, ToolUse { name: call.name.clone(), arguments }))
    }

    /// The answer to what a call needed. One for other arguments is none.
    fn recorded_input(&self, call: &Call, arguments: &Value, place: usize) -> Option<RecordedInput> {
        let found = self.journal.input(&input_id(call, place))?;
        let is_same = |tool: &ToolUse| tool.name == call.name && tool.arguments == *arguments;
        found.tool.as_ref().is_none_or(is_same).then_some(found)
    }

    /// The result of a call that a person denied or answered; `None` if the tool is to run.
    pub(super) fn result_by_person(
        &self,
        call: &Call,
        arguments: &Value,
        place: usize,
    ) -> Option<ToolOutput> {
        let recorded = self.recorded_input(call, arguments, place);
        if call.name == ask_human::NAME {
            let answer = match (recorded, Question::read(arguments)) {
                (Some(recorded), _) => recorded.answer,
                (None, Err(why)) => return Some(ToolOutput { ok: false, text: why }),
                (None, Ok(_)) => None,
            };
            let text = answer.as_ref().and_then(|answer| answer.get("answer")).and_then(Value::as_str);
            return Some(match text {
                Some(text) => ToolOutput { ok: true, text: text.to_owned() },
                None => ToolOutput { ok: false, text: UNANSWERED.to_owned() },
            });
        }
        match Decision::read(recorded?.answer.as_ref()) {
            Decision::Approved => None,
            Decision::Denied(text) => Some(ToolOutput { ok: false, text }),
        }
    }
}

/// What a call is called in requests for input. Some providers count calls anew in each answer.
fn input_id(call: &Call, place: usize) -> String {
    format!("{place}/{}", call.id)
}
