//! A run, for people.

use std::fmt::Write as _;

use accord_api::{Failure, RunResult, RunStatus, RunView, SessionId};
use serde_json::Value;

use super::Tone;
use super::attempt::extracted;
use super::text::{self, Times, fields, line, paragraph, unescaped};
use crate::excerpt::visible;
use crate::table::{self, Table};

/// Runs as a table.
pub(crate) fn list(runs: &[RunView], times: &Times) -> String {
    table(runs, times).text()
}

fn table(runs: &[RunView], times: &Times) -> Table {
    let columns =
        ["run", "agent", "status", "error", "model", "attempts", "took", "tokens", "created", "input"];
    let spare = ["tokens", "attempts", "model", "error", "input"];
    let mut table = table::new(&columns).spare(&spare).free_text("input");
    for run in runs {
        let error = run.error.as_ref().map_or("", |error| error.kind.as_str());
        let took = match run.waits_until.filter(|_| run.status.is_suspended()) {
            Some(until) => times.until(until),
            None => run.started_at.map(|start| times.since(start, run.finished_at)).unwrap_or_default(),
        };
        table.add_row([
            Tone::Plain.cell(run.run_id.as_str()),
            Tone::Plain.cell(&line(&run.agent_name)),
            Tone::from(run.status).cell(run.status.as_str()),
            Tone::Plain.cell(error),
            Tone::Plain.cell(&line(run.model.as_deref().unwrap_or_default())),
            Tone::Plain.cell(&run.attempts.to_string()),
            Tone::Plain.cell(&took),
            Tone::Plain.cell(&text::usage(&run.usage)),
            Tone::Plain.cell(&times.at(run.created_at)),
            Tone::Plain.cell(&line(&run.input_preview)),
        ]);
    }
    table
}

/// What a suspended run waits for, with the sessions of its unfinished children.
fn waits_for(run: &RunView, children: &[SessionId], times: &Times) -> String {
    let what = match run.status {
        RunStatus::Waiting if children.is_empty() => "child sessions".to_owned(),
        RunStatus::Waiting => text::counted(children.len() as u64, "child session"),
        RunStatus::InputRequired => "an answer from a person".to_owned(),
        _ => return String::new(),
    };
    let until = run.waits_until.map(|until| format!(", {}", times.until(until))).unwrap_or_default();
    let named: Vec<&str> = children.iter().map(SessionId::as_str).collect();
    match named.is_empty() {
        true => format!("{what}{until}"),
        false => format!("{what} ({}){until}", named.join(", ")),
    }
}

/// All of one run. If it waits for children, these are the unfinished ones.
pub(crate) fn view(run: &RunView, children: &[SessionId], times: &Times) -> String {
    let waited = run.started_at.map(|start| times.since(run.created_at, Some(start)));
    let took = run.started_at.map(|start| times.since(start, run.finished_at)).unwrap_or_default();
    let deliveries = if run.attempt > 1 { run.attempt.to_string() } else { String::new() };
    let rows = [
        ("agent", line(&run.agent_name)),
        ("session", run.session_id.to_string()),
        ("type", run.kind.as_str().to_owned()),
        ("mode", run.execution_mode.as_str().to_owned()),
        ("priority", if run.priority == 0 { String::new() } else { run.priority.to_string() }),
        ("created", times.at(run.created_at)),
        ("requested by", run.requested_by.as_ref().map(text::requested_by).unwrap_or_default()),
        ("waited", waited.unwrap_or_default()),
        ("took", took),
        ("runner", run.runner_id.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("deliveries", deliveries),
        ("waits for", waits_for(run, children, times)),
        ("tokens", text::usage(&run.usage)),
        ("contract", contract(run)),
        ("parameters", run.parameters.as_deref().map(text::raw_json).unwrap_or_default()),
    ];
    let mut text = format!("{}  {}\n", run.run_id, Tone::from(run.status).paint(run.status.as_str()));
    text.push_str(&fields(&rows));
    if let Some(error) = &run.error {
        let _ = write!(text, "\n{}", failure(error));
    }
    if let Some(result) = &run.result {
        let _ = write!(text, "\n{}", self::result(result));
    }
    text
}

/// The last line about a run: how it ended, after how long, for how much.
pub(crate) fn end(run: &RunView, times: &Times) -> String {
    let mut text = format!(
        "{} {} after {}",
        run.run_id,
        Tone::from(run.status).paint(run.status.as_str()),
        times.since(run.created_at, run.finished_at)
    );
    let used = text::usage(&run.usage);
    if !used.is_empty() {
        let _ = write!(text, ", {used}");
    }
    text.push('\n');
    text
}

/// Who set the contract, and which schema it is.
fn contract(run: &RunView) -> String {
    let Some(origin) = run.contract_origin else { return String::new() };
    let origin = serde_json::to_value(origin).unwrap_or_default();
    let contract: Value =
        run.contract.as_deref().and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let text = |name: &str| contract.get(name).and_then(Value::as_str).map(line);
    let name = text("schema_name").or_else(|| text("schema_hash")).unwrap_or_default();
    format!("{} {name}", origin.as_str().unwrap_or_default()).trim_end().to_owned()
}

/// The result of a completed run.
pub(crate) fn result(result: &RunResult) -> String {
    let mut text = String::new();
    if let Some(validation) = &result.schema_validation {
        let retries = text::counted(u64::from(validation.retry_count), "retry").replace("retrys", "retries");
        let repairs = text::counted(validation.repairs.len() as u64, "repair");
        let source = validation.source.and_then(extracted);
        let source = source.map(|source| format!(", source: {}", source.as_str())).unwrap_or_default();
        let _ = writeln!(text, "{} after {retries}, {repairs}{source}", Tone::Good.paint("conforms"));
    }
    match (&result.result_data, &result.result_text) {
        (Some(data), _) => text.push_str(&text::raw_json(data)),
        (None, Some(answer)) => text.push_str(&visible(answer)),
        (None, None) => text.push_str("null"),
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Why a run failed, one error a line.
pub(crate) fn failure(failure: &Failure) -> String {
    let head = format!("failed[{}]:", failure.kind.as_str());
    let mut text = format!("{} {}\n", Tone::Bad.paint(&head), paragraph(&failure.message, "  "));
    for error in &failure.validation_errors {
        let _ = writeln!(text, "  {}", line(&unescaped(error)));
    }
    text
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn completed() -> RunView {
        serde_json::from_str(
            r#"{"run_id": "run_1", "session_id": "ses_1", "type": "start_session", "agent_name": "triage",
            "status": "completed", "execution_mode": "sync", "demands": {}, "priority": 0, "attempt": 1,
            "retry_count": 0, "runner_id": "rnr_1",
            "usage": {"input_tokens": 120, "output_tokens": 40, "cost_usd": 0.0012},
            "created_at": "2026-11-15T10:00:00Z", "claimed_at": "2026-11-15T10:00:00.2Z",
            "started_at": "2026-11-15T10:00:00.3Z", "finished_at": "2026-11-15T10:00:02.4Z",
            "input_preview": "It \u001b[31mburns", "model": "small", "attempts": 2,
            "parameters": {"ticket": "It \u001b[31mburns"},
            "contract": {"schema_hash": "sha256:ab"}, "contract_origin": "blueprint",
            "result": {"result_text": null, "result_data": {"amount": 12.50}, "schema_validation": {"valid": true,
            "schema_name": null, "schema_hash": "sha256:ab", "retry_count": 1, "strategy": "native", "repairs": [],
            "attempts": 2}}}"#,
        )
        .unwrap()
    }

    pub(crate) fn failed() -> RunView {
        serde_json::from_str(
            r#"{"run_id": "run_2", "session_id": "ses_2", "type": "resume_session", "agent_name": "reader",
            "status": "failed", "execution_mode": "async_poll", "demands": {}, "priority": 5, "attempt": 2,
            "retry_count": 0, "runner_id": null,
            "error": {"type": "output_schema_validation_failed", "message": "Output did not match schema after 1 retry",
            "validation_errors": ["$.total: 'a\nb' is not a number"], "last_output": "…", "attempts": 2},
            "usage": {"input_tokens": 0, "output_tokens": 0},
            "created_at": "2026-11-15T10:00:00Z", "claimed_at": null, "started_at": null, "finished_at": null}"#,
        )
        .unwrap()
    }

    fn times() -> Times {
        Times::fixed("2026-11-15T10:05:00Z", true)
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_completed_run_shows_its_result_unchanged() {
        insta::assert_snapshot!(plain(&view(&completed(), &[], &times())), @r#"
        run_1  completed
          agent     triage
          session   ses_1
          type      start_session
          mode      sync
          created   5m ago
          waited    300ms
          took      2.1s
          runner    rnr_1
          tokens    120 in, 40 out, $0.0012
          contract  blueprint sha256:ab
          parameters
            {
              "ticket": "It \u001b[31mburns"
            }

        conforms after 1 retry, 0 repairs
        {
          "amount": 12.50
        }
        "#);
    }

    #[test]
    fn a_value_that_was_not_alone_is_mentioned() {
        let mut run = completed();
        let result = run.result.as_mut().unwrap();
        let validation = result.schema_validation.as_mut().unwrap();
        validation.source = Some(accord_api::ValueSource::Prose);
        let text = plain(&super::result(result));
        assert!(text.starts_with("conforms after 1 retry, 0 repairs, source: prose\n"), "{text}");
    }

    #[test]
    fn a_failed_run_lists_its_errors() {
        insta::assert_snapshot!(plain(&view(&failed(), &[], &times())), @r#"
        run_2  failed
          agent       reader
          session     ses_2
          type        resume_session
          mode        async_poll
          priority    5
          created     5m ago
          deliveries  2

        failed[output_schema_validation_failed]: Output did not match schema after 1 retry
          $.total: 'a\nb' is not a number
        "#);
    }

    #[test]
    fn a_waiting_run_says_for_what_and_until_when() {
        let waits_until = Some("2026-11-15T11:05:00Z".parse().unwrap());
        let run = RunView { status: RunStatus::Waiting, waits_until, error: None, ..failed() };
        let children: Vec<SessionId> = ["ses_a", "ses_b"].map(|id| id.parse().unwrap()).into();
        let text = plain(&view(&run, &children, &times()));
        assert!(text.contains("waits for   2 child sessions (ses_a, ses_b), for 1h 00m more\n"), "{text}");
        let run = RunView { status: RunStatus::InputRequired, ..run };
        let exact = Times::fixed("2026-11-15T10:05:00Z", false);
        assert_eq!(waits_for(&run, &[], &exact), "an answer from a person, until 2026-11-15 11:05:00");
        assert_eq!(waits_for(&completed(), &[], &exact), "");
    }

    #[test]
    fn a_traceback_keeps_its_lines() {
        let failed: Failure = serde_json::from_str(
            r#"{"type": "executor_failed", "message": "exited with code 1\nTraceback:\n  File \"a.py\"\n",
            "validation_errors": ["$.a: '\\u{3c}b\\u{3e}' is wrong"]}"#,
        )
        .unwrap();
        let expected = "failed[executor_failed]: exited with code 1\n  Traceback:\n    File \"a.py\"\n  $.a: '<b>' is wrong\n";
        assert_eq!(plain(&failure(&failed)), expected);
    }

    #[test]
    fn a_result_that_is_null_is_shown() {
        let result = RunResult { result_text: None, result_data: None, schema_validation: None };
        assert_eq!(self::result(&result), "null\n");
    }

    #[test]
    fn the_end_is_one_line() {
        assert_eq!(
            plain(&end(&completed(), &times())),
            "run_1 completed after 2.4s, 120 in, 40 out, $0.0012\n"
        );
    }

    #[test]
    fn on_a_terminal_a_run_is_a_line_with_its_id_whole() {
        let long = RunView { run_id: "run_01a1e4ce546c72f8a3b8d9d1c886bb51".parse().unwrap(), ..failed() };
        insta::assert_snapshot!(plain(&table(&[completed(), long], &times()).within(80).text()), @r#"
        RUN                                   AGENT   STATUS     TOOK  CREATED
        run_1                                 triage  completed  2.1s  5m ago
        run_01a1e4ce546c72f8a3b8d9d1c886bb51  reader  failed           5m ago
        "#);
    }

    #[test]
    fn a_list_has_one_run_a_line() {
        insta::assert_snapshot!(plain(&list(&[completed(), failed()], &times())), @r#"
        RUN    AGENT   STATUS     ERROR                            MODEL  ATTEMPTS  TOOK  TOKENS                   CREATED  INPUT
        run_1  triage  completed                                   small  2         2.1s  120 in, 40 out, $0.0012  5m ago   It \u{1b}[31mburns
        run_2  reader  failed     output_schema_validation_failed         0                                        5m ago
        "#);
    }
}
