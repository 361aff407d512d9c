//! The claim queue: which runner gets which run, in which order.

use std::collections::BTreeSet;
use std::sync::Arc;

use accord_domain::demands::Demands;
use accord_domain::run::{Assignment, Run};
use accord_domain::runner::Profile;
use accord_store::{Claim, Claimed, Finish, MOST_CLAIMED_BYTES, QueueDepth, Store, Submission};

use super::make::*;

fn names(claimed: &[Claimed]) -> Vec<&str> {
    claimed.iter().map(|claimed| claimed.run.id.as_str()).collect()
}

fn demanding(name: &str, demands: Demands) -> Submission {
    let submission = fresh(name);
    Submission { run: Run { demands, ..submission.run.clone() }, ..submission }
}

/// Higher priority first, then first in, first out; never more than requested.
pub async fn the_order_is_priority_then_arrival(store: Arc<dyn Store>) {
    for (second, (name, priority)) in
        [("low", -1), ("a", 0), ("high", 5), ("b", 0), ("higher", 6), ("c", 0)].into_iter().enumerate()
    {
        let submission = fresh_at(name, i64::try_from(second).unwrap());
        let run = Run { priority, ..submission.run.clone() };
        store.submit_run(Submission { run, ..submission }).await.unwrap();
    }
    let first = store.claim_runs(claim(4, 10)).await.unwrap();
    assert_eq!(names(&first), ["run_higher", "run_high", "run_a", "run_b"]);
    let rest = store.claim_runs(claim(4, 10)).await.unwrap();
    assert_eq!(names(&rest), ["run_c", "run_low"]);
    assert_eq!(store.claim_runs(claim(4, 10)).await.unwrap(), []);
}

/// Each run of one claim gets its own lease, as passed in.
pub async fn each_run_has_its_lease(store: Arc<dyn Store>) {
    for name in ["a", "b", "c"] {
        store.submit_run(fresh(name)).await.unwrap();
    }
    let asked = claim(2, 1);
    let claimed = store.claim_runs(asked.clone()).await.unwrap();
    let leases: Vec<_> = claimed.iter().map(|claimed| claimed.run.lease.clone().unwrap().id).collect();
    assert_eq!(leases, asked.leases);
    assert_eq!(store.claim_runs(claim(0, 1)).await.unwrap(), []);
}

/// Large runs are handed out a few at a time, and at least one, however large it is.
pub async fn large_runs_come_a_few_at_a_time(store: Arc<dyn Store>) {
    let third = "x".repeat(MOST_CLAIMED_BYTES / 3 + 1);
    for (second, name) in ["a", "b", "c", "d"].into_iter().enumerate() {
        let submission = fresh_at(name, i64::try_from(second).unwrap());
        let parameters = format!(r#"{{"prompt":"{third}"}}"#);
        let assignment = Assignment { parameters, ..submission.assignment.clone() };
        store.submit_run(Submission { assignment, ..submission }).await.unwrap();
    }
    let first = store.claim_runs(claim(10, 10)).await.unwrap();
    assert_eq!(names(&first), ["run_a", "run_b", "run_c"]);
    let mut second = store.claim_runs(claim(10, 10)).await.unwrap();
    assert_eq!(names(&second), ["run_d"]);
    let last = holder(&second.pop().unwrap().run);
    // The conversation counts too, because it is sent with the run.
    let conversation = Some(format!("[\"{}\"]", "x".repeat(MOST_CLAIMED_BYTES)));
    let told = Finish { conversation, ..finish(&last, completed("done"), 11) };
    store.finish_run(told).await.unwrap();
    store.submit_run(resume("e", "d", 12)).await.unwrap();
    store.submit_run(fresh_at("f", 13)).await.unwrap();
    assert_eq!(names(&store.claim_runs(claim(10, 14)).await.unwrap()), ["run_e"]);
    assert_eq!(names(&store.claim_runs(claim(10, 14)).await.unwrap()), ["run_f"]);
}

/// A runner gets only runs whose requirements it meets; the others stay for other runners and block
/// nothing.
pub async fn demands_are_met(store: Arc<dyn Store>) {
    let none = Demands::default();
    let tags = |tags: &[&str]| tags.iter().map(|&tag| tag.to_owned()).collect::<BTreeSet<_>>();
    let cases = [
        ("host", Demands { hostname: Some("host".into()), ..none.clone() }, true),
        ("elsewhere", Demands { hostname: Some("HOST".into()), ..none.clone() }, false),
        ("dir", Demands { project_dir: Some("/project".into()), ..none.clone() }, true),
        ("otherdir", Demands { project_dir: Some("/project/".into()), ..none.clone() }, false),
        ("llm", Demands { executor_type: Some("llm".into()), ..none.clone() }, true),
        ("codex", Demands { executor_type: Some("codex".into()), ..none.clone() }, false),
        ("tag", Demands { tags: tags(&["gpu"]), ..none.clone() }, true),
        ("tags", Demands { tags: tags(&["eu", "gpu"]), ..none.clone() }, true),
        ("more", Demands { tags: tags(&["eu", "gpu", "tpu"]), ..none.clone() }, false),
        ("free", none, true),
    ];
    for (name, demands, _) in &cases {
        store.submit_run(demanding(name, demands.clone())).await.unwrap();
    }
    let expected: Vec<_> = cases.iter().filter(|case| case.2).map(|case| format!("run_{}", case.0)).collect();
    let claimed = store.claim_runs(claim(20, 1)).await.unwrap();
    assert_eq!(names(&claimed), expected);
    assert_eq!(store.queue_depth().await.unwrap(), QueueDepth { pending: 4, held: 6 });

    let able = Profile {
        hostname: "HOST".into(),
        project_dir: "/project/".into(),
        executor_types: ["codex".to_owned()].into(),
        tags: tags(&["eu", "gpu", "tpu"]),
        ..profile()
    };
    let rest = store.claim_runs(Claim { profile: able, ..claim(20, 2) }).await.unwrap();
    assert_eq!(names(&rest), ["run_elsewhere", "run_otherdir", "run_codex", "run_more"]);
}

/// A long queue of runs that this runner cannot execute does not hide the one that it can.
pub async fn a_run_behind_many_others_is_found(store: Arc<dyn Store>) {
    for number in 0..300 {
        let tags = [format!("t{}", number % 7)].into();
        let demands = Demands { tags, ..Demands::default() };
        store.submit_run(demanding(&format!("n{number}"), demands)).await.unwrap();
    }
    store.submit_run(fresh("mine")).await.unwrap();
    assert_eq!(names(&store.claim_runs(claim(3, 1)).await.unwrap()), ["run_mine"]);
    assert_eq!(store.queue_depth().await.unwrap(), QueueDepth { pending: 300, held: 1 });
}

/// Two hundred runs and eight claimers at once: each run is handed out exactly once.
pub async fn each_run_goes_to_one_claimer(store: Arc<dyn Store>) {
    for number in 0..200 {
        store.submit_run(fresh(&format!("n{number}"))).await.unwrap();
    }
    let mut claimers = Vec::new();
    for number in 0..8 {
        let store = Arc::clone(&store);
        claimers.push(tokio::spawn(async move {
            let mut mine = Vec::new();
            loop {
                let runner_id = runner_id(&format!("r{number}"));
                let claimed = store.claim_runs(Claim { runner_id, ..claim(3, 1) }).await.unwrap();
                if claimed.is_empty() && store.queue_depth().await.unwrap().pending == 0 {
                    return mine;
                }
                mine.extend(claimed.into_iter().map(|claimed| claimed.run));
            }
        }));
    }
    let mut handed_out = Vec::new();
    for (number, claimer) in claimers.into_iter().enumerate() {
        for run in claimer.await.unwrap() {
            assert_eq!(run.lease.clone().unwrap().runner_id, runner_id(&format!("r{number}")));
            assert_eq!(store.run(&run.id).await.unwrap(), run);
            handed_out.push(run.id);
        }
    }
    let unique: BTreeSet<_> = handed_out.iter().cloned().collect();
    assert_eq!((handed_out.len(), unique.len()), (200, 200));
    assert_eq!(store.queue_depth().await.unwrap(), QueueDepth { pending: 0, held: 200 });
}
