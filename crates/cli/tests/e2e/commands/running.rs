//! `accord run`: embedded and through a coordinator, its arguments, and its exit codes.

use accord_test_support::{ModelServer, Reply, Script};
use serde_json::json;

use super::{always, contracted, finish, run};
use crate::support::{Project, accord, agent, ask, model, severity};

#[tokio::test]
async fn a_run_has_the_exit_code_of_its_outcome() {
    let good = always(r#"{"severity": "high"}"#).await;
    let bad = always("I would rather not say").await;
    let locked = model([Reply::error(401, "invalid x-api-key")]).await;
    let endless =
        ModelServer::start(Script::handler(|_, _| Reply::truncated("{\"severity\": \"hi"))).await.unwrap();
    let project = Project::new()
        .agent(&agent("endless", &endless, &contracted()))
        .agent(&agent("endless-text", &endless, &json!({})))
        .agent(&agent("good", &good, &contracted()))
        .agent(&agent("bad", &bad, &contracted()))
        .agent(&agent("locked", &locked, &contracted()));
    let folder = project.path();

    let ran = run(folder, &["run", "good", "Nobody can log in"]).await.ends(0, &[]);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("{\"severity\":\"high\"}\n", ""));

    let ran = run(folder, &["run", "good", "Nobody can log in", "--json"]).await.ends(0, &[]).json();
    assert!(ran["run_id"].as_str().unwrap().starts_with("run_"), "{ran}");
    assert!(ran["session_id"].as_str().unwrap().starts_with("ses_"), "{ran}");
    assert_eq!(
        [&ran["status"], &ran["agent_name"], &ran["result_data"], &ran["result_text"], &ran["attempts"]],
        [&json!("completed"), &json!("good"), &json!({"severity": "high"}), &json!(null), &json!(1)]
    );
    assert_eq!((&ran["error"], &ran["schema_validation"]["valid"]), (&json!(null), &json!(true)));
    assert_eq!(ran["interruption"], json!(null));

    let ran = run(folder, &["run", "bad", "x"]).await;
    let ran = ran.ends(2, &["failed[output_schema_validation_failed]", "accord runs attempts run_"]);
    assert_eq!(ran.stdout, "");
    let ran = run(folder, &["run", "bad", "x", "--json"]).await.ends(2, &[]);
    assert_eq!(ran.json()["error"]["type"], json!("output_schema_validation_failed"));
    assert_eq!((ran.json()["result_data"].clone(), ran.stderr.as_str()), (json!(null), ""));

    let ran = run(folder, &["run", "locked", "x"]).await.ends(3, &["executor_failed", "401"]);
    assert_eq!(ran.stdout, "");

    for (name, code) in [("endless", 2), ("endless-text", 3)] {
        let ran = run(folder, &["run", name, "x", "--json"]).await.ends(code, &[]);
        assert_eq!(ran.text("/error/type"), "output_truncated", "{ran:?}");
        run(folder, &["sessions", "result", &ran.text("/session_id")])
            .await
            .ends(code, &["output_truncated"]);
    }
}

#[tokio::test]
async fn wrong_usage_exits_with_one_and_queues_nothing() {
    let model = model([]).await;
    let typed = json!({"parameters_schema": {"type": "object", "required": ["count", "name"], "properties": {
        "count": {"type": "integer"}, "name": {"type": "string"}}}});
    let host = Project::new()
        .agent(&agent("typed", &model, &typed))
        .agent(&agent("own", &model, &contracted()))
        .file("broken", "{\"name\": \"broken\"")
        .up()
        .await;
    std::fs::write(host.path().join("schema.json"), severity().to_string()).unwrap();
    std::fs::write(host.path().join("list.json"), "[1]").unwrap();
    let cases: &[(&[&str], &[&str])] = &[
        (&["run", "nobody", "x"], &["nobody", "accord agents list"]),
        (&["run", "broken", "x"], &["broken", "accord agents validate"]),
        (&["run", "typed"], &["$: ", "name", "count", "accord agents show"]),
        (&["run", "typed", "--param", "count=many", "--param", "name=a"], &["$.count", "many"]),
        (&["run", "typed", "--param", "count"], &["--param count: expected KEY=VALUE"]),
        (&["run", "typed", "--params", "none.json"], &["none.json"]),
        (
            &["run", "typed", "--params", "list.json"],
            &["expected a JSON object with parameters, got an array"],
        ),
        (&["run", "own", "x", "--schema", "schema.json"], &["own", "--schema"]),
        (&["run", "own", "x", "--schema", "none.json"], &["none.json"]),
        (&["run", "own", "x", "--schema-name", "none"], &["--schema"]),
        (&["run", "own", "x", "--schema", "schema.json", "--schema-name", "none"], &["--help"]),
        (&["run", "own", "x", "--max-retries", "3"], &["--schema FILE"]),
        (&["run", "own", "x", "--strategy", "magic"], &["auto, native, tool or prompt"]),
        (&["run", "own", "x", "--timeout", "0"], &["--timeout"]),
        (&["run", "own", "x", "--coordinator", "nowhere"], &["nowhere"]),
    ];
    for (arguments, said) in cases {
        assert_eq!(run(host.path(), arguments).await.ends(1, said).stdout, "", "{arguments:?}");
    }
    let failed = async |arguments: &[&str]| {
        let ran = run(host.path(), &[arguments, &["--json"]].concat()).await.ends(1, &["error: "]).json();
        let error = &ran["error"];
        assert!(error["message"].is_string() && error["hint"].is_string(), "{ran}");
        (error["name"].clone(), error["status_code"].clone(), error["details"].clone())
    };
    let (name, status, _) = failed(&["run", "nobody", "x"]).await;
    assert_eq!((name, status), (json!("AgentNotFound"), json!(404)));
    let (name, status, details) = failed(&["run", "typed", "--param", "count=1"]).await;
    assert_eq!((name, status), (json!("ParameterValidationFailed"), json!(400)));
    assert_eq!(details["errors"][0]["path"], json!("$"), "{details}");
    assert_eq!(failed(&["run", "typed", "--timeout", "0"]).await, (json!(null), json!(null), json!(null)));
    let runs = run(host.path(), &["runs", "list", "--json"]).await.json();
    assert_eq!((&runs["items"], model.requests().len()), (&json!([]), 0));
}

#[tokio::test]
async fn parameters_are_typed_by_the_agent() {
    let model = always("done").await;
    let typed = json!({"parameters_schema": {"type": "object", "properties": {
        "id": {"type": "string"}, "count": {"type": "integer"}, "tags": {"type": "array"}}}});
    let project =
        Project::new().agent(&agent("typed", &model, &typed)).agent(&agent("free", &model, &json!({})));
    let folder = project.path();
    std::fs::write(folder.join("params.json"), r#"{"count": 1, "id": "a"}"#).unwrap();
    let host = project.up().await;
    let folder = host.path();
    let asked = async |arguments: &[&str], stdin: &str| {
        let ran = finish(accord(folder).args(arguments).arg("--json"), stdin).await.ends(0, &[]);
        let shown = run(folder, &["runs", "show", &ran.text("/run_id"), "--json"]).await.json();
        shown["parameters"].clone()
    };
    let single = ["run", "typed", "--param", "id=42", "--param", "count=42", "--param", "tags=[\"a=b\"]"];
    assert_eq!(asked(&single, "").await, json!({"id": "42", "count": 42, "tags": ["a=b"]}));
    let both = ["run", "typed", "--params", "params.json", "--param", "count=2"];
    assert_eq!(asked(&both, "").await, json!({"count": 2, "id": "a"}));
    assert_eq!(asked(&["run", "typed", "--params", "-"], r#"{"count": 3}"#).await, json!({"count": 3}));
    assert_eq!(asked(&["run", "free", "-"], "from stdin\n").await, json!({"prompt": "from stdin\n"}));
    assert_eq!(asked(&["run", "free", "42"], "").await, json!({"prompt": "42"}));
}

#[tokio::test]
async fn a_caller_brings_a_contract_a_model_and_a_strategy() {
    let model = model([
        Reply::text(r#"{"severity": "huge"}"#),
        Reply::text(r#"{"severity": 1}"#),
        Reply::text("{}"),
        Reply::text(r#"{"severity": "low"}"#),
        Reply::text("plain words"),
        Reply::text(r#"{"severity": "huge"}"#),
    ])
    .await;
    let default = json!({"default_output_schema": severity()});
    let agents = [agent("free", &model, &json!({})), agent("default", &model, &default)];
    let host = agents.iter().fold(Project::new(), |project, agent| project.agent(agent)).up().await;
    let folder = host.path();
    std::fs::write(folder.join("schema.json"), severity().to_string()).unwrap();
    let held = ["run", "free", "x", "--schema", "schema.json", "--max-retries", "2", "--strategy", "prompt"];
    let ran = run(folder, &[held.as_slice(), &["--model", "claude-other", "--json"]].concat()).await;
    let ran = ran.ends(2, &[]).json();
    assert_eq!((&ran["error"]["type"], &ran["attempts"]), (&json!("schema_validation_failed"), &json!(3)));
    let requests = model.requests();
    assert!(requests.iter().all(|request| request.model() == "claude-other"));
    assert!(requests.iter().all(|request| request.schema().is_none()), "the prompt alone holds it");

    run(folder, &["schemas", "add", "severity", "schema.json"]).await.ends(0, &[]);
    let named = ["run", "free", "x", "--schema-name", "severity", "--strategy", "native", "--json"];
    let ran = run(folder, &named).await.ends(0, &[]).json();
    assert_eq!(ran["schema_validation"]["schema_name"], json!("severity"));
    assert!(model.requests()[3].schema().is_some());

    let ran = run(folder, &["run", "free", "x"]).await.ends(0, &[]);
    assert_eq!(ran.stdout, "plain words\n");

    let ran = run(folder, &["run", "default", "x", "--max-retries", "0", "--json"]).await.ends(2, &[]).json();
    assert_eq!(ran["attempts"], json!(1), "{ran}");
}

#[tokio::test]
async fn two_runs_at_once_without_a_coordinator_do_not_disturb_each_other() {
    let model = always(r#"{"severity": "high"}"#).await;
    let project = Project::new().agent(&agent("triage", &model, &contracted()));
    let one = || run(project.path(), &["run", "triage", "x", "--json"]);
    let (first, second, third) = tokio::join!(one(), one(), one());
    let ids = [first, second, third].map(|ran| ran.ends(0, &[]).text("/run_id"));
    assert!(ids[0] != ids[1] && ids[1] != ids[2], "{ids:?}");
    // Both runs are in the project's one database.
    let host = project.up().await;
    for id in &ids {
        let shown = run(host.path(), &["runs", "show", id, "--json"]).await.ends(0, &[]);
        assert_eq!(shown.text("/status"), "completed");
    }
}

#[tokio::test]
async fn a_running_coordinator_is_found_and_a_stale_address_is_ignored() {
    let model = always("done").await;
    let host = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let folder = host.path().to_owned();
    let address = folder.join(".accord/coordinator.json");
    let left = std::fs::read_to_string(&address).unwrap();
    assert!(left.contains(&host.url), "{left}");
    let id = run(&folder, &["run", "free", "x", "--json"]).await.ends(0, &[]).text("/run_id");
    assert_eq!(host.client.run(&id.parse().unwrap()).await.unwrap().agent_name, "free");
    // From a subfolder, and from elsewhere by `--project`.
    run(&folder.join(".accord"), &["run", "free", "x"]).await.ends(0, &[]);
    let elsewhere = tempfile::tempdir().unwrap();
    run(elsewhere.path(), &["run", "free", "x", "--coordinator", &host.url]).await.ends(0, &[]);
    let dir = folder.display().to_string();
    run(elsewhere.path(), &["runs", "show", &id, "--dir", &dir]).await.ends(0, &[]);
    assert!(!elsewhere.path().join(".accord").exists());

    let kept = host.leave().await;
    assert!(!address.exists(), "a clean end takes the address away");
    std::fs::write(&address, left).unwrap();
    run(kept.path(), &["run", "free", "x"]).await.ends(0, &[]);
    // A finished run stays finished.
    let stopped = run(kept.path(), &["runs", "stop", &id, "--json"]).await.ends(0, &[]).json();
    assert_eq!(stopped["status"], "completed");
    // Stored runs can be listed without a running coordinator.
    let runs = run(kept.path(), &["runs", "list", "--json"]).await.ends(0, &[]).json();
    assert_eq!(runs["items"].as_array().unwrap().len(), 4);
    run(kept.path(), &["runs", "show", &id]).await.ends(0, &[]);
    run(kept.path(), &["runs", "attempts", &id]).await.ends(0, &[]);
    run(kept.path(), &["sessions", "list"]).await.ends(0, &[]);
    run(kept.path(), &["stats"]).await.ends(0, &[]);
}

#[tokio::test]
async fn the_address_of_another_projects_coordinator_is_not_ours() {
    let model = always("done").await;
    let ours = Project::new().agent(&agent("free", &model, &json!({})));
    let theirs = Project::new().agent(&agent("other", &model, &json!({}))).up().await;
    let left = std::fs::read_to_string(theirs.path().join(".accord/coordinator.json")).unwrap();
    let mut address: serde_json::Value = serde_json::from_str(&left).unwrap();
    address["instance"] = json!("the one before");
    std::fs::write(ours.path().join(".accord/coordinator.json"), address.to_string()).unwrap();
    assert_eq!(run(ours.path(), &["runs", "list", "--json"]).await.ends(0, &[]).json()["items"], json!([]));
    assert!(!ours.path().join(".accord/accord.db").exists(), "looking makes no database");
    run(ours.path(), &["run", "free", "x"]).await.ends(0, &[]);
    assert_eq!(run(theirs.path(), &["runs", "list", "--json"]).await.ends(0, &[]).json()["items"], json!([]));
}

#[tokio::test]
async fn a_run_whose_command_was_killed_fails_with_the_next_command() {
    let model = model([Reply::hang(), Reply::text("done")]).await;
    let project = Project::new().agent(&agent("free", &model, &json!({})));
    let mut killed = accord(project.path()).args(["run", "free", "x"]).spawn().unwrap();
    model.wait_for_requests(1).await;
    killed.kill().await.unwrap();
    let as_it_is = run(project.path(), &["runs", "list", "--json"]).await.ends(0, &[]).json();
    assert_eq!(as_it_is["items"][0]["error"], json!(null), "whoever looks changes nothing");
    run(project.path(), &["run", "free", "x"]).await.ends(0, &[]);
    let host = project.up().await;
    let listed = run(host.path(), &["runs", "list", "--json"]).await.ends(0, &[]).json();
    let runs: Vec<_> =
        listed["items"].as_array().unwrap().iter().map(|run| (&run["status"], &run["error"])).collect();
    let error = json!({"type": "runner_lost", "message":
        "the command that started this run (`accord run` or `accord workflows run`) has exited; run it again"});
    assert_eq!((runs[0].0, runs[1].0), (&json!("completed"), &json!("failed")));
    assert_eq!((&runs[1].1["type"], &runs[1].1["message"]), (&error["type"], &error["message"]));
}

#[tokio::test]
async fn a_command_works_only_on_its_own_run() {
    let (quick, untouched) = (always("done").await, model([]).await);
    let host = Project::new()
        .agent(&agent("free", &quick, &json!({})))
        .agent(&agent("waiting", &untouched, &json!({})))
        .coordinator()
        .await;
    let waiting = host.client.create_run(&ask("waiting"), None).await.unwrap().run_id.to_string();
    let kept = host.leave().await;
    run(kept.path(), &["run", "free", "x"]).await.ends(0, &[]);
    let shown = run(kept.path(), &["runs", "show", &waiting, "--json"]).await.ends(0, &[]).json();
    assert_eq!((&shown["status"], &shown["attempt"]), (&json!("pending"), &json!(0)), "{shown}");
    assert_eq!(untouched.requests().len(), 0);
}

#[tokio::test]
async fn an_agent_can_be_used_as_soon_as_it_is_written() {
    let model = always("done").await;
    let project = Project::new();
    std::fs::remove_dir(project.path().join(".accord/agents")).unwrap();
    let host = project.up().await;
    for name in ["first", "second"] {
        let folder = host.path().join(".accord/agents").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("agent.json"), agent(name, &model, &json!({})).to_string()).unwrap();
        assert_eq!(run(host.path(), &["run", name, "x"]).await.ends(0, &[]).stdout, "done\n");
    }
}

#[tokio::test]
async fn no_wait_priority_and_idempotency_key_work() {
    let model = model([Reply::text("one"), Reply::text("two")]).await;
    let project = Project::new().agent(&agent("free", &model, &json!({})));
    for flags in [&["--no-wait"][..], &["--idempotency-key", "k"]] {
        let alone = [&["run", "free", "x"][..], flags].concat();
        run(project.path(), &alone).await.ends(1, &["require a running coordinator", "accord up"]);
    }
    assert!(!project.path().join(".accord/accord.db").exists());

    let host = project.up().await;
    let folder = host.path();
    let ran = run(folder, &["run", "free", "x", "--no-wait", "--priority", "-7"]).await.ends(0, &[]);
    let id = ran.stdout.trim();
    run(folder, &["runs", "watch", id]).await.ends(0, &[]);
    assert_eq!(run(folder, &["runs", "show", id, "--json"]).await.json()["priority"], json!(-7));
    let asked = ["run", "free", "y", "--idempotency-key", "order-42", "--json"];
    let first = run(folder, &asked).await.ends(0, &[]);
    let again = run(folder, &asked).await.ends(0, &[]);
    assert_eq!(again.text("/run_id"), first.text("/run_id"));
    assert_eq!(again.text("/result_text"), "two");
    let started = run(folder, &[&asked[..], &["--no-wait"]].concat()).await.ends(0, &[]);
    assert_eq!(started.text("/run_id"), first.text("/run_id"));
    let other = ["run", "free", "z", "--idempotency-key", "order-42", "--json"];
    assert_eq!(run(folder, &other).await.ends(1, &[]).text("/error/name"), "IdempotencyConflict");
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn unknown_names_get_suggestions() {
    let model = model([]).await;
    let host = Project::new().agent(&agent("word-count", &model, &json!({}))).up().await;
    let ran = run(host.path(), &["run", "word-cont", "x"]).await;
    ran.ends(1, &["agent 'word-cont' not found; did you mean 'word-count'?", "accord agents list"]);
    let ran = run(host.path(), &["run", "other", "x"]).await.ends(1, &["agent 'other' not found\n"]);
    assert!(!ran.stderr.contains("GET /"), "{ran:?}");
    let ran = run(host.path(), &["run", "word-count", "--param", "text=x"]).await;
    ran.ends(1, &["run `accord agents show word-count` to see its parameters"]);
    let nowhere = tempfile::tempdir().unwrap();
    for command in [&["run", "word-count", "x"][..], &["workflow", "run", "flow"]] {
        run(nowhere.path(), command)
            .await
            .ends(1, &["not an Accord project: no .accord folder in", "accord init"]);
    }
    let empty = Project::new().up().await;
    for (list, what) in [(["agents", "list"], "agents"), (["workflow", "list"], "workflows")] {
        let said = format!("No {what} found in the coordinator at {}", empty.url);
        let ran = run(host.path(), &[&list[..], &["--coordinator", &empty.url]].concat()).await;
        ran.ends(0, &[&said]);
    }
}

#[tokio::test]
async fn a_finished_run_is_watched_without_a_coordinator() {
    let model = model([Reply::text("one"), Reply::hang()]).await;
    let host = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let id = run(host.path(), &["run", "free", "x", "--json"]).await.ends(0, &[]).text("/run_id");
    let busy = host.client.create_run(&crate::support::ask("free"), None).await.unwrap().run_id;
    model.wait_for_requests(2).await;
    let kept = host.kill().await;
    let watched = run(kept.path(), &["runs", "watch", &id]).await.ends(0, &[]).stdout;
    assert!(watched.contains("completed after"), "{watched}");
    // No runner works on an unfinished one.
    run(kept.path(), &["runs", "watch", busy.as_str()])
        .await
        .ends(1, &["no coordinator is running", "accord up"]);
}

#[tokio::test]
async fn unmet_runner_requirements_are_reported() {
    let model = always("done").await;
    let picky = json!({"demands": {"tags": ["linux"]}});
    let project = Project::new().agent(&agent("picky", &model, &picky));
    // The command's own runner is the only one.
    let demands =
        "does not meet the requirements {\"executor_type\":\"llm\",\"tags\":[\"linux\"]}; set runner.tags";
    run(project.path(), &["run", "picky", "x"]).await.ends(3, &["failed[no_matching_runner]", demands]);
    let mut tagged = accord(project.path());
    let tagged = tagged.env("ACCORD_RUNNER__TAGS", "linux").args(["run", "picky", "x"]);
    assert_eq!(finish(tagged, "").await.ends(0, &[]).stdout, "done\n");
    // With a permanent coordinator, another runner may come.
    let host = project.up().await;
    let waits = "picky is waiting: no live runner meets its requirements {\"executor_type\":\"llm\",\"tags\":[\"linux\"]}";
    run(host.path(), &["run", "picky", "x", "--timeout", "5"]).await.ends(4, &[waits, "accord runners list"]);
    host.end().await;
}
