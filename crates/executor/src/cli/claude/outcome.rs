//! What the end of a turn means.
//!
//! Neither `subtype` nor the exit code can be believed: an error of the model's service comes as `success`, and so does
//! an answer in prose where a schema was given. What counts is `is_error`, `terminal_reason`, why the model stopped, and
//! whether there is a `structured_output`.

use serde_json::Value;

use crate::answer::Stop;
use crate::session::TurnError;

use super::super::excerpt;
use super::arguments::AnswerMode;
use super::transcript::Transcript;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct FinalAnswer {
    pub(super) text: String,
    /// The texts before each cut, if the answer was cut off and continued.
    pub(super) before: Vec<String>,
    pub(super) structured: Option<Value>,
    pub(super) stop: Stop,
}

pub(super) fn read(
    line: &Value,
    transcript: &Transcript,
    mode: &AnswerMode,
    max_steps: u32,
) -> Result<FinalAnswer, TurnError> {
    let word = |name: &str| line.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_error = line.get("is_error").and_then(Value::as_bool) != Some(false);
    let stop_reason = word("stop_reason");
    if stop_reason == "refusal" {
        let words = transcript.refusal.clone().filter(|words| !words.is_empty());
        let words = words.unwrap_or_else(|| excerpt(word("result")));
        let (text, before) = (String::new(), Vec::new());
        return Ok(FinalAnswer { text, before, structured: None, stop: Stop::Refused(words) });
    }
    let before = transcript.before.clone();
    if !is_error {
        let structured = line.get("structured_output").filter(|value| !value.is_null()).cloned();
        let text = if before.is_empty() { word("result").to_owned() } else { transcript.text.clone() };
        let stop = match stop_reason {
            "max_tokens" | "model_context_window_exceeded" if structured.is_none() => Stop::Truncated,
            _ => Stop::Finished,
        };
        return Ok(FinalAnswer { text, before, structured, stop });
    }
    if transcript.error.as_deref() == Some("max_output_tokens") {
        return Ok(FinalAnswer {
            text: transcript.text.clone(),
            before,
            structured: None,
            stop: Stop::Truncated,
        });
    }
    match (word("terminal_reason"), word("subtype")) {
        ("structured_output_retry_exhausted", _) | (_, "error_max_structured_output_retries") => {
            // What its own validator refused is judged like every other answer.
            let structured = transcript.structured.clone();
            let text = structured.as_ref().map_or_else(|| transcript.text.clone(), Value::to_string);
            Ok(FinalAnswer { text, before, structured, stop: Stop::Finished })
        }
        ("max_turns", _) | (_, "error_max_turns") => Err(TurnError::TooManySteps(max_steps)),
        ("budget_exhausted", _) | (_, "error_max_budget_usd") => {
            // An answer that is there by then is an answer.
            let (text, structured) = (transcript.text.clone(), transcript.structured.clone());
            match text.is_empty() && structured.is_none() {
                true => Err(TurnError::AllowanceUsedUp),
                false => Ok(FinalAnswer { text, before, structured, stop: Stop::Finished }),
            }
        }
        ("api_error", _) => Err(service(line, mode)),
        _ => Err(TurnError::Failed(format!("Claude Code ended the turn with an error: {}", reason(line)))),
    }
}

fn service(line: &Value, mode: &AnswerMode) -> TurnError {
    let status = line.get("api_error_status").and_then(Value::as_u64);
    let reason = reason(line);
    let text = format!("Claude Code got no response from its model: {reason}");
    let of_schema = reason.contains("schema") || reason.contains("StructuredOutput");
    match (status, mode) {
        (Some(400), AnswerMode::Native(_)) if of_schema => TurnError::SchemaRejected(reason),
        (Some(400), AnswerMode::Tool(_)) if of_schema => TurnError::ToolRejected(reason),
        // Without a status the service was not reached at all.
        (None | Some(408 | 409 | 429 | 500..), _) => TurnError::Transport(text),
        _ => TurnError::Failed(text),
    }
}

fn reason(line: &Value) -> String {
    let errors = line.get("errors").and_then(Value::as_array).into_iter().flatten();
    let errors: Vec<&str> = errors.filter_map(Value::as_str).collect();
    let result = line.get("result").and_then(Value::as_str).unwrap_or_default();
    let words = if errors.is_empty() { result.to_owned() } else { errors.join("; ") };
    match words.trim() {
        "" => line.get("subtype").and_then(Value::as_str).unwrap_or("no reason given").to_owned(),
        words => excerpt(words),
    }
}

/// Whether a resumed conversation is not there.
pub(super) fn is_gone(words: &str) -> bool {
    words.contains("No conversation found")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const STEPS: u32 = 7;

    fn end(line: Value) -> Result<FinalAnswer, TurnError> {
        read(&line, &Transcript::default(), &AnswerMode::Native(json!({})), STEPS)
    }

    fn ok(text: &str, structured: Option<Value>, stop: Stop) -> Result<FinalAnswer, TurnError> {
        Ok(FinalAnswer { text: text.to_owned(), before: Vec::new(), structured, stop })
    }

    #[test]
    fn answers() {
        let value = json!({"v": "a"});
        let structured = json!({"is_error": false, "subtype": "success", "terminal_reason": "completed",
            "stop_reason": "tool_use", "result": "{\"v\":\"a\"}", "structured_output": value});
        assert_eq!(end(structured), ok(r#"{"v":"a"}"#, Some(value), Stop::Finished));
        let prose =
            json!({"is_error": false, "subtype": "success", "stop_reason": "end_turn", "result": "hello"});
        assert_eq!(end(prose), ok("hello", None, Stop::Finished));
        let cut =
            json!({"is_error": false, "subtype": "success", "stop_reason": "max_tokens", "result": "{"});
        assert_eq!(end(cut), ok("{", None, Stop::Truncated));
        let refused = json!({"is_error": true, "subtype": "success", "terminal_reason": "api_error",
            "stop_reason": "refusal", "result": "API Error: flagged"});
        assert_eq!(end(refused.clone()), ok("", None, Stop::Refused("API Error: flagged".to_owned())));
        let transcript = Transcript { refusal: Some("no".to_owned()), ..Transcript::default() };
        let read = read(&refused, &transcript, &AnswerMode::Text, STEPS);
        assert_eq!(read, ok("", None, Stop::Refused("no".to_owned())));
    }

    #[test]
    fn a_continued_answer_is_reported_in_its_parts() {
        let before = vec!["{\"a\": \"hel".to_owned()];
        let transcript =
            Transcript { text: "lo\"}".to_owned(), before: before.clone(), ..Transcript::default() };
        let line =
            json!({"is_error": false, "subtype": "success", "stop_reason": "end_turn", "result": "lo\"}"});
        let expected =
            FinalAnswer { text: "lo\"}".to_owned(), before, structured: None, stop: Stop::Finished };
        assert_eq!(read(&line, &transcript, &AnswerMode::Text, STEPS), Ok(expected));
    }

    #[test]
    fn a_value_that_its_validator_rejected_is_an_answer() {
        let value = json!({"v": "z"});
        let transcript =
            Transcript { structured: Some(value.clone()), text: "look".to_owned(), ..Transcript::default() };
        let line = json!({"is_error": true, "subtype": "error_max_structured_output_retries",
            "terminal_reason": "structured_output_retry_exhausted", "errors": ["Failed to provide"]});
        assert_eq!(
            read(&line, &transcript, &AnswerMode::Text, STEPS),
            ok(r#"{"v":"z"}"#, Some(value), Stop::Finished)
        );
        let transcript = Transcript { text: "prose".to_owned(), ..Transcript::default() };
        assert_eq!(read(&line, &transcript, &AnswerMode::Text, STEPS), ok("prose", None, Stop::Finished));
    }

    #[test]
    fn too_long_an_answer_is_cut() {
        let transcript = Transcript {
            text: "{\"a\"".to_owned(),
            error: Some("max_output_tokens".to_owned()),
            ..Transcript::default()
        };
        let line = json!({"is_error": true, "subtype": "success", "terminal_reason": "api_error",
            "stop_reason": "stop_sequence", "result": "API Error: exceeded"});
        assert_eq!(read(&line, &transcript, &AnswerMode::Text, STEPS), ok("{\"a\"", None, Stop::Truncated));
    }

    #[test]
    fn errors_are_classified_by_remedy() {
        let service = |status: Value, text: &str| {
            json!({"is_error": true, "subtype": "success", "terminal_reason": "api_error", "stop_reason": "stop_sequence",
                   "api_error_status": status, "result": text})
        };
        let text = |reason: &str| format!("Claude Code got no response from its model: {reason}");
        for status in [json!(429), json!(529), json!(500), json!(null)] {
            assert_eq!(end(service(status, "busy")), Err(TurnError::Transport(text("busy"))));
        }
        for status in [json!(401), json!(400), json!(404)] {
            assert_eq!(end(service(status, "no")), Err(TurnError::Failed(text("no"))));
        }
        let schema = "tools.1.custom.input_schema: JSON schema is invalid";
        assert_eq!(end(service(json!(400), schema)), Err(TurnError::SchemaRejected(schema.to_owned())));
        let turns = json!({"is_error": true, "subtype": "error_max_turns", "terminal_reason": "max_turns"});
        assert_eq!(end(turns), Err(TurnError::TooManySteps(STEPS)));
        let budget = json!({"is_error": true, "subtype": "error_max_budget_usd", "terminal_reason": "budget_exhausted",
            "errors": ["Reached maximum budget ($1)"]});
        assert_eq!(end(budget.clone()), Err(TurnError::AllowanceUsedUp));
        let transcript = Transcript { text: "done".to_owned(), ..Transcript::default() };
        assert_eq!(read(&budget, &transcript, &AnswerMode::Text, STEPS), ok("done", None, Stop::Finished));
        assert!(matches!(end(json!({})), Err(TurnError::Failed(_))));
    }
}
