//! The code review of the template, without models: the recorded answers of its agents go through
//! the engine. Contradictions are found, the workflow counts the findings, and a failed specialist
//! is named.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

use accord_contract::Meter;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use accord_contract::{Invariant, Invariants, Schema};
use accord_domain::comparison::{Contradiction, ContradictionKind, Side};
use accord_domain::event::Body;
use accord_domain::id::{RunId, SessionId};
use accord_domain::workflow::{Status, Worker, WorkflowFailure};
use accord_workflow::compare::CompareOptions;
use accord_workflow::{
    Event, Flow, Known, Signature, Start, State, Step, Takes, TaskOutcome, advance, check, read,
};
use jiff::Timestamp;
use serde_json::{Value, json};

const SPECIALISTS: [&str; 3] = ["security", "correctness", "conventions"];

fn text(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}

fn template(path: &str) -> Value {
    let text = text(&format!("crates/cli/templates/code-review/{path}"));
    if path.ends_with(".json") {
        serde_json::from_str(&text).unwrap()
    } else {
        serde_saphyr::from_str(&text).unwrap()
    }
}

fn blueprint(agent: &str) -> Value {
    template(&format!("agents/{agent}/agent.yaml"))
}

/// The recorded answers of an agent's model, in order.
fn answers(agent: &str) -> Vec<Value> {
    let answers: Vec<String> =
        serde_json::from_str(&text(&format!("examples/record.d/code-review/{agent}.json"))).unwrap();
    answers.iter().map(|answer| serde_json::from_str(answer).unwrap()).collect()
}

fn known() -> Known {
    let signature = |agent: &str| {
        let blueprint = blueprint(agent);
        let takes = match blueprint.get("parameters_schema") {
            Some(schema) => Takes::Schema(schema.clone()),
            None => Takes::Prompt,
        };
        Signature { takes, gives: Some(blueprint["output_schema"].clone()), fixed: true, description: None }
    };
    let agents = SPECIALISTS.into_iter().chain(["writer"]).map(|agent| (agent.to_owned(), signature(agent)));
    Known { agents: agents.collect(), ..Known::default() }
}

/// A run of the workflow in which each agent immediately gives its last recorded answer.
struct Run {
    state: State,
    /// The input of each node.
    told: BTreeMap<String, Value>,
    contradictions: Vec<Contradiction>,
    starts: usize,
}

fn run() -> Run {
    run_without(&[])
}

/// The same, with these specialists failing.
fn run_without(failing: &[&str]) -> Run {
    run_with(template("inputs/change.json"), failing)
}

/// The same with this input.
fn run_with(input: Value, failing: &[&str]) -> Run {
    let (graph, findings) = read(&template("workflows/code-review.yaml"), &Meter::default());
    assert_eq!(findings, []);
    let graph = graph.unwrap();
    assert_eq!(check(&graph, &known(), &Meter::default()), []);
    let mut run = Run {
        state: State::new(&graph, input),
        told: BTreeMap::new(),
        contradictions: Vec::new(),
        starts: 0,
    };
    let flow = Flow::new(graph, known()).unwrap();
    // A start is answered before anything else happens.
    let (mut answered, mut ended) = (VecDeque::from([Event::Begun]), VecDeque::new());
    while let Some(event) = answered.pop_front().or_else(|| ended.pop_front()) {
        let (state, steps) = advance(
            &flow,
            run.state,
            event,
            Timestamp::UNIX_EPOCH,
            &CompareOptions::default(),
            &Meter::default(),
        );
        run.state = state;
        for step in steps {
            match step {
                Step::Start(start) => {
                    let (started, end) = run.answer(*start, failing);
                    answered.push_back(started);
                    ended.push_back(end);
                }
                Step::Tell(Body::WorkflowContradiction { contradiction, .. }) => {
                    run.contradictions.push(*contradiction)
                }
                Step::Tell(_) | Step::Stop(_) => {}
            }
        }
    }
    run
}

impl Run {
    /// The events of a task: it starts, and ends with an answer.
    fn answer(&mut self, start: Start, failing: &[&str]) -> (Event, Event) {
        let number = self.starts;
        self.starts += 1;
        let worker = Worker::Run { run_id: RunId::new(number), session_id: SessionId::new(number) };
        let end = match failing.contains(&start.node.as_str()) {
            true => TaskOutcome::Failed(WorkflowFailure::new("executor_failed", "no answer")),
            false => TaskOutcome::Completed(answers(&start.node).pop().unwrap()),
        };
        self.told.insert(start.node, start.parameters);
        let started = Event::Started { at: start.at, worker: worker.clone() };
        (started, Event::Ended { worker, end })
    }
}

#[test]
fn contradictions_surface_before_the_writer_although_their_lines_differ() {
    let run = run();
    assert_eq!(run.state.head.status, Status::Completed);
    let surfaced: Vec<_> = run
        .contradictions
        .iter()
        .map(|each| {
            let own = |side: &Side| side.key.as_ref().map_or(&each.key["line"], |key| &key["line"]).clone();
            let sides: Vec<_> =
                each.sides.iter().map(|side| (side.agent.as_str(), &side.value, own(side))).collect();
            (each.kind, sides)
        })
        .collect();
    let (blocker, minor, cleared) = (json!("blocker"), json!("minor"), json!("cleared"));
    assert_eq!(
        surfaced,
        [
            (
                ContradictionKind::FlaggedAndCleared,
                vec![("security", &blocker, json!(11)), ("conventions", &cleared, json!(10))]
            ),
            (
                ContradictionKind::DifferentValues,
                vec![("correctness", &blocker, json!(16)), ("security", &minor, json!(15))]
            ),
        ]
    );
    assert_eq!(run.told["writer"]["contradictions"], serde_json::to_value(&run.contradictions).unwrap());
    assert_eq!(run.told["writer"]["near_duplicates"].as_array().map(Vec::len), Some(1));
}

#[test]
fn findings_are_counted_by_the_workflow_and_not_by_the_writer() {
    let output = run().state.head.output;
    let mut expected = answers("writer").pop().unwrap();
    expected["counts"] = json!({"blocker": 2, "major": 0, "minor": 1, "nit": 1});
    assert_eq!(output, expected);
    assert_eq!(output["findings"][1]["raisedBy"], json!(["security", "correctness"]));
}

#[test]
fn specialists_get_readable_text_with_line_numbers() {
    let told = run().told;
    for agent in SPECIALISTS {
        assert_eq!(
            told[agent],
            json!({"prompt": text("crates/cli/templates/code-review/inputs/change.txt")})
        );
    }
}

#[test]
fn whole_files_are_numbered_too() {
    let files = json!([{"path": "a.rs", "content": "one\n\ntwo\n"}, {"path": "b.rs", "content": "three"}]);
    let told = run_with(json!({"title": "Two files", "files": files}), &[]).told;
    let expected =
        "Review this change: Two files\n\na.rs\n   1  one\n   2\n   3  two\n\nb.rs\n   1  three\n\n";
    assert_eq!(told["security"], json!({"prompt": expected}));
}

#[test]
fn a_failed_specialist_is_named_in_the_review() {
    let run = run_without(&["correctness"]);
    assert_eq!(run.state.head.status, Status::Completed, "{:?}", run.state.head.error);
    let told = &run.told["writer"];
    assert_eq!((&told["missing"], &told["reviews"]["correctness"]), (&json!(["correctness"]), &json!(null)));
    assert_eq!(run.contradictions.len(), 1, "the others are compared");
    let schema = Schema::compile(&blueprint("writer")["parameters_schema"], &Meter::default()).unwrap();
    assert!(schema.accepts(told, &Meter::default()));
    // An answer that hides the failure breaks the contract of the writer.
    let mut answer = answers("writer").pop().unwrap();
    let broken = |answer: &Value| -> Vec<String> {
        invariants_of("writer")
            .violations(answer, told, &Meter::default())
            .into_iter()
            .map(|violation| violation.message)
            .collect()
    };
    assert!(
        broken(&answer).iter().any(|message| message.contains("missing must be")),
        "{:?}",
        broken(&answer)
    );
    answer["missing"] = json!(["correctness"]);
    for finding in answer["findings"].as_array_mut().unwrap() {
        finding["raisedBy"] = json!(["security"]);
    }
    assert_eq!(broken(&answer), [""; 0]);
    // Without any review the writer's input is invalid.
    let told = run_without(&SPECIALISTS).told.remove("writer").unwrap();
    assert!(!schema.accepts(&told, &Meter::default()), "{told}");
}

/// A replay only answers the recorded input, and the writer was recorded with this input.
#[test]
fn the_prompt_of_the_writer_matches_the_recording() {
    let recorded: Value =
        serde_json::from_str(&text("examples/record.d/code-review/writer.input.json")).unwrap();
    // The order of properties matters: a model reads them in this order.
    assert_eq!(run().told["writer"].to_string(), recorded.to_string());
}

#[test]
fn hiding_a_contradiction_breaks_the_writers_contract() {
    let schema = Schema::compile(&blueprint("writer")["output_schema"], &Meter::default()).unwrap();
    let input = run().told.remove("writer").unwrap();
    let broken: Vec<Vec<String>> = answers("writer")
        .iter()
        .map(|answer| {
            assert!(schema.accepts(answer, &Meter::default()), "a schema cannot tell: {answer}");
            invariants_of("writer")
                .violations(answer, &input, &Meter::default())
                .into_iter()
                .map(|violation| violation.message)
                .collect()
        })
        .collect();
    assert_eq!((broken[0].len(), broken[1].len()), (1, 0), "{broken:?}");
    assert!(broken[0][0].contains("every contradiction must have an entry in disputes"), "{broken:?}");
    for agent in SPECIALISTS {
        let schema = Schema::compile(&blueprint(agent)["output_schema"], &Meter::default()).unwrap();
        assert!(schema.accepts(&answers(agent)[0], &Meter::default()), "{agent}");
        assert_eq!(blueprint(agent)["output_schema"], template("schemas/findings.schema.json"), "{agent}");
    }
}

fn invariants_of(agent: &str) -> Invariants {
    let rules = blueprint(agent)["invariants"].as_array().unwrap().clone();
    let invariant = |rule: &Value| Invariant {
        rule: rule["rule"].as_str().unwrap().to_owned(),
        message: rule["message"].as_str().unwrap().to_owned(),
    };
    Invariants::compile(&rules.iter().map(invariant).collect::<Vec<_>>()).unwrap()
}
