//! Any text is stored unchanged, because models write anything.

use std::sync::Arc;

use accord_domain::attempt::{Attempt, Error, Outcome as AttemptOutcome};
use accord_domain::event::{Body, NewEvent};
use accord_domain::run::change::End;
use accord_domain::run::{Assignment, Failure, FailureType, Outcome};
use accord_domain::usage::Usage;
use accord_store::{
    AskAgain, EventFilter, Finish, Report, SchemaRecord, StatsQuery, Store, Submission, WholeRun,
};

use super::make::*;

/// Texts that have broken stores before: a NUL, quotes of every kind, another script, an emoji with
/// its joiner, a backslash that looks like an escape, and every kind of line ending.
const ODD: &str = "a\0b '\" \\u0000 \\0 $1 ?1 :x %s שלום 👩‍💻 \u{feff}\u{10ffff}\r\n\t";

/// A text as long as a long answer.
fn long() -> String {
    let mut text = String::with_capacity(1024 * 1024 + ODD.len());
    while text.len() < 1024 * 1024 {
        text.push_str(ODD);
    }
    text
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// Every text of a run is read back unchanged, however odd and however long.
async fn all_survive(store: &Arc<dyn Store>, name: &str, text: &str) {
    let submission = Submission {
        assignment: Assignment {
            blueprint: quoted(text),
            parameters: quoted(text),
            contract: Some(quoted(text)),
            model: Some("m".into()),
            project_dir: None,
            retry_prompt: Some(text.to_owned()),
            opening: Some(quoted(text)),
            input: Some(quoted(text)),
            traceparent: None,
            tools: None,
            files: Vec::new(),
        },
        ..fresh(name)
    };
    let holder = begin(store, submission.clone()).await;
    assert_eq!(store.assignment(&run_id(name)).await.unwrap(), submission.assignment);

    let error = Error {
        path: format!("$.{text}"),
        pointer: format!("/{text}"),
        keyword: "type".into(),
        message: text.to_owned(),
    };
    let judged = Attempt {
        text: text.to_owned(),
        prompt: Some(text.to_owned()),
        errors: vec![error],
        ..attempt(1, AttemptOutcome::NoJson)
    };
    let said = Body::Message { role: "assistant".into(), text: text.to_owned() };
    let events = vec![said.clone()];
    let attempts = vec![judged.clone()];
    store
        .report(Report { holder: holder.clone(), events, attempts, steps: vec![], now: at(3) })
        .await
        .unwrap();
    assert_eq!(store.attempts(&run_id(name)).await.unwrap(), [judged]);
    let kinds = vec!["message".to_owned()];
    let filter = EventFilter { run_id: Some(run_id(name)), kinds, ..EventFilter::default() };
    let events = events_of(store, filter).await;
    let message =
        NewEvent { at: at(3), session_id: session_id(name), run_id: Some(run_id(name)), body: said };
    assert_eq!(events.iter().map(content_of).collect::<Vec<_>>(), [expected(&message)]);

    let outcome = Outcome {
        result_text: Some(text.to_owned()),
        result_data: Some(quoted(text)),
        raw: Some(text.to_owned()),
        validation: None,
    };
    let conversation = Some(quoted(text));
    let ended = finish(&holder, End::Completed(outcome.clone()), 4);
    store.finish_run(Finish { conversation: conversation.clone(), ..ended }).await.unwrap();
    assert_eq!(store.outcome(&run_id(name)).await.unwrap(), Some(outcome.clone()));
    let run = store.run(&run_id(name)).await.unwrap();
    let whole = WholeRun { run, assignment: submission.assignment, outcome: Some(outcome) };
    assert_eq!(store.whole_run(&run_id(name)).await.unwrap(), whole);
    store.submit_run(resume(&format!("{name}2"), name, 5)).await.unwrap();
    assert_eq!(take(store, 6).await.conversation, conversation);
}

/// Texts with NUL, emoji and quotes are stored unchanged.
pub async fn odd_texts_survive(store: Arc<dyn Store>) {
    all_survive(&store, "a", ODD).await;
    let all = StatsQuery::default();
    let errors = store.frequent_errors(&all, 10).await.unwrap();
    assert_eq!(errors.iter().map(|error| error.count).collect::<Vec<_>>(), [1]);
}

/// Texts of a mebibyte are stored unchanged.
pub async fn long_texts_survive(store: Arc<dyn Store>) {
    all_survive(&store, "a", &long()).await;
}

/// An empty text is different from no text.
pub async fn an_empty_text_is_a_text(store: Arc<dyn Store>) {
    let holder = begin(&store, fresh("a")).await;
    store.finish_run(finish(&holder, completed(""), 3)).await.unwrap();
    assert_eq!(store.outcome(&run_id("a")).await.unwrap(), Some(outcome("")));
}

/// Failure messages are read back unchanged.
pub async fn odd_failures_survive(store: Arc<dyn Store>) {
    let holder = begin(&store, fresh("a")).await;
    let failure = Failure {
        validation_errors: vec![ODD.into()],
        last_output: Some(ODD.into()),
        ..Failure::new(FailureType::ExecutorFailed, ODD)
    };
    store.finish_run(finish(&holder, End::Failed(failure.clone()), 3)).await.unwrap();
    assert_eq!(store.run(&run_id("a")).await.unwrap().failure, Some(failure));
}

/// Prompts of the coordinator are read back unchanged.
pub async fn odd_prompts_survive(store: Arc<dyn Store>) {
    let holder = begin(&store, fresh("a")).await;
    let again = AskAgain {
        holder,
        attempt: Attempt { text: ODD.into(), ..attempt(1, AttemptOutcome::NoJson) },
        prompt: ODD.into(),
        usage: Usage::default(),
        conversation: None,
        now: at(3),
    };
    store.ask_again(again).await.unwrap();
    assert_eq!(take(&store, 4).await.assignment.retry_prompt, Some(ODD.into()));
}

/// Descriptions of schemas are read back unchanged.
pub async fn odd_descriptions_survive(store: Arc<dyn Store>) {
    let schema = SchemaRecord {
        name: "a".into(),
        description: ODD.into(),
        document: quoted(ODD),
        hash: "1".into(),
        created_at: at(0),
        modified_at: at(0),
    };
    store.add_schema(schema.clone(), None).await.unwrap();
    assert_eq!(store.schema("a").await.unwrap(), Some(schema));
}
