//! The team of the template, without models: the recorded answers of its agents go through the
//! engine, and each agent gets the input that it was recorded with.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

use accord_contract::Meter;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use accord_domain::id::{RunId, SessionId};
use accord_domain::workflow::{Status, Worker};
use accord_workflow::compare::CompareOptions;
use accord_workflow::{
    Event, Flow, Known, OutputSchema, Signature, State, Step, Takes, Target, TaskOutcome, advance, check,
    read,
};
use jiff::Timestamp;
use serde_json::{Value, json};

const AGENTS: [&str; 5] = ["implementer", "orchestrator", "researcher", "reviewer", "tester"];

fn text(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}

fn yaml(path: &str) -> Value {
    serde_saphyr::from_str(&text(&format!("crates/cli/templates/team/{path}"))).unwrap()
}

fn known() -> Known {
    let signature = |agent: &str| {
        let blueprint = yaml(&format!("agents/{agent}/agent.yaml"));
        let description = blueprint["description"].as_str().map(str::to_owned);
        let gives = blueprint.get("output_schema").cloned();
        Signature { takes: Takes::Prompt, fixed: gives.is_some(), gives, description }
    };
    Known { agents: AGENTS.map(|agent| (agent.to_owned(), signature(agent))).into(), ..Known::default() }
}

fn answer(agent: &str) -> Value {
    let answers: Vec<String> =
        serde_json::from_str(&text(&format!("examples/record.d/team/{agent}.json"))).unwrap();
    serde_json::from_str(answers.last().unwrap()).unwrap()
}

#[test]
fn prompts_of_the_team_match_the_recording() {
    let (graph, findings) = read(&yaml("workflows/team.yaml"), &Meter::default());
    assert_eq!(findings, []);
    let graph = graph.unwrap();
    assert_eq!(check(&graph, &known(), &Meter::default()), []);
    let input: Value = serde_json::from_str(&text("crates/cli/templates/team/inputs/task.json")).unwrap();
    let mut state = State::new(&graph, input);
    let flow = Flow::new(graph, known()).unwrap();
    let (mut answered, mut ended) = (VecDeque::from([Event::Begun]), VecDeque::new());
    let (mut told, mut plan_schema) = (BTreeMap::new(), None);
    while let Some(event) = answered.pop_front().or_else(|| ended.pop_front()) {
        let (next, steps) = advance(
            &flow,
            state,
            event,
            Timestamp::UNIX_EPOCH,
            &CompareOptions::default(),
            &Meter::default(),
        );
        state = next;
        for step in steps {
            let Step::Start(start) = step else { continue };
            let Target::Agent(agent) = start.target.clone() else { panic!("{start:?}") };
            let number = told.len();
            let worker = Worker::Run { run_id: RunId::new(number), session_id: SessionId::new(number) };
            answered.push_back(Event::Started { at: start.at, worker: worker.clone() });
            ended.push_back(Event::Ended { worker, end: TaskOutcome::Completed(answer(&agent)) });
            if let Some(OutputSchema::Inline(schema)) = start.output_schema {
                plan_schema = Some(schema);
            }
            told.insert(agent, start.parameters["prompt"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(state.head.status, Status::Completed, "{:?}", state.head.error);
    assert_eq!(state.head.output["plan"], answer("orchestrator"));
    assert_eq!(state.head.output["results"]["review"]["approved"], json!(false));
    for agent in AGENTS {
        let recorded = match agent {
            "orchestrator" => text("examples/record.d/team/orchestrator.input.txt"),
            agent => text(&format!("crates/cli/templates/team/inputs/{agent}.txt")),
        };
        assert_eq!(told[agent], recorded, "{agent}");
    }
    // The order of properties matters: a model reads them in this order.
    let recorded: Value = serde_json::from_str(&text("examples/record.d/team/plan.schema.json")).unwrap();
    assert_eq!(plan_schema.unwrap().to_string(), recorded.to_string());
}
