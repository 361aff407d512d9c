use super::*;

fn planner(on_failure: Value, synthesis: Value) -> Drive {
    let mut node = json!({
        "type": "planner", "agent": "prompted", "prompt": "Plan {{ input.goal }}.", "agents": ["one", "two"],
        "concurrency": 2, "on_failure": on_failure,
    });
    if !synthesis.is_null() {
        node["synthesis"] = synthesis;
    }
    let nodes = json!({"input": {"type": "input"}, "work": node, "output": {"type": "output"}});
    Drive::new(nodes, edges(&[("input", "work"), ("work", "output")]), json!({"goal": "it"}))
}

fn subtask(id: &str, agent: &str, dependencies: &[&str], priority: i32) -> Value {
    json!({"id": id, "description": format!("Do {id}."), "agent": agent, "dependencies": dependencies, "priority": priority})
}

#[test]
fn a_plan_is_carried_out_and_its_results_are_joined() {
    let mut drive = planner(json!("fail"), json!({"agent": "prompted"}));
    let start = &drive.open["work.plan"].1;
    assert!(start.output_schema.is_some() && start.invariants.len() == 2);
    let prompt = start.parameters["prompt"].as_str().unwrap();
    assert!(prompt.starts_with("Plan it.\n\nMake a plan") && prompt.contains("\n- one"), "{prompt}");
    let plan = json!({"subtasks": [
        subtask("a", "one", &[], 1), subtask("b", "two", &[], 9), subtask("c", "one", &[], 5),
        subtask("d", "two", &["a", "b"], 1),
    ]});
    drive.complete("work.plan", plan);
    assert_eq!(drive.at_work(), ["work.b", "work.c"]);
    drive.complete("work.b", json!("B"));
    assert_eq!(drive.at_work(), ["work.a", "work.c"]);
    drive.complete("work.c", json!("C"));
    drive.complete("work.a", json!("A"));
    assert_eq!(drive.at_work(), ["work.d"]);
    let prompt = drive.parameters("work.d")["prompt"].as_str().unwrap();
    assert_eq!(prompt, "Do d.\n\n<results>\n{\n  \"a\": \"A\",\n  \"b\": \"B\"\n}\n</results>");
    drive.complete("work.d", json!("D"));
    let prompt = drive.parameters("work.synthesis")["prompt"].as_str().unwrap();
    assert!(prompt.contains("\"d\": \"D\"") && prompt.contains("\"subtasks\""), "{prompt}");
    drive.complete("work.synthesis", json!({"all": "done"}));
    assert_eq!(drive.result().1, json!({"all": "done"}));
}

#[test]
fn a_cyclic_plan_is_re_prompted_in_the_same_session() {
    let mut drive = planner(json!("fail"), Value::Null);
    let Worker::Run { session_id, .. } = drive.open["work.plan"].0.clone() else { panic!("a run") };
    let circle = json!({"subtasks": [subtask("a", "one", &["b"], 1), subtask("b", "one", &["a"], 1)]});
    drive.complete("work.plan", circle.clone());
    let start = &drive.open["work.plan"].1;
    assert_eq!(start.resume, Some(session_id));
    assert!(
        start.parameters["prompt"].as_str().unwrap().contains("circular dependency between subtasks: a, b")
    );
    drive.complete("work.plan", json!({"subtasks": [subtask("a", "one", &[], 1)]}));
    drive.complete("work.a", json!(1));
    assert_eq!(drive.result().1["results"], json!({"a": 1}));

    let mut drive = planner(json!("fail"), Value::Null);
    for _ in 0..=crate::limits::PLAN_RETRIES {
        drive.complete("work.plan", circle.clone());
    }
    assert_eq!(drive.result(), (Status::Failed, Value::Null, Some("plan_invalid")));
}

#[test]
fn a_failed_subtask_skips_its_dependents() {
    let mut drive = planner(json!("continue"), Value::Null);
    let plan = json!({"subtasks": [
        subtask("a", "one", &[], 1), subtask("b", "one", &["a"], 1), subtask("c", "one", &[], 1),
    ]});
    drive.complete("work.plan", plan.clone());
    drive.fail("work.a");
    drive.complete("work.c", json!("C"));
    let expected = json!({"a": {"error": {"type": "executor_failed", "message": "no"}}, "c": "C"});
    assert_eq!(drive.result().1["results"], expected);

    let mut drive = planner(json!("fail"), Value::Null);
    drive.complete("work.plan", plan);
    drive.fail("work.a");
    drive.end("work.c", TaskOutcome::Stopped);
    assert_eq!(drive.result(), (Status::Failed, Value::Null, Some("executor_failed")));
    let error = drive.state.head.error.as_ref().unwrap();
    assert_eq!(error.message, "node 'work' failed: subtask 'a': no");
}
