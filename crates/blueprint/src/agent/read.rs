//! Reads a blueprint from a value and reports every mistake.
//!
//! The value is compared with the JSON Schema of the blueprint (see [`crate::shape`]), which reports all mistakes and copies
//! the rest. The copy is deserialized once. With mistakes it is incomplete: good for checks that find more, never for use.

use accord_api::{Severity, Strict};
use accord_contract::JsonPath;
use accord_domain::agent::{Blueprint, Executor, ExecutorKind};
use accord_domain::nearest;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::finding::{Finding, Findings, Mark};
use crate::shape::{kind_of, shape, unknown};

/// What could be read.
#[derive(Debug)]
pub(super) struct Readable {
    /// The blueprint without its mistakes. Its executor is a placeholder if the real one cannot be read.
    pub(super) blueprint: Blueprint,
    /// Whether the executor is the real one.
    pub(super) executor_is_known: bool,
}

/// Reads a blueprint.
pub(super) fn blueprint(value: &Value, findings: &mut Findings) -> Option<Readable> {
    let Value::Object(members) = value else {
        let message = format!("expected an object with a name and an executor, got {}", kind_of(value));
        findings.error(JsonPath::root(), message);
        return None;
    };
    let place = JsonPath::root().key("executor");
    let executor = match members.get("executor") {
        Some(value) => executor(value, &place, findings),
        None => {
            let message = "missing field 'executor', which has no default; for example {type: llm, provider: anthropic, model: …}";
            findings.error(place, message);
            None
        }
    };
    let executor_is_known = executor.is_some();
    let mut members = members.clone();
    members.insert("executor".to_owned(), json!({"type": "process", "command": "placeholder"}));
    let mut blueprint: Blueprint = deserialized("Blueprint", &members, &JsonPath::root(), findings)?;
    if let Some(executor) = executor {
        blueprint.executor = executor;
    }
    Some(Readable { blueprint, executor_is_known })
}

/// Reports the mistakes of an object and deserializes the rest.
fn deserialized<T: DeserializeOwned>(
    name: &str,
    members: &Map<String, Value>,
    place: &JsonPath,
    findings: &mut Findings,
) -> Option<T> {
    let readable = Value::Object(shape(name).object(members, place, findings));
    T::deserialize(Strict(&readable)).map_err(|error| findings.error(place.clone(), error.to_string())).ok()
}

fn executor(value: &Value, place: &JsonPath, findings: &mut Findings) -> Option<Executor> {
    let Value::Object(members) = value else {
        let message = format!(
            "expected an object, got {}; for example {{type: llm, provider: anthropic, model: …}}",
            kind_of(value)
        );
        findings.error(place.clone(), message);
        return None;
    };
    let at = place.key("type");
    let known = ExecutorKind::ALL.map(ExecutorKind::name);
    let kind = match members.get("type") {
        Some(Value::String(kind)) => kind,
        Some(other) => {
            findings.error(at, format!("expected one of {}, got {}", known.join(", "), kind_of(other)));
            return None;
        }
        None => {
            match members.keys().find(|name| nearest(name, ["type"]).is_some()) {
                Some(slip) => {
                    let (place, message) = (place.key(slip), unknown("field", slip, &["type"]));
                    findings.push(Finding { severity: Severity::Error, place, mark: Mark::Name, message });
                }
                None => {
                    findings.error(at, format!("missing field 'type'; expected one of {}", known.join(", ")));
                }
            }
            return None;
        }
    };
    let mut settings = members.clone();
    settings.shift_remove("type");
    // Each type by itself: the tagged enum would buffer the settings and reject large numbers in them.
    match kind.as_str() {
        "llm" => deserialized("Llm", &settings, place, findings).map(Executor::Llm),
        "claude-code" => deserialized("Cli", &settings, place, findings).map(Executor::ClaudeCode),
        "codex" => deserialized("Cli", &settings, place, findings).map(Executor::Codex),
        "acp" => deserialized("Acp", &settings, place, findings).map(Executor::Acp),
        "process" => deserialized("Command", &settings, place, findings).map(Executor::Process),
        "external" => deserialized("External", &settings, place, findings).map(Executor::External),
        "human" => deserialized("Human", &settings, place, findings).map(Executor::Human),
        "replay" => deserialized("Replay", &settings, place, findings).map(Executor::Replay),
        _ => {
            findings.error(at, unknown("executor", kind, &known));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(value: Value) -> Vec<String> {
        let meter = accord_contract::Meter::default();
        let mut findings = Findings::new(&meter);
        let _ = blueprint(&value, &mut findings);
        findings
            .into_vec()
            .into_iter()
            .map(|finding| format!("{}: {}", finding.place.path(), finding.message))
            .collect()
    }

    #[test]
    fn reads_a_valid_blueprint() {
        let value = json!({
            "name": "a", "executor": {"type": "llm", "provider": "anthropic", "model": "m", "max_tokens": 10},
            "limits": {"max_steps": 3, "max_cost_usd": 0.5}, "tags": ["x"],
            "invariants": [{"rule": "true", "message": "m"}],
        });
        let meter = accord_contract::Meter::default();
        let mut findings = Findings::new(&meter);
        let read = blueprint(&value, &mut findings).unwrap();
        assert_eq!(findings.into_vec(), []);
        assert_eq!(read.blueprint, serde_json::from_value(value).unwrap());
        assert!(read.executor_is_known);
    }

    #[test]
    fn reports_every_mistake_at_once() {
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
             timeout_seconds, wait_seconds, input_seconds",
            "$.output_schema_options.strategy: unknown value 'nativ'; did you mean 'native'?",
            "$.output_schema_options.max_retries: expected an integer, 0 or more, got true",
            "$.invariants[0].message: missing field 'message'",
            "$.name: missing field 'name'",
        ];
        assert_eq!(mistakes(value), expected);
    }

    #[test]
    fn an_unreadable_executor_does_not_hide_other_mistakes() {
        let cases = [
            (
                json!("llm"),
                "$.executor: expected an object, got a string; for example {type: llm, provider: anthropic, model: …}",
            ),
            (json!({"type": "lm"}), "$.executor.type: unknown executor 'lm'; did you mean 'llm'?"),
            (
                json!({}),
                "$.executor.type: missing field 'type'; expected one of llm, claude-code, codex, acp, \
                         process, external, human, replay",
            ),
            (
                json!({"type": "process", "command": "x", "args": 5}),
                "$.executor.args: expected a list of strings, or json, flags or both; got a number",
            ),
        ];
        for (executor, expected) in cases {
            let value = json!({"name": "a", "executor": executor, "tag": []});
            let rest = "$.tag: unknown field 'tag'; did you mean 'tags'?";
            assert_eq!(mistakes(value), [expected, rest]);
        }
    }

    #[test]
    fn anything_but_an_object_is_one_mistake() {
        for value in [json!(null), json!([]), json!("x"), json!(5)] {
            assert_eq!(mistakes(value).len(), 1);
        }
    }
}
