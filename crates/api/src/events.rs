//! Events.

use accord_domain::event::Body;
use accord_domain::id::{EventId, RunId, SessionId, WorkflowRunId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(try_from = "Value")]
pub struct EventView {
    /// Event id; increases in order.
    pub id: EventId,
    /// Time.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// The session; null for events of a workflow run.
    #[serde(default)]
    pub session_id: Option<SessionId>,
    /// The run.
    #[serde(default)]
    pub run_id: Option<RunId>,
    /// The workflow run, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_run_id: Option<WorkflowRunId>,
    /// The event itself.
    #[serde(flatten)]
    pub body: Body,
}

/// What every event has beside its body.
#[derive(Deserialize)]
struct Head {
    id: EventId,
    at: Timestamp,
    #[serde(default)]
    session_id: Option<SessionId>,
    #[serde(default)]
    run_id: Option<RunId>,
    #[serde(default)]
    workflow_run_id: Option<WorkflowRunId>,
}

impl TryFrom<Value> for EventView {
    type Error = serde_json::Error;

    /// The body is handed on as it is: reading it together with the rest would cost numbers in it their digits.
    fn try_from(mut value: Value) -> Result<Self, Self::Error> {
        let mut head = Map::new();
        if let Value::Object(members) = &mut value {
            for name in ["id", "at", "session_id", "run_id", "workflow_run_id"] {
                head.extend(members.remove_entry(name));
            }
        }
        let Head { id, at, session_id, run_id, workflow_run_id } = Head::deserialize(Value::Object(head))?;
        Ok(Self { id, at, session_id, run_id, workflow_run_id, body: value.try_into()? })
    }
}

/// Events of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EventList {
    /// Items, in order.
    pub items: Vec<EventView>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_spelling() {
        for number in [
            "18446744073709551616",
            "1267650600228229401496703205376",
            "-1180591620717411303424",
            "1e+400",
            "-0",
        ] {
            let text = format!(
                r#"{{"id":"evt_0000000000000000007","at":"2026-11-15T00:00:00Z","session_id":"ses_1","run_id":"run_1","type":"result","result_text":null,"result_data":{{"v":{number}}}}}"#
            );
            let event: EventView = serde_json::from_str(&text).unwrap();
            assert_eq!(serde_json::to_string(&event).unwrap(), text);
            let page: EventList =
                serde_json::from_str(&format!(r#"{{"items":[{text}],"next_cursor":null}}"#)).unwrap();
            assert_eq!(page.items, [event]);
        }
    }

    #[test]
    fn unknown_events_are_errors() {
        for (text, error) in [
            ("[]", "missing field `id`"),
            (
                r#"{"id":"evt_7","at":"2026-11-15T00:00:00Z","type":"run.dreamt"}"#,
                "unknown variant `run.dreamt`",
            ),
            (
                r#"{"id":"evt_7","at":"2026-11-15T00:00:00Z","type":"message","role":"user","text":"t","more":1}"#,
                "unknown field `more`",
            ),
        ] {
            let told = serde_json::from_str::<EventView>(text).unwrap_err().to_string();
            assert!(told.contains(error), "{told}");
        }
    }
}
