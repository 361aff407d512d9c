use accord_api::WorkflowStatus;
use serde_json::json;

use super::*;

fn planned() -> Value {
    let nodes = json!({
        "input": {"type": "input"},
        "work": {"type": "planner", "agent": "planner", "prompt": "Plan: {{ input.goal }}", "agents": ["parrot"],
                 "synthesis": {"agent": "parrot", "prompt": "[[{\"both\": \"{{ results.a.x | safe }}{{ results.b.x | safe }}\"}]]"}},
        "output": {"type": "output"},
    });
    workflow("planned", &nodes, &edges(&[("input", "work"), ("work", "output")]))
}

fn subtask(id: &str, dependencies: &[&str], agent: &str) -> Value {
    let description = format!("Say [[{{\"x\": \"{id}\"}}]]");
    json!({"id": id, "description": description, "agent": agent, "dependencies": dependencies, "priority": 1})
}

/// A plan with an unknown agent, then one with a cycle, then a valid one.
#[tokio::test]
async fn an_invalid_plan_is_re_prompted_and_a_valid_one_runs() {
    let plans = [
        json!({"subtasks": [subtask("a", &[], "nobody")]}),
        json!({"subtasks": [subtask("a", &["b"], "parrot"), subtask("b", &["a"], "parrot")]}),
        json!({"subtasks": [subtask("a", &[], "parrot"), subtask("b", &["a"], "parrot")]}),
    ];
    let planner = ModelServer::start(Script::replies(plans.iter().map(|plan| Reply::text(plan.to_string()))))
        .await
        .unwrap();
    let model = parrot().await;
    let project = Project::new().agent(&any("parrot", &model)).agent(&agent("planner", &planner, &json!({})));
    let accord = project.up().await;
    let run = accord.conduct(&planned(), json!({"goal": "all of it"})).await;
    assert_eq!((run.status, &run.output), (WorkflowStatus::Completed, &json!({"both": "ab"})));
    let asked = planner.requests();
    assert_eq!(asked.len(), 3);
    assert!(asked[0].text().contains("Plan: all of it"));
    assert!(asked[0].text().contains("- parrot: Input: a task as text."), "{}", asked[0].text());
    // The first is repaired under the contract, in the same run; the second in the same session, by
    // the engine.
    assert!(asked[2].text().contains("circular dependency"), "{}", asked[2].text());
    let names: Vec<&str> = run.nodes[1].tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["plan", "subtask a", "subtask b", "synthesis"]);
    accord.end().await;
}

/// Without a workflow file or a planner agent: the model of an agent plans, the agents work, the
/// model reports.
#[tokio::test]
async fn a_task_is_planned_over_the_agents_of_a_project() {
    let model = ModelServer::start(Script::handler(|request, _| {
        let text = request.last_text();
        if text.contains("Make a plan of subtasks") {
            Reply::text(json!({"subtasks": [subtask("a", &[], "greeter")]}).to_string())
        } else if text.contains("All subtasks of this plan are completed") {
            Reply::text("Everybody was greeted.")
        } else {
            Reply::text(json!({"x": "hello"}).to_string())
        }
    }))
    .await
    .unwrap();
    let mut greeter = any("greeter", &model);
    greeter["description"] = json!("Greets people");
    let mut counter = any("counter", &model);
    counter["parameters_schema"] =
        json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
    let project = Project::new().agent(&greeter).agent(&counter);
    let ran = crate::support::accord(project.path())
        .args(["run", "--task", "Greet everybody"])
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(0), "{said}");
    assert_eq!(String::from_utf8(ran.stdout).unwrap().trim(), "Everybody was greeted.");
    assert!(said.contains("their parameters are not a prompt: counter"), "{said}");
    let asked = model.requests();
    assert_eq!(asked.len(), 3);
    let prompt = asked[0].last_text();
    assert!(prompt.starts_with("Greet everybody\n\n"), "{prompt}");
    assert!(
        prompt.contains("- greeter: Greets people. Input: a task as text.") && !prompt.contains("counter"),
        "{prompt}"
    );
}
