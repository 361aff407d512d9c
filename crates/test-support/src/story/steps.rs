//! The recorded steps of runs.

use std::sync::Arc;

use accord_domain::id::RunId;
use accord_domain::run::Holder;
use accord_domain::step::{self, Body, Step};
use accord_store::{MOST_CLAIMED_BYTES, Report, Store, StoreError, Submission};

use super::make::*;

fn report(holder: &Holder, steps: Vec<Step>) -> Report {
    Report { holder: holder.clone(), events: vec![], attempts: vec![], steps, now: at(3) }
}

async fn steps_of(store: &Arc<dyn Store>, name: &str) -> Vec<Step> {
    store.steps(&run_id(name)).await.unwrap()
}

fn restarted(number: u32) -> Step {
    Step { body: Body::Restarted { reason: "the agent was changed".into() }, ..step(number, 1, "") }
}

/// The steps of a run are read in the order of their numbers, and a missing run is an error.
pub async fn steps_are_kept_in_order(store: Arc<dyn Store>) {
    let (a, b) = (begin(&store, fresh("a")).await, begin(&store, fresh("b")).await);
    assert_eq!(steps_of(&store, "a").await, []);
    let given = store.report(report(&a, vec![step(2, 1, "two"), step(1, 1, "one")])).await.unwrap();
    assert_eq!(given, Vec::<u32>::new());
    store.report(report(&b, vec![step(1, 1, "of b")])).await.unwrap();
    store.report(report(&a, vec![step(11, 1, "eleven"), step(3, 1, "three")])).await.unwrap();
    let all = [step(1, 1, "one"), step(2, 1, "two"), step(3, 1, "three"), step(11, 1, "eleven")];
    assert_eq!(steps_of(&store, "a").await, all);
    assert_eq!(steps_of(&store, "b").await, [step(1, 1, "of b")]);
    let absent = store.steps(&RunId::new("absent")).await;
    assert!(matches!(absent, Err(StoreError::NoRun(id)) if id == run_id("absent")));
    store.finish_run(finish(&a, completed("x"), 4)).await.unwrap();
    assert_eq!(steps_of(&store, "a").await, all, "a fork needs them");
}

/// Every text and every number of a step is read back unchanged.
pub async fn a_step_is_kept_as_it_was_written(store: Arc<dyn Store>) {
    let held = begin(&store, fresh("a")).await;
    let usage = r#"{"input_tokens":1,"output_tokens":2,"cost_usd":0.1}"#;
    let texts = [
        r#"{"type":"opened","facts":{"b":1,"a":[1.10,18446744073709551616]}}"#.to_owned(),
        format!(
            r#"{{"type":"model_answer","text":"a\u0000b","calls":[{{"id":"1","name":"n","arguments":"{{\"x\":1.0}}"}}],"ending":"finished","model":"m","usage":{usage},"kept":[{{"e":1e+400,"z":-0}}]}}"#
        ),
        format!(
            r#"{{"type":"request_failed","error":"transport","message":"\u001a0 \\u0000","usage":{usage}}}"#
        ),
        r#"{"type":"tool_started","call_id":"1"}"#.to_owned(),
        r#"{"type":"tool_result","call_id":"1","name":"n","ok":true,"text":"שלום 👩‍💻\r\n"}"#.to_owned(),
        r#"{"type":"verdict","delivery":1,"attempt":1,"outcome":"waiting"}"#.to_owned(),
        r#"{"type":"conversation","conversation":{"id":1.50},"host":"here"}"#.to_owned(),
    ];
    let bodies = texts.iter().map(|text| serde_json::from_str::<Body>(text).unwrap());
    let steps: Vec<Step> =
        (1..).zip(bodies).map(|(number, body)| Step { body, ..step(number, 1, "") }).collect();
    store.report(report(&held, steps.clone())).await.unwrap();
    let kept = steps_of(&store, "a").await;
    assert_eq!(kept, steps);
    let written = kept.iter().map(|step| serde_json::to_string(&step.body).unwrap());
    assert_eq!(written.collect::<Vec<_>>(), texts);
}

/// A repeated report, with or without further steps, leaves the existing steps unchanged.
pub async fn a_repeated_report_writes_no_step_twice(store: Arc<dyn Store>) {
    let held = begin(&store, fresh("a")).await;
    for _ in 0..2 {
        store.report(report(&held, vec![step(1, 1, "one"), step(2, 1, "two")])).await.unwrap();
    }
    store.report(report(&held, vec![step(2, 1, "other"), step(3, 1, "three")])).await.unwrap();
    store.report(report(&held, vec![step(4, 1, "four"), step(4, 1, "again")])).await.unwrap();
    let expected = [step(1, 1, "one"), step(2, 1, "two"), step(3, 1, "three"), step(4, 1, "four")];
    assert_eq!(steps_of(&store, "a").await, expected);
}

/// A runner that lost its lease cannot write steps, also while another runner continues.
pub async fn a_late_holder_writes_no_step(store: Arc<dyn Store>) {
    let late = begin(&store, fresh("a")).await;
    store.report(report(&late, vec![step(1, 1, "one")])).await.unwrap();
    store.reap(at(100), 3, 10).await.unwrap();
    assert!(store.report(report(&late, vec![step(2, 1, "late")])).await.is_err());
    let next = holder(&take(&store, 101).await.run);
    assert!(store.report(report(&late, vec![step(2, 1, "late")])).await.is_err());
    store.report(report(&next, vec![step(2, 2, "next")])).await.unwrap();
    assert_eq!(steps_of(&store, "a").await, [step(1, 1, "one"), step(2, 2, "next")]);
}

/// The next runner gets the steps of all previous deliveries, whether the last one was lost or
/// released.
pub async fn a_run_is_claimed_again_with_its_steps(store: Arc<dyn Store>) {
    store.submit_run(fresh("a")).await.unwrap();
    let first = take(&store, 1).await;
    assert_eq!(first.steps, []);
    let first = holder(&first.run);
    store.report(report(&first, vec![step(1, 1, "one"), step(2, 1, "two")])).await.unwrap();
    store.reap(at(100), 3, 10).await.unwrap();
    let second = take(&store, 101).await;
    assert_eq!(second.steps, [step(1, 1, "one"), step(2, 1, "two")]);
    let second = holder(&second.run);
    store.report(report(&second, vec![step(3, 2, "three")])).await.unwrap();
    store.give_back(&second, at(102)).await.unwrap();
    let third = take(&store, 103).await;
    assert_eq!(third.steps, [step(1, 1, "one"), step(2, 1, "two"), step(3, 2, "three")]);
}

/// Steps before the last restart stay readable but are not sent to runners.
pub async fn only_steps_after_a_restart_are_claimed(store: Arc<dyn Store>) {
    for (name, written) in [
        ("a", vec![step(1, 1, "old"), restarted(2)]),
        ("b", vec![step(1, 1, "old"), restarted(2), step(3, 1, "older"), restarted(4), step(5, 1, "new")]),
        ("c", vec![restarted(1), step(2, 1, "one"), step(3, 1, "two")]),
    ] {
        let held = begin(&store, fresh(name)).await;
        store.report(report(&held, written.clone())).await.unwrap();
        store.give_back(&held, at(4)).await.unwrap();
        let again = take(&store, 5).await;
        assert_eq!(again.steps, step::current(&written), "{name}");
        assert_eq!(steps_of(&store, name).await, written);
        store.finish_run(finish(&holder(&again.run), completed("x"), 6)).await.unwrap();
    }
}

/// A run that is submitted with steps starts after them: they are numbered from 1, and no runner
/// wrote them.
pub async fn a_fork_begins_with_its_steps(store: Arc<dyn Store>) {
    let body = |text: &str| Body::Message { text: text.into() };
    store.submit_run(Submission { steps: vec![body("one"), body("two")], ..fresh("a") }).await.unwrap();
    let expected = [1, 2].map(|number| Step {
        number,
        delivery: 0,
        at: at(0),
        body: body(if number == 1 { "one" } else { "two" }),
    });
    assert_eq!(steps_of(&store, "a").await, expected);
    let claimed = take(&store, 1).await;
    assert_eq!(claimed.steps, expected);
    let held = holder(&claimed.run);
    store.report(report(&held, vec![step(2, 1, "taken"), step(3, 1, "three")])).await.unwrap();
    let [one, two] = expected;
    assert_eq!(steps_of(&store, "a").await, [one, two, step(3, 1, "three")]);
}

/// Steps count toward the size of a claim, except those before a restart.
pub async fn large_steps_come_a_few_runs_at_a_time(store: Arc<dyn Store>) {
    let large = || Body::Message { text: "x".repeat(MOST_CLAIMED_BYTES / 2 + 1) };
    for (second, name) in [(0, "a"), (1, "b"), (2, "c")] {
        store.submit_run(Submission { steps: vec![large()], ..fresh_at(name, second) }).await.unwrap();
    }
    let void = vec![large(), large(), Body::Restarted { reason: "r".into() }];
    store.submit_run(Submission { steps: void, ..fresh_at("d", 3) }).await.unwrap();
    store.submit_run(fresh_at("e", 4)).await.unwrap();
    let mut names = Vec::new();
    loop {
        let claimed = store.claim_runs(claim(10, 10)).await.unwrap();
        if claimed.is_empty() {
            break;
        }
        names.push(claimed.iter().map(|claimed| claimed.run.id.to_string()).collect::<Vec<_>>());
        for claimed in claimed {
            store.finish_run(finish(&holder(&claimed.run), completed("x"), 11)).await.unwrap();
        }
    }
    assert_eq!(names, [vec!["run_a", "run_b"], vec!["run_c", "run_d", "run_e"]]);
}
