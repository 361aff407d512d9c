//! The code review of the template, on paper: what its agents were recorded to say goes through the engine, and the two
//! mistakes that no model notices are found.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use accord_contract::{Invariant, Invariants, Schema};
use accord_domain::comparison::{Contradiction, ContradictionKind};
use accord_domain::event::Body;
use accord_domain::id::{RunId, SessionId};
use accord_domain::workflow::{Status, Worker};
use accord_workflow::compare::CompareOptions;
use accord_workflow::{End, Event, Flow, Known, Signature, Start, State, Step, Takes, advance, check, read};
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

/// What the recorded model of an agent says, one answer after the other.
fn answers(agent: &str) -> Vec<Value> {
    let answers: Vec<String> =
        serde_json::from_str(&text(&format!("examples/record.d/code-review/{agent}.json"))).unwrap();
    answers.iter().map(|answer| serde_json::from_str(answer).unwrap()).collect()
}

fn known() -> Known {
    let signature = |agent: &str| {
        let blueprint = blueprint(agent);
        let takes = Takes::Schema(blueprint["parameters_schema"].clone());
        Signature { takes, gives: Some(blueprint["output_schema"].clone()), fixed: true }
    };
    let agents = SPECIALISTS.into_iter().chain(["writer"]).map(|agent| (agent.to_owned(), signature(agent)));
    Known { agents: agents.collect(), ..Known::default() }
}

/// A run of the workflow, its agents answering at once as they were recorded, each with its last answer.
struct Run {
    state: State,
    /// What each node was told.
    told: BTreeMap<String, Value>,
    contradictions: Vec<Contradiction>,
}

fn run() -> Run {
    let (graph, findings) = read(&template("workflows/code-review.yaml"));
    assert_eq!(findings, []);
    let graph = graph.unwrap();
    assert_eq!(check(&graph, &known()), []);
    let mut run = Run {
        state: State::new(&graph, template("inputs/change.json")),
        told: BTreeMap::new(),
        contradictions: Vec::new(),
    };
    let flow = Flow::new(graph, known()).unwrap();
    // A start is answered before anything else happens.
    let (mut answered, mut ended) = (VecDeque::from([Event::Begun]), VecDeque::new());
    while let Some(event) = answered.pop_front().or_else(|| ended.pop_front()) {
        let (state, steps) =
            advance(&flow, run.state, event, Timestamp::UNIX_EPOCH, &CompareOptions::default());
        run.state = state;
        for step in steps {
            match step {
                Step::Start(start) => {
                    let (started, end) = run.answer(*start);
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
    /// What follows a start: somebody is at work, and ends with an answer.
    fn answer(&mut self, start: Start) -> (Event, Event) {
        let number = self.told.len();
        let worker = Worker::Run { run_id: RunId::new(number), session_id: SessionId::new(number) };
        let answer = answers(&start.node).pop().unwrap();
        self.told.insert(start.node, start.parameters);
        let started = Event::Started { at: start.at, worker: worker.clone() };
        (started, Event::Ended { worker, end: End::Completed(answer) })
    }
}

#[test]
fn what_specialists_contradict_each_other_on_surfaces_before_the_writer() {
    let run = run();
    assert_eq!(run.state.head.status, Status::Completed);
    assert_eq!(run.state.head.output, answers("writer")[1]);
    let surfaced: Vec<_> = run
        .contradictions
        .iter()
        .map(|each| {
            let sides: Vec<_> = each.sides.iter().map(|side| (side.agent.as_str(), &side.value)).collect();
            (each.kind, &each.key["line"], sides)
        })
        .collect();
    let (blocker, minor, cleared) = (json!("blocker"), json!("minor"), json!("cleared"));
    assert_eq!(
        surfaced,
        [
            (
                ContradictionKind::FlaggedAndCleared,
                &json!(11),
                vec![("security", &blocker), ("conventions", &cleared)]
            ),
            (
                ContradictionKind::DifferentValues,
                &json!(16),
                vec![("correctness", &blocker), ("security", &minor)]
            ),
        ]
    );
    assert_eq!(run.told["writer"]["contradictions"], serde_json::to_value(&run.contradictions).unwrap());
    assert_eq!(run.told["writer"]["near_duplicates"].as_array().map(Vec::len), Some(1));
}

/// A replay answers only exactly what was recorded, and the writer is recorded with this input.
#[test]
fn the_writer_was_recorded_with_what_the_workflow_tells_it() {
    let recorded: Value =
        serde_json::from_str(&text("examples/record.d/code-review/writer.input.json")).unwrap();
    // The order of members counts: it is the order in which a model reads them.
    assert_eq!(run().told["writer"].to_string(), recorded.to_string());
}

#[test]
fn a_writer_that_miscounts_breaks_its_contract_and_the_corrected_review_keeps_it() {
    let schema = Schema::compile(&blueprint("writer")["output_schema"]).unwrap();
    let invariants = invariants_of("writer");
    let input = run().told.remove("writer").unwrap();
    let broken: Vec<Vec<String>> = answers("writer")
        .iter()
        .map(|answer| {
            assert!(schema.is_valid(answer), "a schema cannot count: {answer}");
            invariants.check(answer, &input).into_iter().map(|violation| violation.message).collect()
        })
        .collect();
    assert_eq!((broken[0].len(), broken[1].len()), (1, 0), "{broken:?}");
    assert!(
        broken[0][0].contains("counts.blocker must be the number of findings of severity blocker"),
        "{broken:?}"
    );
    for agent in SPECIALISTS {
        assert_eq!(invariants_of(agent).check(&answers(agent)[0], &json!({})), []);
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
