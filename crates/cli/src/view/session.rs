//! A session, for people.

use std::fmt::Write as _;

use accord_api::{RunView, SessionView, UndeliveredCallback};

use super::text::{self, Times, fields, line};
use super::{Tone, run};
use crate::table;

/// Sessions as a table.
pub(crate) fn list(sessions: &[SessionView], times: &Times) -> String {
    let columns =
        ["session", "agent", "status", "last run", "parent", "model", "attempts", "cost", "updated", "input"];
    let spare = ["parent", "last run", "cost", "attempts", "model", "input"];
    let mut table = table::new(&columns).spare(&spare).free_text("input");
    for session in sessions {
        let parent = session.parent_session_id.as_ref().map_or("", |parent| parent.as_str());
        table.add_row([
            Tone::Plain.cell(session.session_id.as_str()),
            Tone::Plain.cell(&line(&session.agent_name)),
            Tone::from(session.status).cell(session.status.as_str()),
            Tone::Plain.cell(session.last_run_id.as_str()),
            Tone::Plain.cell(parent),
            Tone::Plain.cell(&line(session.model.as_deref().unwrap_or_default())),
            Tone::Plain.cell(&session.attempts.to_string()),
            Tone::Plain.cell(&session.usage.cost_usd.map(text::cost).unwrap_or_default()),
            Tone::Plain.cell(&times.at(session.updated_at)),
            Tone::Plain.cell(&line(&session.input_preview)),
        ]);
    }
    table.text()
}

/// One session, its runs, and the sessions that it started.
pub(crate) fn view(
    session: &SessionView,
    runs: &[RunView],
    children: &[SessionView],
    times: &Times,
) -> String {
    let status = Tone::from(session.status).paint(session.status.as_str());
    let rows = [
        ("agent", line(&session.agent_name)),
        ("parent", session.parent_session_id.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("folder", session.project_dir.as_deref().map(line).unwrap_or_default()),
        ("created", times.at(session.created_at)),
        ("updated", times.at(session.updated_at)),
    ];
    let mut text = format!("{}  {status}\n{}", session.session_id, fields(&rows));
    let _ = write!(text, "\n{}", run::list(runs, times));
    if !children.is_empty() {
        let _ = write!(text, "\nchildren\n{}", list(children, times));
    }
    for callback in &session.undelivered_callbacks {
        let _ = writeln!(text, "{}", undelivered(callback));
    }
    text
}

/// The result of a child that was not delivered to this session yet.
fn undelivered(callback: &UndeliveredCallback) -> String {
    let UndeliveredCallback { session_id, held, message, .. } = callback;
    match held {
        Some(reason) => {
            let head = Tone::Warning.paint(&format!("callback held[{reason}]:"));
            format!("{head} the result of {session_id}: {}", line(message.as_deref().unwrap_or_default()))
        }
        None => format!("callback pending: the result of {session_id}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_shows_its_runs_and_children() {
        let session = |id: &str, parent: &str| -> SessionView {
            serde_json::from_str(&format!(
                r#"{{"session_id": "{id}", "agent_name": "triage", "status": "finished", "parent_session_id": {parent},
                "project_dir": null, "last_run_id": "run_1", "input_preview": "Nobody can log in", "model": "small", "attempts": 1,
                "usage": {{"input_tokens": 1, "output_tokens": 1, "cost_usd": 0.0012}}, "created_at": "2026-11-15T10:00:00Z",
                "updated_at": "2026-11-15T10:00:02Z"}}"#
            ))
            .unwrap()
        };
        let times = Times::fixed("2026-11-15T10:05:00Z", false);
        let text = view(
            &session("ses_1", "null"),
            &[run::tests::completed()],
            &[session("ses_2", "\"ses_1\"")],
            &times,
        );
        insta::assert_snapshot!(anstream::adapter::strip_str(&text).to_string(), @r#"
        ses_1  finished
          agent    triage
          created  2026-11-15 10:00:00
          updated  2026-11-15 10:00:02

        RUN    AGENT   STATUS     ERROR  MODEL  ATTEMPTS  TOOK  TOKENS                   CREATED              INPUT
        run_1  triage  completed         small  2         2.1s  120 in, 40 out, $0.0012  2026-11-15 10:00:00  It \u{1b}[31mburns

        children
        SESSION  AGENT   STATUS    LAST RUN  PARENT  MODEL  ATTEMPTS  COST     UPDATED              INPUT
        ses_2    triage  finished  run_1     ses_1   small  1         $0.0012  2026-11-15 10:00:02  Nobody can log in
        "#);
    }

    #[test]
    fn undelivered_callbacks_are_shown() {
        let callback = |more: &str| -> UndeliveredCallback {
            serde_json::from_str(&format!(
                r#"{{"session_id": "ses_2", "run_id": "run_2", "since": "2026-11-15T10:00:00Z"{more}}}"#
            ))
            .unwrap()
        };
        let plain = |callback| anstream::adapter::strip_str(&undelivered(&callback)).to_string();
        assert_eq!(plain(callback("")), "callback pending: the result of ses_2");
        let held = callback(r#", "held": "parent_failed", "message": "resume it""#);
        assert_eq!(plain(held), "callback held[parent_failed]: the result of ses_2: resume it");
    }
}
