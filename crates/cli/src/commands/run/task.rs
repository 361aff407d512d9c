//! `accord run --task`: a planner splits a task and assigns the parts to the agents of the project.
//!
//! It is a workflow with one planner node. It is saved under a unique name while it runs, because
//! only saved workflows can run, and removed afterwards: a run keeps the graph that it was started
//! with.

use std::time::Duration;

use accord_api::CreateWorkflowRun;
use accord_client::Client;
use accord_contract::Schema;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::Arguments;
use crate::commands::workflow::{follow, report};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::meter::meter;
use crate::own_coordinator::{self, Lasting};
use crate::paging::PagingArguments;
use crate::view::text::line;
use crate::{output, runtime, task_parameters};

/// The planner's instructions. The planner node adds the agents and the format of a plan.
const PLANNER: &str = "You plan work for a team of agents. Split the task into as few subtasks as it needs, and give each to \
the agent whose description fits it best. Describe each subtask completely: its agent sees nothing else of the task.";

/// The planner's instructions when all subtasks are done.
const SYNTHESIS: &str = "You report the result of a task to the person who asked for it. Use only the results of the \
subtasks. Say what was done, what was found, and what failed.";

pub(super) fn run(arguments: &Arguments, goal: &str) -> Result<Exit, Failure> {
    let goal = task_parameters::task(goal)?;
    if goal.trim().is_empty() {
        return Err(Problem::new("the task is empty").hint("pass it with --task \"…\"").into());
    }
    let config = arguments.request.connection.config(Vec::new())?;
    let look = async |client: &Client| client.agents(&[], &accord_api::PageQuery::default()).await.map(drop);
    let work = async |client: &Client| with(client, arguments, &goal).await;
    runtime::block_on(own_coordinator::work(&config, Lasting::No, look, work))
}

async fn with(client: &Client, arguments: &Arguments, goal: &str) -> Result<Exit, Failure> {
    let agents = match arguments.agents.is_empty() {
        true => usable(client, arguments.planner.as_deref()).await?,
        false => named(client, &arguments.agents).await?,
    };
    let name = format!("task-{}-{}", Timestamp::now().as_millisecond(), std::process::id());
    let workflow = match &arguments.planner {
        Some(planner) => workflow(&name, &agents, &Value::from(planner.as_str()), None),
        None => {
            let executor = executor(arguments.request.model.as_deref(), &agents)?;
            let planner = inline("planner", "Makes a plan for a task", PLANNER, &executor);
            let synthesis = inline("reporter", "Reports the result of a task", SYNTHESIS, &executor);
            workflow(&name, &agents, &planner, Some(&synthesis))
        }
    };
    client.create_workflow(&workflow).await?;
    let request = CreateWorkflowRun { input: Some(json!({ "task": goal })), ..CreateWorkflowRun::default() };
    let limit = arguments.request.time_limit();
    let ended = followed(client, &name, &request, limit, arguments.request.json).await;
    // The workflow is not needed any more; the run and its sessions are kept.
    let _ = client.delete_workflow(&name).await;
    ended
}

async fn followed(
    client: &Client,
    name: &str,
    request: &CreateWorkflowRun,
    limit: Option<Duration>,
    json: bool,
) -> Result<Exit, Failure> {
    let ending = follow(client, name, request, None, limit).await?;
    report(client, ending, json).await
}

/// An agent that can be planned with.
struct Usable {
    name: String,
    blueprint: Value,
}

/// All agents of the project that take a task as text. Those that are left out are reported.
async fn usable(client: &Client, planner: Option<&str>) -> Result<Vec<Usable>, Failure> {
    let all = PagingArguments::all();
    let listed = all.gather(|page| async move { client.agents(&[], &page).await }).await?.items;
    let (mut agents, mut others) = (Vec::new(), Vec::new());
    for agent in listed.into_iter().filter(|agent| agent.valid && Some(agent.name.as_str()) != planner) {
        let blueprint = client.agent(&agent.name).await?.blueprint;
        match takes_a_prompt(&blueprint) {
            true => agents.push(Usable { name: agent.name, blueprint }),
            false => others.push(line(&agent.name)),
        }
    }
    if !others.is_empty() {
        let others = others.join(", ");
        output::message(&format!("note: not used, because their parameters are not a prompt: {others}\n"));
    }
    match agents.is_empty() {
        true => Err(Problem::new("this project has no agent that takes a task as text")
            .hint("create one with `accord agents new NAME`, or see `accord init --template team`")
            .into()),
        false => Ok(agents),
    }
}

/// The agents that were named.
async fn named(client: &Client, names: &[String]) -> Result<Vec<Usable>, Failure> {
    let mut agents: Vec<Usable> = Vec::new();
    for name in names {
        let blueprint = client.agent(name).await?.blueprint;
        if !takes_a_prompt(&blueprint) {
            let message = format!(
                "agent '{name}' cannot be used by a planner: its parameters_schema does not accept a prompt"
            );
            return Err(Problem::new(message).hint("leave it out of --agents").into());
        }
        if !agents.iter().any(|known| known.name == *name) {
            agents.push(Usable { name: name.clone(), blueprint });
        }
    }
    Ok(agents)
}

fn takes_a_prompt(blueprint: &Value) -> bool {
    let schema = blueprint.get("parameters_schema").filter(|schema| !schema.is_null());
    schema.is_none_or(|schema| {
        Schema::compile(schema, &meter())
            .is_ok_and(|schema| schema.accepts(&json!({"prompt": "task"}), &meter()))
    })
}

/// What the planner runs on: the model that was named, or that of the first agent with a live one.
fn executor(model: Option<&str>, agents: &[Usable]) -> Result<Value, Problem> {
    if let Some(named) = model {
        return match named.split_once('/') {
            Some((provider, model)) if !provider.is_empty() && !model.is_empty() => {
                Ok(json!({"type": "llm", "provider": provider, "model": model}))
            }
            _ => Err(Problem::new(format!("--model {named}: expected PROVIDER/MODEL with --task"))
                .hint("for example --model anthropic/claude-sonnet-4-6")),
        };
    }
    let executors = agents.iter().filter_map(|agent| agent.blueprint.get("executor"));
    let mut live = executors.filter(|executor| executor.get("type").is_some_and(|kind| kind == "llm"));
    live.next().cloned().ok_or_else(|| {
        Problem::new("the planner needs a model, and no agent of this project has the executor llm")
            .hint("pass --model PROVIDER/MODEL, or --planner AGENT for an agent that makes the plan")
    })
}

fn inline(name: &str, description: &str, prompt: &str, executor: &Value) -> Value {
    json!({
        "name": name, "description": description, "type": "autonomous", "system_prompt": prompt, "executor": executor,
    })
}

fn workflow(name: &str, agents: &[Usable], planner: &Value, synthesis: Option<&Value>) -> Value {
    let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    let mut node = Map::from_iter([
        ("type".to_owned(), json!("planner")),
        ("agent".to_owned(), planner.clone()),
        ("prompt".to_owned(), json!("{{ input.task }}")),
        ("agents".to_owned(), json!(names)),
    ]);
    if let Some(synthesis) = synthesis {
        node.insert("synthesis".to_owned(), json!({ "agent": synthesis }));
    }
    let schema = json!({"type": "object", "required": ["task"], "properties": {"task": {"type": "string"}}});
    json!({
        "name": name,
        "description": "One task, planned over the agents of the project",
        "nodes": {
            "input": {"type": "input", "schema": schema},
            "work": node,
            "output": {"type": "output"},
        },
        "edges": [{"from": "input", "to": "work"}, {"from": "work", "to": "output"}],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(name: &str, executor: Value) -> Usable {
        Usable { name: name.to_owned(), blueprint: json!({"name": name, "executor": executor}) }
    }

    #[test]
    fn the_planner_has_the_model_that_was_named_or_that_of_an_agent() {
        let llm = json!({"type": "llm", "provider": "openai", "model": "m"});
        let agents = [agent("a", json!({"type": "replay"})), agent("b", llm.clone())];
        assert_eq!(executor(None, &agents).ok(), Some(llm));
        let named = executor(Some("ollama/org/model"), &agents).ok();
        assert_eq!(named, Some(json!({"type": "llm", "provider": "ollama", "model": "org/model"})));
        for (model, agents, expected) in
            [(Some("gpt"), &agents[..], "expected PROVIDER/MODEL"), (None, &agents[..1], "needs a model")]
        {
            let problem = executor(model, agents).unwrap_err().into_parts();
            assert!(problem.0.contains(expected) && problem.1.is_some(), "{problem:?}");
        }
    }

    #[test]
    fn the_workflow_is_sound() {
        let agents = [agent("a", Value::Null)];
        let synthesis = inline("reporter", "Reports", SYNTHESIS, &json!({"type": "llm"}));
        let document = workflow("task-1-2", &agents, &json!("planner"), Some(&synthesis));
        let (graph, findings) = accord_workflow::read(&document);
        assert!(graph.is_some() && findings.is_empty(), "{findings:?}");
    }
}
