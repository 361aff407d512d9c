//! Differences between the recorded and the current agent.

use serde::Serialize;
use serde_json::Value;

use crate::view::text::{counted, short};

/// How many changes are listed, and how much of a value.
const LISTED: usize = 20;
const SHOWN: usize = 60;

/// One part of an agent that is not as it was recorded.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Change {
    /// Its path, for example `executor.model`.
    pub(super) path: String,
    /// The recorded value; `None` if the part is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recorded: Option<Value>,
    /// The current value; `None` if the part was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) current: Option<Value>,
}

/// Every part that differs. Where an agent runs decides nothing of its answer.
pub(super) fn between(recorded: &Value, current: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    differ("", Some(recorded), Some(current), &mut changes);
    changes.retain(|change| change.path != "demands" && !change.path.starts_with("demands."));
    changes
}

fn differ(path: &str, recorded: Option<&Value>, current: Option<&Value>, changes: &mut Vec<Change>) {
    match (recorded, current) {
        (Some(Value::Object(before)), Some(Value::Object(now))) => {
            let added = now.keys().filter(|name| !before.contains_key(*name));
            for name in before.keys().chain(added) {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                differ(&path, before.get(name), now.get(name), changes);
            }
        }
        (before, now) if before == now => {}
        (before, now) => {
            changes.push(Change { path: path.to_owned(), recorded: before.cloned(), current: now.cloned() })
        }
    }
}

/// The changes, one a line.
pub(super) fn list(changes: &[Change]) -> String {
    let value = |value: &Value| short(&value.to_string(), SHOWN);
    let line = |change: &Change| match (&change.recorded, &change.current) {
        (None, Some(now)) => format!("  {} added: {}\n", change.path, value(now)),
        (Some(before), None) => format!("  {} removed: {}\n", change.path, value(before)),
        (Some(Value::String(before)), Some(Value::String(now))) => text_change(&change.path, before, now),
        (Some(before), Some(now)) => {
            format!("  {}: {} → {}\n", change.path, value(before), value(now))
        }
        (None, None) => String::new(),
    };
    let mut text: String = changes.iter().take(LISTED).map(line).collect();
    if changes.len() > LISTED {
        text.push_str(&format!("  and {} more\n", changes.len() - LISTED));
    }
    text
}

/// Of a long text the first lines that differ.
fn text_change(path: &str, before: &str, now: &str) -> String {
    let quoted = |text: &str| short(&Value::from(text).to_string(), SHOWN);
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (old, new) = (lines(before), lines(now));
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let line = |lines: &[String]| lines.get(same).map_or("(end)".to_owned(), |line| quoted(line));
    match old.len().max(new.len()) {
        0 | 1 => format!("  {path}: {} → {}\n", quoted(before), quoted(now)),
        _ => format!("  {path}, line {}: {} → {}\n", same + 1, line(&old), line(&new)),
    }
}

/// The names of the parts that differ, in one line.
pub(super) fn named(changes: &[Change]) -> String {
    let mut names: Vec<&str> =
        changes.iter().map(|change| change.path.split('.').next().unwrap_or_default()).collect();
    names.dedup();
    match names.as_slice() {
        [one, two, three, _, ..] => {
            format!("{one}, {two}, {three} and {}", counted(names.len() as u64 - 3, "other field"))
        }
        few => few.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_are_named_with_both_values() {
        let before = json!({"name": "a", "system_prompt": "One.\nTwo.", "executor": {"model": "m", "seed": 1},
            "demands": {"tags": []}, "tags": ["x"]});
        let now = json!({"name": "a", "system_prompt": "One.\nThree.", "executor": {"model": "n"}, "tags": ["x"],
            "output_schema": {"type": "object"}});
        let changes = between(&before, &now);
        let expected = "  system_prompt, line 2: \"Two.\" → \"Three.\"\n  executor.model: \"m\" → \"n\"\n  executor.seed removed: 1\n  output_schema added: {\"type\":\"object\"}\n";
        assert_eq!(list(&changes), expected);
        assert_eq!(named(&changes), "system_prompt, executor, output_schema");
        assert_eq!(between(&before, &before), []);
    }

    #[test]
    fn many_changes_are_cut() {
        let before = json!({});
        let now: serde_json::Map<String, Value> = (0..25).map(|at| (format!("f{at}"), json!(at))).collect();
        let changes = between(&before, &Value::Object(now));
        assert!(list(&changes).ends_with("  and 5 more\n"));
        assert_eq!(named(&changes), "f0, f1, f2 and 22 other fields");
    }
}
