//! Lists, page by page.

use std::collections::BTreeSet;
use std::sync::Arc;

use accord_domain::run::change::{End, Suspension};
use accord_domain::run::{FailureType, Run, Status};
use accord_domain::session::{Session, Status as SessionStatus};
use accord_store::{
    Page, PageRequest, RunFilter, SessionChoice, SessionFilter, Store, StoreError, Submission, Suspend,
};

use super::make::*;

fn first(limit: u32) -> PageRequest {
    PageRequest { limit, cursor: None }
}

/// All items of a list, read in pages of at most `limit`.
async fn all<T>(limit: u32, get: impl AsyncFn(&PageRequest) -> Result<Page<T>, StoreError>) -> Vec<T> {
    let mut page = first(limit);
    let mut items = Vec::new();
    loop {
        let given = get(&page).await.unwrap();
        assert!(given.items.len() <= usize::try_from(limit).unwrap());
        items.extend(given.items);
        match given.next {
            None => return items,
            cursor => page.cursor = cursor,
        }
    }
}

async fn all_runs(store: &Arc<dyn Store>, filter: &RunFilter, limit: u32) -> Vec<Run> {
    all(limit, async |page: &PageRequest| store.runs(filter, page).await).await
}

async fn all_sessions(store: &Arc<dyn Store>, filter: &SessionFilter, limit: u32) -> Vec<Session> {
    all(limit, async |page: &PageRequest| store.sessions(filter, page).await).await
}

fn names(runs: &[Run]) -> Vec<&str> {
    runs.iter().map(|run| run.id.as_str()).collect()
}

fn of_agent(submission: Submission, agent: &str) -> Submission {
    let run = Run { agent_name: agent.to_owned(), ..submission.run.clone() };
    let session = match submission.session.clone() {
        SessionChoice::New(session) => {
            SessionChoice::New(Box::new(Session { agent_name: agent.to_owned(), ..*session }))
        }
        resumed => resumed,
    };
    Submission { run, session, ..submission }
}

/// Runs are listed newest first with any page size.
pub async fn runs_are_listed_newest_first(store: Arc<dyn Store>) {
    for (second, name) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
        store.submit_run(fresh_at(name, i64::try_from(second).unwrap())).await.unwrap();
    }
    let expected = ["run_e", "run_d", "run_c", "run_b", "run_a"];
    for limit in [1, 2, 4, 5, 6] {
        assert_eq!(names(&all_runs(&store, &RunFilter::default(), limit).await), expected);
    }
    let page = store.runs(&RunFilter::default(), &first(5)).await.unwrap();
    assert_eq!(page.next, None, "there is no empty last page");
    for run in page.items {
        assert_eq!(store.run(&run.id).await.unwrap(), run);
    }
}

/// Runs created at the same moment are all listed, each once.
pub async fn the_same_moment_hides_nothing(store: Arc<dyn Store>) {
    for number in 0..7 {
        store.submit_run(fresh(&format!("n{number}"))).await.unwrap();
    }
    let runs = all_runs(&store, &RunFilter::default(), 2).await;
    let unique: BTreeSet<_> = names(&runs).into_iter().collect();
    assert_eq!((runs.len(), unique.len()), (7, 7));
    let sessions = all_sessions(&store, &SessionFilter::default(), 2).await;
    let unique: BTreeSet<_> = sessions.iter().map(|session| session.id.clone()).collect();
    assert_eq!((sessions.len(), unique.len()), (7, 7));
}

/// Rows that are added between two pages do not shift the others.
pub async fn pages_are_stable(store: Arc<dyn Store>) {
    for (second, name) in ["a", "b", "c"].into_iter().enumerate() {
        store.submit_run(fresh_at(name, i64::try_from(second).unwrap())).await.unwrap();
    }
    let page = store.runs(&RunFilter::default(), &first(2)).await.unwrap();
    store.submit_run(fresh_at("d", 9)).await.unwrap();
    let rest = PageRequest { limit: 2, cursor: page.next };
    let rest = store.runs(&RunFilter::default(), &rest).await.unwrap();
    assert_eq!((names(&rest.items), rest.next), (vec!["run_a"], None));
}

/// Each filter of runs, alone and combined.
pub async fn runs_are_filtered(store: Arc<dyn Store>) {
    complete(&store, fresh_at("a", 0), 1).await;
    complete(&store, of_agent(resume("b", "a", 10), "writer"), 11).await;
    store.submit_run(of_agent(fresh_at("c", 20), "reader")).await.unwrap();
    store.submit_run(fresh_at("d", 30)).await.unwrap();
    let none = RunFilter::default();
    let cases = [
        (RunFilter { status: Some(Status::Completed), ..none.clone() }, vec!["run_b", "run_a"]),
        (RunFilter { status: Some(Status::Pending), ..none.clone() }, vec!["run_d", "run_c"]),
        (RunFilter { status: Some(Status::Failed), ..none.clone() }, vec![]),
        (RunFilter { agent_name: Some("reader".into()), ..none.clone() }, vec!["run_c"]),
        (RunFilter { agent_name: Some("writer".into()), ..none.clone() }, vec!["run_d", "run_b", "run_a"]),
        (RunFilter { session_id: Some(session_id("a")), ..none.clone() }, vec!["run_b", "run_a"]),
        (RunFilter { session_id: Some(session_id("x")), ..none.clone() }, vec![]),
        (RunFilter { since: Some(at(10)), ..none.clone() }, vec!["run_d", "run_c", "run_b"]),
        (RunFilter { until: Some(at(20)), ..none.clone() }, vec!["run_b", "run_a"]),
        (RunFilter { since: Some(at(10)), until: Some(at(20)), ..none.clone() }, vec!["run_b"]),
        (
            RunFilter {
                status: Some(Status::Completed),
                agent_name: Some("writer".into()),
                session_id: Some(session_id("a")),
                since: Some(at(5)),
                ..none.clone()
            },
            vec!["run_b"],
        ),
    ];
    for (filter, expected) in cases {
        assert_eq!(names(&all_runs(&store, &filter, 1).await), expected, "{filter:?}");
        assert_eq!(names(&all_runs(&store, &filter, 10).await), expected, "{filter:?}");
    }
}

/// Two runs in each status, and a parent that waits for its child.
async fn two_of_each(store: &Arc<dyn Store>) {
    for second in 0..2 {
        // Runs that must stay pending come last: a claim takes any pending run.
        for (status, end) in [
            ("completed", completed("x")),
            ("failed", failed(FailureType::ModelRefused)),
            ("stopped", End::Stopped),
        ] {
            let holder = begin(store, fresh_at(&format!("{status}{second}"), second)).await;
            store.finish_run(finish(&holder, end, 3)).await.unwrap();
        }
        store.submit_run(fresh_at(&format!("claimed{second}"), second)).await.unwrap();
        take(store, 1).await;
        begin(store, fresh_at(&format!("running{second}"), second)).await;
        let holder = begin(store, fresh_at(&format!("stopping{second}"), second)).await;
        store.stop_run(&holder.run_id, at(3)).await.unwrap();
        for (name, suspension) in
            [("waiting", Suspension::Children(vec![])), ("input", Suspension::Person(Vec::new()))]
        {
            let holder = begin(store, fresh_at(&format!("{name}{second}"), second)).await;
            store.suspend_run(Suspend { suspension, ..suspend(&holder, &[], 3) }).await.unwrap();
        }
    }
    for second in 0..2 {
        store.submit_run(fresh_at(&format!("pending{second}"), second)).await.unwrap();
    }
    store.submit_run(child("child", "completed0")).await.unwrap();
}

/// Filtering runs and sessions by status, with or without an agent, keeps the order of the full
/// list.
pub async fn each_status_is_found(store: Arc<dyn Store>) {
    two_of_each(&store).await;
    let everything = all_runs(&store, &RunFilter::default(), 100).await;
    let sessions = all_sessions(&store, &SessionFilter::default(), 100).await;
    for agent_name in [None, Some(everything.first().unwrap().agent_name.clone())] {
        for status in everything.iter().map(|run| run.status) {
            let filter =
                RunFilter { status: Some(status), agent_name: agent_name.clone(), ..RunFilter::default() };
            let expected: Vec<_> = everything.iter().filter(|run| run.status == status).cloned().collect();
            assert_eq!(all_runs(&store, &filter, 1).await, expected, "{filter:?}");
        }
        for status in sessions.iter().map(|session| session.status) {
            let of_agent = SessionFilter { agent_name: agent_name.clone(), ..SessionFilter::default() };
            let filter = SessionFilter { status: Some(status), ..of_agent };
            let expected: Vec<_> =
                sessions.iter().filter(|session| session.status == status).cloned().collect();
            assert_eq!(all_sessions(&store, &filter, 1).await, expected, "{filter:?}");
        }
    }
    let found = sessions.iter().any(|session| session.status == SessionStatus::Idle);
    assert!(found && everything.len() == 19);
}

/// Sessions are listed newest first and filtered.
pub async fn sessions_are_filtered(store: Arc<dyn Store>) {
    complete(&store, fresh_at("a", 0), 1).await;
    store.submit_run(of_agent(fresh_at("b", 10), "reader")).await.unwrap();
    let submission = child("c", "a");
    let SessionChoice::New(session) = submission.session.clone() else { return };
    let session = Session { created_at: at(20), ..*session };
    let session = SessionChoice::New(Box::new(session));
    store.submit_run(Submission { session, ..submission }).await.unwrap();
    let none = SessionFilter::default();
    let cases = [
        (none.clone(), vec!["ses_c", "ses_b", "ses_a"]),
        (SessionFilter { status: Some(SessionStatus::Idle), ..none.clone() }, vec!["ses_a"]),
        (SessionFilter { status: Some(SessionStatus::Finished), ..none.clone() }, vec![]),
        (SessionFilter { agent_name: Some("reader".into()), ..none.clone() }, vec!["ses_b"]),
        (SessionFilter { parent_session_id: Some(session_id("a")), ..none.clone() }, vec!["ses_c"]),
        (SessionFilter { parent_session_id: Some(session_id("b")), ..none.clone() }, vec![]),
        (SessionFilter { since: Some(at(10)), until: Some(at(20)), ..none.clone() }, vec!["ses_b"]),
    ];
    for (filter, expected) in cases {
        let sessions = all_sessions(&store, &filter, 1).await;
        let names: Vec<_> = sessions.iter().map(|session| session.id.as_str()).collect();
        assert_eq!(names, expected, "{filter:?}");
        for session in sessions {
            assert_eq!(store.session(&session.id).await.unwrap(), session);
        }
    }
}

/// A cursor that the store did not return is an error, in every list.
pub async fn a_made_up_cursor_is_refused(store: Arc<dyn Store>) {
    store.submit_run(fresh("a")).await.unwrap();
    for cursor in ["", "x", "1", "....", "\u{1f600}", "-", "99999999999999999999.1"] {
        let page = PageRequest { limit: 2, cursor: Some(cursor.into()) };
        let refused =
            |error: Option<StoreError>| matches!(error, Some(StoreError::NoSuch { kind: "cursor", .. }));
        assert!(refused(store.runs(&RunFilter::default(), &page).await.err()), "runs, {cursor:?}");
        assert!(refused(store.sessions(&SessionFilter::default(), &page).await.err()), "{cursor:?}");
        assert!(refused(store.schemas(&page).await.err()), "schemas, {cursor:?}");
    }
}

/// Ids are found by prefix, up to a limit, in order.
pub async fn ids_are_found_by_prefix(store: Arc<dyn Store>) {
    for name in ["ab1", "ab2", "ab3", "b", "Ab"] {
        store.submit_run(fresh(name)).await.unwrap();
    }
    let found = async |beginning: &str, limit| store.ids_beginning(beginning, limit).await.unwrap();
    assert_eq!(found("run_ab", 10).await, ["run_ab1", "run_ab2", "run_ab3"]);
    assert_eq!(found("run_ab", 2).await, ["run_ab1", "run_ab2"]);
    assert_eq!(found("ses_ab3", 10).await, ["ses_ab3"]);
    assert_eq!(found("run_c", 10).await, Vec::<String>::new());
    assert_eq!(found("run_%", 10).await, Vec::<String>::new());
}
