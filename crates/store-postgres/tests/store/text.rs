//! Every text is read back unchanged, including NUL, which PostgreSQL's text type cannot hold.

use accord_domain::attempt::{Attempt, Error, Outcome as AttemptOutcome};
use accord_domain::contract::Strategy;
use accord_domain::demands::Demands;
use accord_domain::event::Body;
use accord_domain::evidence::{Evidence, Observation, Observed};
use accord_domain::run::change::End;
use accord_domain::run::{Assignment, Failure, FailureType, Outcome, Run};
use accord_domain::session::Session;
use accord_domain::usage::Usage;
use accord_store::{
    Condition, Defined, DefinitionStore, DocumentRecord, ErrorCount, EventFilter, EventLimit, EventStore,
    Fact, FactFilter, FactStore, Finish, Report, RunFilter, RunReader, RunStore, SessionChoice, SessionStore,
    StatsQuery, StatsStore, Submission, Submitted,
};

use crate::make::{Database, at, fresh, holder, run_id, said, session, session_id, take};

const ODD: &str = "a\0b\u{1a}0\u{1a}\\0 ü\u{10ffff}";

fn odd_submission() -> Submission {
    let plain = fresh("a");
    let session = Session { agent_name: ODD.into(), project_dir: Some(ODD.into()), ..session("a") };
    let assignment = Assignment {
        model: Some(ODD.into()),
        project_dir: Some(ODD.into()),
        retry_prompt: Some(ODD.into()),
        parameters: serde_json::json!({ "prompt": ODD }).to_string(),
        ..plain.assignment
    };
    let idempotency = accord_store::Idempotency {
        scope: ODD.into(),
        key: ODD.into(),
        fingerprint: ODD.into(),
        response: ODD.into(),
    };
    Submission {
        run: Run { agent_name: ODD.into(), ..plain.run },
        session: SessionChoice::New(Box::new(session)),
        assignment,
        idempotency: Some(idempotency),
        ..plain
    }
}

#[tokio::test]
async fn a_run_is_stored_unchanged() {
    let database = Database::start();
    let store = database.store().await;
    let submission = odd_submission();
    store.submit_run(submission.clone()).await.unwrap();
    let replayed = store.submit_run(submission.clone()).await.unwrap();
    assert_eq!(replayed, Submitted::Replayed(ODD.into()));
    let claimed = take(&store).await;
    assert_eq!(claimed.assignment, submission.assignment);
    assert_eq!(store.session(&session_id("a")).await.unwrap(), claimed.session);
    assert_eq!(claimed.session.project_dir, Some(ODD.into()));
    let filter = RunFilter { agent_name: Some(ODD.into()), ..RunFilter::default() };
    let page = accord_store::PageRequest { limit: 10, cursor: None };
    assert_eq!(store.runs(&filter, &page).await.unwrap().items, std::slice::from_ref(&claimed.run));

    let holder = holder(&claimed.run);
    let observation = Observation {
        endpoint: ODD.into(),
        model: ODD.into(),
        feature: ODD.into(),
        observed: Observed::Works,
        at: at(2),
    };
    let outcome =
        Outcome { result_text: Some(ODD.into()), result_data: None, raw: Some(ODD.into()), validation: None };
    let end = End::Completed(outcome.clone());
    let finish = Finish { end, observations: vec![observation], ..said(&holder, "") };
    store.finish_run(finish).await.unwrap();
    assert_eq!(store.outcome(&run_id("a")).await.unwrap(), Some(outcome));
    let evidence = Evidence { good: 1.0, bad: 0.0, at: at(2) };
    let fact = Fact { endpoint: ODD.into(), model: ODD.into(), feature: ODD.into(), evidence };
    let filter =
        FactFilter { endpoint: Some(ODD.into()), models: Some(vec![ODD.into()]), feature: Some(ODD.into()) };
    assert_eq!(store.facts(&filter).await.unwrap(), [fact]);
}

#[tokio::test]
async fn an_attempt_is_stored_unchanged() {
    let database = Database::start();
    let store = database.store().await;
    store.submit_run(fresh("a")).await.unwrap();
    let holder = holder(&take(&store).await.run);
    let error = Error { path: ODD.into(), pointer: ODD.into(), keyword: ODD.into(), message: ODD.into() };
    let attempt = Attempt {
        number: 1,
        delivery: 1,
        at: at(1),
        strategy: Strategy::Tool,
        model: ODD.into(),
        endpoint: ODD.into(),
        outcome: AttemptOutcome::SchemaInvalid,
        errors: vec![error.clone(), error],
        more_errors: 0,
        repairs: vec![],
        source: None,
        usage: Usage { input_tokens: 1, output_tokens: u64::from(u32::MAX), cost_usd: Some(0.1 + 0.2) },
        duration_ms: 1,
        request_ms: vec![],
        text: ODD.into(),
        prompt: Some(ODD.into()),
        sent: None,
    };
    let message = Body::Message { role: "assistant".into(), text: ODD.into() };
    let (events, attempts) = (vec![message.clone()], vec![attempt.clone()]);
    store
        .report(Report { holder: holder.clone(), events, attempts, steps: vec![], now: at(2) })
        .await
        .unwrap();
    assert_eq!(store.attempts(&run_id("a")).await.unwrap(), [attempt]);
    let filter = EventFilter { kinds: vec!["message".into(), ODD.into()], ..EventFilter::default() };
    let told = store.events(&filter, Default::default(), EventLimit::of(10)).await.unwrap();
    let bodies: Vec<serde_json::Value> =
        told.iter().map(|event| serde_json::from_str(&event.body).unwrap()).collect();
    assert_eq!(bodies, [serde_json::to_value(&message).unwrap()]);

    let failure = Failure { last_output: Some(ODD.into()), ..Failure::new(FailureType::TimedOut, ODD) };
    let ended = Finish { end: End::Failed(failure.clone()), ..said(&holder, "") };
    store.finish_run(ended).await.unwrap();
    assert_eq!(store.run(&run_id("a")).await.unwrap().failure, Some(failure));
    let query = StatsQuery::default();
    let rows = store.stats(&query).await.unwrap().by_model;
    assert_eq!(rows.iter().map(|row| row.key.as_str()).collect::<Vec<_>>(), [ODD]);
    let counts = [ErrorCount { path: ODD.into(), keyword: ODD.into(), count: 2 }];
    assert_eq!(store.frequent_errors(&query, 10).await.unwrap(), counts);
}

#[tokio::test]
async fn odd_names_are_stored_unchanged() {
    let database = Database::start();
    let store = database.store().await;
    assert_eq!(store.definition(Defined::Agent, ODD).await.unwrap(), None);
    let agent = DocumentRecord {
        name: ODD.into(),
        document: "{}".into(),
        hash: "00".into(),
        created_at: at(0),
        modified_at: at(0),
    };
    store.put_definition(Defined::Agent, agent.clone(), Condition::Absent, None).await.unwrap();
    assert_eq!(store.definitions(Defined::Agent).await.unwrap(), [agent]);
    store.remove_definition(Defined::Agent, ODD, Condition::Any).await.unwrap();
}

/// Requirements are stored as JSON.
#[tokio::test]
async fn odd_demands_are_kept() {
    let database = Database::start();
    let store = database.store().await;
    let demands = Demands { hostname: Some(ODD.into()), tags: [ODD.to_owned()].into(), ..Demands::default() };
    let submission = fresh("a");
    let run = Run { demands, ..submission.run };
    store.submit_run(Submission { run: run.clone(), ..fresh("a") }).await.unwrap();
    assert_eq!(store.run(&run_id("a")).await.unwrap(), run);
}
