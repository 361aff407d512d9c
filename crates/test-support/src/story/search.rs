//! Lists can be searched and counted, and show a summary of each run.

use std::collections::HashMap;
use std::sync::Arc;

use accord_domain::attempt::{Attempt, Outcome as AttemptOutcome};
use accord_domain::input::InputSummary;
use accord_domain::run::Assignment;
use accord_store::{
    Count, NewWorkflowRun, PageRequest, Report, RunFilter, RunSummary, Search, SessionFilter, SessionSummary,
    Store, Submission, WorkflowRunFilter,
};

use super::make::*;
use super::workflows::{id as workflow_run_id, new as new_workflow_run};

fn asking(submission: Submission, parameters: &str) -> Submission {
    let assignment = Assignment { parameters: parameters.to_owned(), ..submission.assignment.clone() };
    Submission { assignment, ..submission }
}

fn search(text: &str, rows: u32) -> Option<Search> {
    Search::new(text, rows)
}

async fn found(store: &Arc<dyn Store>, text: &str) -> Vec<String> {
    let filter = RunFilter { search: search(text, 100), ..RunFilter::default() };
    let page = store.runs(&filter, &PageRequest { limit: 100, cursor: None }).await.unwrap();
    assert_eq!(page.next, None);
    let count = store.count_runs(&filter, 100).await.unwrap();
    assert_eq!(count, Count { matching: u64::try_from(page.items.len()).unwrap(), exact: true });
    page.items.into_iter().map(|run| run.id.to_string()).collect()
}

/// A search matches ids, names and words of the input, ignoring case; all words must match.
pub async fn lists_are_searched(store: Arc<dyn Store>) {
    // This comes first because a claim takes any pending run.
    complete(&store, asking(fresh_at("c", 2), r#"{"prompt":"something else"}"#), 3).await;
    let odd = r#"{"subject":"ÄRGER mit 100%","body":"cannot_log\nin \u0000 \\ '"}"#;
    store.submit_run(asking(fresh_at("a", 0), odd)).await.unwrap();
    store.submit_run(asking(fresh_at("b", 1), r#"{"prompt":"Log me in"}"#)).await.unwrap();
    store.submit_run(asking(resume("c2", "c", 4), r#"{"prompt":"a later thought"}"#)).await.unwrap();
    for (text, expected) in [
        ("LOG", vec!["run_b", "run_a"]),
        ("in log", vec!["run_b", "run_a"]),
        ("log me", vec!["run_b"]),
        ("ärger", vec!["run_a"]),
        ("100%", vec!["run_a"]),
        ("cannot_log", vec!["run_a"]),
        ("cannot%log", vec![]),
        ("\\ '", vec!["run_a"]),
        ("subject", vec![]),
        ("RUN_B", vec!["run_b"]),
        ("ses_c", vec!["run_c2", "run_c"]),
        ("writer", vec!["run_c2", "run_c", "run_b", "run_a"]),
    ] {
        assert_eq!(found(&store, text).await, expected, "{text}");
    }
    // A session is found by the input it was started with.
    let sessions = async |text: &str| {
        let filter = SessionFilter { search: search(text, 100), ..SessionFilter::default() };
        let page = store.sessions(&filter, &PageRequest { limit: 100, cursor: None }).await.unwrap();
        assert_eq!(store.count_sessions(&filter, 100).await.unwrap().matching, page.items.len() as u64);
        page.items.into_iter().map(|session| session.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(sessions("else").await, ["ses_c"]);
    assert_eq!(sessions("later").await, Vec::<String>::new());
    assert_eq!(sessions("ses_b").await, ["ses_b"]);
    // Combined with other filters.
    let filter = RunFilter { search: search("log", 100), until: Some(at(1)), ..RunFilter::default() };
    let page = store.runs(&filter, &PageRequest { limit: 100, cursor: None }).await.unwrap();
    assert_eq!(page.items.len(), 1);
}

/// A search reads a limited number of rows and continues from there; following its cursors finds everything once.
pub async fn searches_are_bounded(store: Arc<dyn Store>) {
    for number in 0..10 {
        let word = if number % 5 == 0 { "rare" } else { "common" };
        let submission =
            asking(fresh_at(&format!("r{number}"), number), &format!(r#"{{"prompt":"{word}"}}"#));
        store.submit_run(submission).await.unwrap();
    }
    for (rows, limit) in [(1, 1), (3, 1), (3, 5), (10, 1), (100, 100)] {
        let filter = RunFilter { search: search("rare", rows), ..RunFilter::default() };
        let (mut seen, mut pages) = (Vec::new(), 0);
        let mut page = PageRequest { limit, cursor: None };
        loop {
            let given = store.runs(&filter, &page).await.unwrap();
            pages += 1;
            seen.extend(given.items.into_iter().map(|run| run.id.to_string()));
            match given.next {
                Some(cursor) => page.cursor = Some(cursor),
                None => break,
            }
        }
        assert_eq!(seen, ["run_r5", "run_r0"], "{rows} rows");
        assert!(pages >= 10_u32.div_ceil(rows), "{pages} pages of {rows} rows");
    }
    let filter = RunFilter { search: search("rare", 3), ..RunFilter::default() };
    let first = store.runs(&filter, &PageRequest { limit: 5, cursor: None }).await.unwrap();
    assert!(first.items.is_empty() && first.next.is_some(), "the newest three are common");
}

/// Lists are counted up to a bound.
pub async fn lists_are_counted(store: Arc<dyn Store>) {
    for number in 0..5 {
        store.submit_run(fresh_at(&format!("r{number}"), number)).await.unwrap();
        store.submit_workflow_run(new_workflow_run(&format!("w{number}"), number), None).await.unwrap();
    }
    let (all, exact) = (RunFilter::default(), |matching| Count { matching, exact: true });
    assert_eq!(store.count_runs(&all, 5).await.unwrap(), exact(5));
    assert_eq!(store.count_runs(&all, 4).await.unwrap(), Count { matching: 4, exact: false });
    let since = RunFilter { since: Some(at(3)), ..all.clone() };
    assert_eq!(store.count_runs(&since, 4).await.unwrap(), exact(2));
    let searched = RunFilter { search: search("run_r4", 100), ..all };
    assert_eq!(store.count_runs(&searched, 3).await.unwrap(), Count { matching: 1, exact: false });
    assert_eq!(store.count_sessions(&SessionFilter::default(), 100).await.unwrap(), exact(5));
    let workflows = WorkflowRunFilter { until: Some(at(2)), ..WorkflowRunFilter::default() };
    assert_eq!(store.count_workflow_runs(&workflows, 100).await.unwrap(), exact(2));
}

/// Lists show the beginning of the input, the model and the attempts.
pub async fn lists_have_summaries(store: Arc<dyn Store>) {
    let holder = begin(&store, asking(fresh("a"), r#"{"prompt":"first\nquestion"}"#)).await;
    let second = Attempt { model: "larger".into(), ..attempt(2, AttemptOutcome::Accepted) };
    let attempts = vec![attempt(1, AttemptOutcome::NoJson), second];
    store
        .report(Report { holder: holder.clone(), events: vec![], attempts, steps: vec![], now: at(3) })
        .await
        .unwrap();
    store.finish_run(finish(&holder, completed("x"), 4)).await.unwrap();
    let asked = asking(resume("a2", "a", 5), r#"{"prompt":"second"}"#);
    let blueprint = r#"{"name":"writer","executor":{"type":"llm","model":"small"}}"#.to_owned();
    let assignment = Assignment { blueprint, ..asked.assignment.clone() };
    store.submit_run(Submission { assignment, ..asked }).await.unwrap();

    let summary = |preview: &str, model: Option<&str>, attempts| RunSummary {
        preview: preview.to_owned(),
        model: model.map(str::to_owned),
        attempts,
    };
    let ids = [run_id("a"), run_id("a2"), run_id("gone")];
    let expected = HashMap::from([
        (run_id("a"), summary("first question", Some("larger"), 2)),
        (run_id("a2"), summary("second", Some("small"), 0)),
    ]);
    assert_eq!(store.run_summaries(&ids).await.unwrap(), expected);
    let session = SessionSummary {
        preview: "first question".into(),
        model: Some("small".into()),
        ..Default::default()
    };
    let of_session = store.session_summaries(&[session_id("a"), session_id("gone")]).await.unwrap();
    assert_eq!(of_session, HashMap::from([(session_id("a"), session)]));

    let name = workflow_run_id("w");
    let input = InputSummary::of_text(&[name.as_str(), "review"], r#"{"diff":"+1"}"#);
    store.submit_workflow_run(NewWorkflowRun { input, ..new_workflow_run("w", 1) }, None).await.unwrap();
    let previews = store.workflow_previews(std::slice::from_ref(&name)).await.unwrap();
    assert_eq!(previews, HashMap::from([(name.clone(), "+1".to_owned())]));
    let filter = WorkflowRunFilter { search: search("REVIEW +1", 100), ..WorkflowRunFilter::default() };
    let page = store.workflow_runs(&filter, &PageRequest { limit: 1, cursor: None }).await.unwrap();
    assert_eq!(page.items.into_iter().map(|run| run.id).collect::<Vec<_>>(), [name]);
}
