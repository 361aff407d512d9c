//! `POST /runs?wait=`.

use serde_json::{Value, json};

use crate::support::{Desk, refused, text, woken};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_answer_arrives_when_the_run_finishes() {
    let desk = Desk::unpolled().await;
    let _background = desk.awake();
    let runner = desk.runner().await;
    let body = json!({"agent_name": "writer", "prompt": "a"});
    let (answer, held) = tokio::join!(woken(desk.post("/runs?wait=60", body)), async {
        let claim = json!({"runner_id": runner, "max": 1, "wait_seconds": 60});
        let (_, claimed) = woken(desk.post("/runner/claims", claim)).await;
        let run = &claimed["runs"][0];
        let holding = json!({"runner_id": runner, "lease_id": run["lease_id"], "attempt": 1});
        let end = json!({"holding": holding, "status": "completed", "result_text": "done"});
        desk.post(&format!("/runner/runs/{}/finish", text(run, "run_id")), end).await
    });
    let (status, run) = answer;
    assert_eq!((status, &run["run_id"], &run["status"]), (201, &held.1["run_id"], &json!("completed")));
    assert_eq!(run["result"], json!({"result_text": "done", "result_data": null}));
}

#[tokio::test]
async fn a_wait_that_times_out_returns_the_current_run() {
    let desk = Desk::with_writer().await;
    let body = json!({"agent_name": "writer", "prompt": "a"});
    let (status, run) = desk.post("/runs?wait=1", body.clone()).await;
    assert_eq!((status, &run["status"], run.get("result")), (201, &json!("pending"), None::<&Value>));
    assert_eq!(refused(&desk.post("/runs?wait=301", body.clone()).await), (400, "InvalidRequest"));
    assert_eq!(refused(&desk.post("/runs?wait=-1", body).await), (400, "InvalidRequest"));
    assert_eq!(
        desk.get("/runs").await.1["items"].as_array().unwrap().len(),
        1,
        "what was refused was not queued"
    );
}
