//! Turns and verdicts that were recorded in an earlier delivery of the run, and recording those of this one.
//!
//! Sessions with a model record each request and tool themselves. Of CLIs and programs a whole turn is one step.

use accord_api::input_request::{Decision, ToolUse};
use accord_api::step::{Body, Ending, RequestError};
use accord_api::{Said, Usage, attempt, written};
use accord_executor::{Answer, Stop, Turn};
use serde_json::Value;

use super::turns::{NoAnswer, Turns, wire};

/// Tells a CLI or program that was interrupted during a turn how to continue.
const INTERRUPTED: &str = "You were interrupted before you answered this. What you did so far is in this conversation; continue from there.";

impl Turns<'_> {
    /// Records what the decisions of this run depend on besides the answers.
    pub(super) async fn open(&mut self) {
        let is_opened = self.journal.take_if(|body| matches!(body, Body::Opened { .. })).is_some();
        if is_opened || self.journal.is_replaying() || self.assignment.facts.is_empty() {
            return;
        }
        if let Ok(facts) = serde_json::to_value(&self.assignment.facts) {
            self.journal.record(Body::Opened { facts }).await;
        }
    }

    /// The verdict on the answer, if it is in the record.
    pub(super) fn take_verdict(&self) -> Option<attempt::Outcome> {
        match self.journal.take("a verdict", |body| matches!(body, Body::Verdict { .. }))? {
            Body::Verdict { outcome, .. } => Some(outcome),
            _ => None,
        }
    }

    /// The message that the run got after it had waited, if it is recorded.
    pub(super) fn take_message(&self) -> Option<String> {
        match self.journal.take_if(|body| matches!(body, Body::Message { .. }))? {
            Body::Message { text } => Some(text),
            _ => None,
        }
    }

    /// A turn: from the record if it exists, otherwise asked and recorded.
    pub(super) async fn recorded_or_asked(
        &mut self,
        mut turn: Box<Turn>,
    ) -> Result<Answer, (NoAnswer, accord_executor::Usage)> {
        if self.capabilities.records_steps {
            return self.patiently(turn).await;
        }
        let is_conversation = |body: &Body| matches!(body, Body::Conversation { .. });
        let mut is_interrupted = false;
        while self.journal.take_if(is_conversation).is_some() {
            is_interrupted = true;
        }
        if let Some(recorded) = self.take_turn() {
            match (&recorded, self.is_elsewhere) {
                (Ok(answer), true) => self.before.extend(exchange(&turn.prompt, answer)),
                // The conversation that is continued here has them.
                (Ok(_), false) => self.before.clear(),
                (Err(_), _) => {}
            }
            return recorded;
        }
        self.journal.settle().await;
        if is_interrupted && !self.is_elsewhere {
            self.before.clear();
            let decided = decided(&self.journal.decisions());
            turn.prompt = format!("{INTERRUPTED}\n\n{decided}{}", turn.prompt);
        }
        turn.prompt = written(self.before.iter().map(Said::line), &turn.prompt);
        let result = self.patiently(turn).await;
        if result.is_ok() {
            self.before.clear();
            self.is_elsewhere = false;
        }
        let step = match &result {
            Ok(answer) => Some(answered(answer, self.has_worked, self.conversation())),
            // The next delivery continues the conversation as it is now, with what it has used.
            Err((NoAnswer::InputRequired, _)) => self
                .conversation()
                .map(|conversation| Body::Conversation { conversation, host: self.assignment.host.clone() }),
            Err((why, usage)) => failed(why, wire(*usage)),
        };
        if let Some(step) = step {
            self.journal.record(step).await;
        }
        result
    }

    fn take_turn(&mut self) -> Option<Result<Answer, (NoAnswer, accord_executor::Usage)>> {
        let is_turn = |body: &Body| matches!(body, Body::TurnAnswer { .. } | Body::RequestFailed { .. });
        match self.journal.take("a turn's answer", is_turn)? {
            Body::TurnAnswer {
                text,
                before,
                submissions,
                structured,
                ending,
                detail,
                model,
                usage,
                used_tools,
                conversation: _,
            } => {
                self.has_worked = used_tools;
                let structured = structured.and_then(|text| serde_json::from_str(&text).ok());
                let stop = stop(ending, detail.unwrap_or_default());
                let usage = executor_usage(usage);
                Some(Ok(Answer { text, before, submissions, structured, stop, usage, model }))
            }
            Body::RequestFailed { error, message, usage } => {
                Some(Err((no_answer(error, message), executor_usage(usage))))
            }
            _ => None,
        }
    }
}

/// Tells what people decided about the calls for which the turn was interrupted.
fn decided(decisions: &[(ToolUse, Decision)]) -> String {
    let line = |(call, decision): &(ToolUse, Decision)| {
        let ToolUse { name, arguments } = call;
        match decision {
            Decision::Approved => format!(
                "- A person approved this call: {name} {arguments}. It has not run yet: call it again, with exactly these arguments.\n"
            ),
            Decision::Denied(reason) => {
                format!(
                    "- This call was not approved: {name} {arguments} ({reason}). Do not call it again.\n"
                )
            }
        }
    };
    match decisions {
        [] => String::new(),
        decisions => decisions.iter().map(line).collect::<String>() + "\n",
    }
}

/// A question and its answer, as messages.
fn exchange(prompt: &str, answer: &Answer) -> [Said; 2] {
    let said = [answer.text.as_str()].into_iter().chain(answer.submissions.iter().map(String::as_str));
    let content = said.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    [Said::User { content: prompt.to_owned() }, Said::Assistant { content, tool_calls: Vec::new() }]
}

fn answered(answer: &Answer, used_tools: bool, conversation: Option<Value>) -> Body {
    let (ending, detail) = match &answer.stop {
        Stop::Finished => (Ending::Finished, None),
        Stop::Submitted => (Ending::Submitted, None),
        Stop::Truncated => (Ending::Truncated, None),
        Stop::Astray(names) => (Ending::Astray, Some(names.clone())),
        Stop::Refused(words) => (Ending::Refused, Some(words.clone())),
    };
    Body::TurnAnswer {
        text: answer.text.clone(),
        before: answer.before.clone(),
        submissions: answer.submissions.clone(),
        structured: answer.structured.as_ref().map(Value::to_string),
        ending,
        detail,
        model: answer.model.clone(),
        usage: wire(answer.usage),
        used_tools,
        conversation,
    }
}

fn stop(ending: Ending, detail: String) -> Stop {
    match ending {
        Ending::Finished | Ending::Paused => Stop::Finished,
        Ending::Submitted => Stop::Submitted,
        Ending::Truncated => Stop::Truncated,
        Ending::Astray => Stop::Astray(detail),
        Ending::Refused => Stop::Refused(detail),
    }
}

/// A turn that failed by itself. A turn that was ended from outside is repeated.
fn failed(why: &NoAnswer, usage: Usage) -> Option<Body> {
    let (error, message) = match why {
        NoAnswer::SchemaRejected(words) => (RequestError::SchemaRejected, words),
        NoAnswer::FormatRejected(words) => (RequestError::FormatRejected, words),
        NoAnswer::ToolRejected(words) => (RequestError::ToolRejected, words),
        NoAnswer::Transport(words) => (RequestError::Transport, words),
        NoAnswer::Failed(words) => (RequestError::Failed, words),
        NoAnswer::Exhausted(_) | NoAnswer::TimedOut(_) | NoAnswer::InputRequired | NoAnswer::Stopped => {
            return None;
        }
    };
    Some(Body::RequestFailed { error, message: message.clone(), usage })
}

fn no_answer(error: RequestError, message: String) -> NoAnswer {
    match error {
        RequestError::SchemaRejected => NoAnswer::SchemaRejected(message),
        RequestError::FormatRejected => NoAnswer::FormatRejected(message),
        RequestError::ToolRejected => NoAnswer::ToolRejected(message),
        RequestError::Transport => NoAnswer::Transport(message),
        RequestError::Failed => NoAnswer::Failed(message),
    }
}

fn executor_usage(usage: Usage) -> accord_executor::Usage {
    let Usage { input_tokens, output_tokens, cost_usd } = usage;
    accord_executor::Usage { input_tokens, output_tokens, cost_usd }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_decision_is_passed_on() {
        let call =
            |command: &str| ToolUse { name: "Bash".to_owned(), arguments: json!({"command": command}) };
        assert_eq!(decided(&[]), "");
        let told = decided(&[
            (call("ls"), Decision::Approved),
            (call("rm"), Decision::Denied("a person denied this call: no".to_owned())),
        ]);
        let expected = "- A person approved this call: Bash {\"command\":\"ls\"}. It has not run yet: call it again, with \
                        exactly these arguments.\n- This call was not approved: Bash {\"command\":\"rm\"} (a person denied \
                        this call: no). Do not call it again.\n\n";
        assert_eq!(told, expected);
    }
}
