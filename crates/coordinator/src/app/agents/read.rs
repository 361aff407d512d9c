//! From a value to a blueprint, with every mistake and not only the first.
//!
//! The types say what may stand where, and their reader stops at the first mistake. So the mistake is noted, what is
//! wrong is taken out (or something put in where it is missing), and it is read again. What comes out at last is the
//! blueprint without its mistakes: good for looking for more, never for use.

use accord_api::Strict;
use accord_contract::{Place, Step};
use accord_domain::agent::{Blueprint, Executor, ExecutorKind};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use serde_path_to_error::Segment;

use super::finding::{Finding, Findings, Mark};
use super::name::nearest;

/// How often a value is read again. Each round takes one mistake away; a file with more has no use for the rest.
const MOST_ROUNDS: usize = 50;

/// What could be read.
#[derive(Debug)]
pub(super) struct Read {
    /// The blueprint without its mistakes. Its executor is a stand-in where the real one cannot be read.
    pub(super) blueprint: Blueprint,
    /// Whether the executor is the real one.
    pub(super) executor_is_known: bool,
}

/// Reads a blueprint.
pub(super) fn blueprint(value: &Value, findings: &mut Findings) -> Option<Read> {
    let Value::Object(members) = value else {
        let message = format!("expected an object with a name and an executor, got {}", kind_of(value));
        findings.error(Place::root(), message);
        return None;
    };
    let mut members = members.clone();
    let place = Place::root().key("executor");
    let executor = match members.get("executor") {
        Some(value) => executor(value, &place, findings),
        None => {
            let message = "missing field 'executor'; for example {type: llm, provider: anthropic, model: …}";
            findings.error(place, message);
            None
        }
    };
    // The tagged shape hides where its mistakes are; it is read by its own types instead.
    members.insert("executor".to_owned(), json!({"type": "process", "command": "stand-in"}));
    let mut blueprint: Blueprint = pruned(Value::Object(members), &Place::root(), findings)?;
    let executor_is_known = executor.is_some();
    if let Some(executor) = executor {
        blueprint.executor = executor;
    }
    Some(Read { blueprint, executor_is_known })
}

fn executor(value: &Value, place: &Place, findings: &mut Findings) -> Option<Executor> {
    let Value::Object(members) = value else {
        let message = format!(
            "expected an object, got {}; for example {{type: llm, provider: anthropic, model: …}}",
            kind_of(value)
        );
        findings.error(place.clone(), message);
        return None;
    };
    let executors = ExecutorKind::ALL.map(ExecutorKind::name);
    let mut settings = members.clone();
    let at = place.key("type");
    let kind = match settings.shift_remove("type") {
        Some(Value::String(kind)) => kind,
        Some(other) => {
            findings
                .error(at, format!("expected one of {1}, got {0}", kind_of(&other), executors.join(", ")));
            return None;
        }
        None => {
            let message = format!("missing field 'type'; expected one of {}", executors.join(", "));
            match members.keys().find(|name| nearest(name, ["type"]).is_some()) {
                Some(slip) => {
                    let (place, message) = (place.key(slip), unknown("field", slip, &["type"]));
                    let severity = accord_api::Severity::Error;
                    findings.push(Finding { severity, place, mark: Mark::Name, message });
                }
                None => findings.error(at, message),
            }
            return None;
        }
    };
    let Some(known) = ExecutorKind::ALL.into_iter().find(|known| known.name() == kind) else {
        findings.error(at, unknown("executor", &kind, &executors));
        return None;
    };
    let settings = settings.into();
    match known {
        ExecutorKind::Llm => pruned(settings, place, findings).map(Executor::Llm),
        ExecutorKind::ClaudeCode => pruned(settings, place, findings).map(Executor::ClaudeCode),
        ExecutorKind::Codex => pruned(settings, place, findings).map(Executor::Codex),
        ExecutorKind::Process => pruned(settings, place, findings).map(Executor::Process),
        ExecutorKind::External => pruned(settings, place, findings).map(Executor::External),
        ExecutorKind::Replay => pruned(settings, place, findings).map(Executor::Replay),
    }
}

/// Reads a value, notes each mistake at its place, and goes on without it.
fn pruned<T: DeserializeOwned>(mut value: Value, base: &Place, findings: &mut Findings) -> Option<T> {
    for _ in 0..MOST_ROUNDS {
        let error = match serde_path_to_error::deserialize(Strict(&value)) {
            Ok(read) => return Some(read),
            Err(error) => error,
        };
        let steps = steps_of(error.path());
        let message = error.inner().to_string();
        let place: Place = base.steps().iter().chain(&steps).cloned().collect();
        let mended = match quoted(&message, "missing field `") {
            Some(field) => {
                findings.error(place.key(field), format!("missing field '{field}'"));
                put_in(&mut value, &steps, field)
            }
            None => {
                let found = at(&mut value, &steps).cloned().unwrap_or_default();
                let mark = if message.starts_with("unknown field") { Mark::Name } else { Mark::Value };
                let message = wording(&message, &found);
                findings.push(Finding { severity: accord_api::Severity::Error, place, mark, message });
                take_out(&mut value, &steps)
            }
        };
        mended?;
    }
    None
}

fn steps_of(path: &serde_path_to_error::Path) -> Vec<Step> {
    path.iter()
        .filter_map(|segment| match segment {
            Segment::Seq { index } => Some(Step::Index(*index)),
            Segment::Map { key } => Some(Step::Key(key.clone())),
            Segment::Enum { .. } | Segment::Unknown => None,
        })
        .collect()
}

fn at<'a>(value: &'a mut Value, steps: &[Step]) -> Option<&'a mut Value> {
    steps.iter().try_fold(value, |value, step| match step {
        Step::Key(name) => value.get_mut(name),
        Step::Index(index) => value.get_mut(index),
    })
}

/// Takes a member out; for an item, its whole list, because the places of the others would no longer be right.
fn take_out(value: &mut Value, steps: &[Step]) -> Option<()> {
    let (last, before) = steps.split_last()?;
    match last {
        Step::Key(name) => at(value, before)?.as_object_mut()?.shift_remove(name).map(drop),
        Step::Index(_) => take_out(value, before),
    }
}

/// Puts an empty text where something is missing. All that must be there are texts.
fn put_in(value: &mut Value, steps: &[Step], field: &str) -> Option<()> {
    let object: &mut Map<String, Value> = at(value, steps)?.as_object_mut()?;
    match object.insert(field.to_owned(), Value::from("")) {
        Some(_) => None,
        None => Some(()),
    }
}

/// The reader's sentence as people are told it.
fn wording(message: &str, found: &Value) -> String {
    if let Some(field) = quoted(message, "unknown field `") {
        return unknown("field", field, &expected(message));
    }
    if let Some(variant) = quoted(message, "unknown variant `") {
        return unknown("value", variant, &expected(message));
    }
    if message.contains("ProcessArguments") {
        return format!("expected a list of strings, or json, flags or both; got {}", kind_of(found));
    }
    if message == "invalid number" {
        return format!("expected an integer, 0 or more, got {found}");
    }
    match message.split_once(", expected ") {
        Some((_, wanted)) => format!("expected {1}, got {0}", shown(found), plain(wanted)),
        None => message.to_owned(),
    }
}

fn unknown(what: &str, wrong: &str, known: &[&str]) -> String {
    let short: String = wrong.chars().take(80).collect();
    match nearest(wrong, known.iter().copied()) {
        Some(meant) => format!("unknown {what} '{short}'; did you mean '{meant}'?"),
        None if known.is_empty() => format!("unknown {what} '{short}'"),
        None => format!("unknown {what} '{short}'; expected one of {}", known.join(", ")),
    }
}

/// What stands in backquotes behind a beginning.
fn quoted<'a>(message: &'a str, beginning: &str) -> Option<&'a str> {
    message.strip_prefix(beginning)?.split('`').next()
}

/// All names that the sentence says were expected.
fn expected(message: &str) -> Vec<&str> {
    let (_, names) = message.rsplit_once(", expected ").unwrap_or_default();
    names.split('`').skip(1).step_by(2).collect()
}

/// The kind of value that the reader wants, as people call it.
pub(crate) fn plain(wanted: &str) -> &str {
    match wanted {
        "i8" | "i16" | "i32" | "i64" | "isize" => "an integer",
        "u8" | "u16" | "u32" | "u64" | "usize" => "an integer, 0 or more",
        "f64" | "f32" => "a number",
        "a sequence" => "a list",
        "a boolean" => "a boolean",
        "a map" => "an object",
        _ if wanted.starts_with("struct ") => "an object",
        _ if wanted.starts_with("internally tagged enum ") => "an object with a type",
        _ => wanted,
    }
}

/// A value's kind, and the value itself where it is short.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().count() <= 40 => format!("the string {value}"),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        _ => kind_of(value).to_owned(),
    }
}

/// The name of a value's kind, with its article.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(value: Value) -> Vec<String> {
        let mut findings = Findings::default();
        let _ = blueprint(&value, &mut findings);
        findings
            .into_vec()
            .into_iter()
            .map(|finding| format!("{}: {}", finding.place.path(), finding.message))
            .collect()
    }

    #[test]
    fn a_sound_blueprint_is_read() {
        let value = json!({
            "name": "a", "executor": {"type": "llm", "provider": "anthropic", "model": "m", "max_tokens": 10},
            "limits": {"max_steps": 3, "max_cost_usd": 0.5}, "tags": ["x"],
            "invariants": [{"rule": "true", "message": "m"}],
        });
        let mut findings = Findings::default();
        let read = blueprint(&value, &mut findings).unwrap();
        assert_eq!(findings.into_vec(), []);
        assert_eq!(read.blueprint, serde_json::from_value(value).unwrap());
        assert!(read.executor_is_known);
    }

    #[test]
    fn every_mistake_is_found_at_once() {
        let value = json!({
            "nmae": "a", "type": "autonomus", "tools": ["read_file", 7],
            "executor": {"type": "llm", "provider": 5, "maxTokens": 1, "max_tokens": 1.5, "timeout_seconds": "5"},
            "limits": {"max_steps": -1, "steps": 3},
            "output_schema_options": {"strategy": "nativ", "max_retries": true},
            "invariants": [{"rule": "true"}],
        });
        let expected = [
            "$.executor.provider: expected a string, got 5",
            "$.executor.maxTokens: unknown field 'maxTokens'; did you mean 'max_tokens'?",
            "$.executor.max_tokens: expected an integer, 0 or more, got 1.5",
            "$.executor.timeout_seconds: expected an integer, 0 or more, got the string \"5\"",
            "$.executor.model: missing field 'model'",
            "$.nmae: unknown field 'nmae'; did you mean 'name'?",
            "$.type: unknown value 'autonomus'; did you mean 'autonomous'?",
            "$.tools[1]: expected a string, got 7",
            "$.limits.max_steps: expected an integer, 0 or more, got -1",
            "$.limits.steps: unknown field 'steps'; expected one of max_steps, max_tokens_total, max_cost_usd, \
             timeout_seconds",
            "$.output_schema_options.strategy: unknown value 'nativ'; did you mean 'native'?",
            "$.output_schema_options.max_retries: expected an integer, 0 or more, got true",
            "$.invariants[0].message: missing field 'message'",
            "$.name: missing field 'name'",
        ];
        assert_eq!(found(value), expected);
    }

    #[test]
    fn an_executor_that_cannot_be_read_hides_nothing() {
        let cases = [
            (
                json!("llm"),
                "$.executor: expected an object, got a string; for example {type: llm, provider: anthropic, model: …}",
            ),
            (json!({"type": "lm"}), "$.executor.type: unknown executor 'lm'; did you mean 'llm'?"),
            (
                json!({}),
                "$.executor.type: missing field 'type'; expected one of llm, claude-code, codex, process, \
                         external, replay",
            ),
            (
                json!({"type": "process", "command": "x", "args": 5}),
                "$.executor.args: expected a list of strings, or json, flags or both; got a number",
            ),
        ];
        for (executor, expected) in cases {
            let value = json!({"name": "a", "executor": executor, "tag": []});
            let rest = "$.tag: unknown field 'tag'; did you mean 'tags'?";
            assert_eq!(found(value), [expected, rest]);
        }
    }

    #[test]
    fn something_else_is_one_mistake() {
        for value in [json!(null), json!([]), json!("x"), json!(5)] {
            assert_eq!(found(value).len(), 1);
        }
    }
}
