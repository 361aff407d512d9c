//! The cost of workflows, as Markdown: comparing ten siblings, with twice the findings at each
//! step; and reading, checking and running through a graph, with twice the nodes at each step.
//!
//! Two layouts: findings spread over files as in a review, and all of them in one file, one line each. Times are the best
//! of several rounds: a median would show the machine's other work in the ratios.

#![expect(clippy::print_stdout, reason = "the tables are the output")]

use std::time::Duration;

use accord_contract::Meter;
use accord_domain::id::{RunId, SessionId};
use accord_domain::workflow::{Status, Worker};
use accord_workflow::compare::{CompareOptions, Sibling, compare};
use accord_workflow::{Event, Flow, Known, Signature, State, Step, Takes, TaskOutcome, advance, check, read};
use anyhow::{Context, Result};
use bench::best_of;
use serde_json::{Value, json};

const SIBLINGS: usize = 10;
const SIZES: [usize; 5] = [125, 250, 500, 1_000, 2_000];
const ROUNDS: usize = 7;

/// What findings are made of. Texts differ by their names, as those of a review do.
const KINDS: [&str; 8] = [
    "goes unescaped into the query",
    "is never closed when parsing fails",
    "is held across a network call",
    "panics on an empty list",
    "has no test for its error path",
    "has a name that says nothing",
    "is compared without regard to letter case",
    "is read twice and may change in between",
];
const SEVERITIES: [&str; 4] = ["blocker", "major", "minor", "nit"];

fn main() -> Result<()> {
    let mut worst: f64 = 0.0;
    for (name, layout) in [("200 findings a file", spread as Layout), ("one file", crowded as Layout)] {
        println!("## {SIBLINGS} siblings, {name}\n");
        println!("| findings each | ms | ratio | contradictions | near duplicates | agreements |");
        println!("|---:|---:|---:|---:|---:|---:|");
        let mut before: Option<Duration> = None;
        for size in SIZES {
            let schema = json!({});
            let outputs: Vec<Value> = (0..SIBLINGS).map(|sibling| output(sibling, size, layout)).collect();
            let names: Vec<String> = (0..SIBLINGS).map(|sibling| format!("agent-{sibling}")).collect();
            let siblings: Vec<Sibling<'_>> = names
                .iter()
                .zip(&outputs)
                .map(|(agent, output)| Sibling { agent, schema: &schema, output, is_map: false })
                .collect();
            let options = CompareOptions::default();
            let found = compare(&siblings, &options, &Meter::default())?;
            found.truncated.is_empty().then_some(()).context("the comparison left something out")?;
            let time = best_of(ROUNDS, || compare(&siblings, &options, &Meter::default()));
            let ratio = before.map(|before| time.as_secs_f64() / before.as_secs_f64());
            worst = ratio.into_iter().fold(worst, f64::max);
            println!(
                "| {size} | {:.1} | {} | {} | {} | {} |",
                time.as_secs_f64() * 1e3,
                ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}")),
                found.contradictions.len(),
                found.near_duplicates.len(),
                found.agreements.len()
            );
            before = Some(time);
        }
        println!();
    }
    println!("Worst ratio for twice the findings: {worst:.2}\n");
    graphs()
}

/// Nodes of the graphs. A thousand is what a large one has.
const NODES: [usize; 4] = [250, 500, 1_000, 2_000];

/// Each node has this many upstream nodes.
const FED_BY: usize = 3;

fn graphs() -> Result<()> {
    println!("## A graph of agents, each fed by {FED_BY} others, every tenth edge with a condition\n");
    println!("| nodes | edges | read, ms | checked, ms | made ready, ms | run through, ms |");
    println!("|---:|---:|---:|---:|---:|---:|");
    for size in NODES {
        let document = graph(size);
        let known = known();
        let parsed = || read(&document, &Meter::default()).0.context("the graph cannot be read");
        let found = parsed()?;
        let findings = check(&found, &known, &Meter::default());
        findings.is_empty().then_some(()).with_context(|| format!("{findings:?}"))?;
        let times = [
            best_of(ROUNDS, || read(&document, &Meter::default())),
            best_of(ROUNDS, || check(&found, &known, &Meter::default())),
            best_of(ROUNDS, || Flow::new(found.clone(), known.clone())),
        ];
        let flow = Flow::new(parsed()?, known.clone())?;
        run_through(&flow)?;
        let ran = best_of(3, || run_through(&flow));
        let [read, checked, ready] = times.map(milliseconds);
        let edges = found.edges.len();
        println!("| {size} | {edges} | {read:.1} | {checked:.1} | {ready:.1} | {:.1} |", milliseconds(ran));
    }
    println!("\n\"Run through\" is every decision of a whole run, with all agents answering at once.");
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn known() -> Known {
    let gives = json!({"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]});
    let signature = Signature { takes: Takes::Prompt, gives: Some(gives), fixed: true, description: None };
    Known { agents: [("agent".to_owned(), signature)].into(), ..Known::default() }
}

fn graph(size: usize) -> Value {
    let mut nodes = serde_json::Map::from_iter([("input".to_owned(), json!({"type": "input"}))]);
    let mut edges = Vec::new();
    for index in 0..size {
        let id = format!("n{index}");
        let first = index.saturating_sub(FED_BY);
        let feeds: Vec<String> = (first..index).map(|index| format!("n{index}")).collect();
        let prompt: String = feeds.iter().map(|feed| format!("{{{{ {feed}.x }}}} ")).collect();
        nodes.insert(
            id.clone(),
            json!({"type": "agent", "agent": "agent", "prompt": format!("Go on. {prompt}")}),
        );
        if feeds.is_empty() {
            edges.push(json!({"from": "input", "to": id}));
        }
        for feed in feeds {
            edges.push(match edges.len() % 10 {
                0 => json!({"from": feed, "to": id, "when": "output.x >= 0"}),
                _ => json!({"from": feed, "to": id}),
            });
        }
    }
    nodes.insert("output".to_owned(), json!({"type": "output"}));
    edges.push(json!({"from": format!("n{}", size - 1), "to": "output"}));
    json!({"name": "large", "nodes": nodes, "edges": edges})
}

/// Every decision of a whole run. Each agent answers as soon as it is started.
fn run_through(flow: &Flow) -> Result<()> {
    let now = jiff::Timestamp::UNIX_EPOCH;
    let options = CompareOptions::default();
    let mut state = State::new(flow.graph(), json!({}));
    let mut events = vec![Event::Begun];
    let mut number = 0_u32;
    while let Some(event) = events.pop() {
        let (next, steps) = advance(flow, state, event, now, &options, &Meter::default());
        state = next;
        for step in steps {
            if let Step::Start(start) = step {
                number += 1;
                let worker = Worker::Run { run_id: RunId::new(number), session_id: SessionId::new(number) };
                events.push(Event::Ended {
                    worker: worker.clone(),
                    end: TaskOutcome::Completed(json!({"x": number})),
                });
                events.push(Event::Started { at: start.at, worker });
            }
        }
    }
    let status = state.head.status;
    (status == Status::Completed).then_some(()).with_context(|| format!("the run is {status}"))
}

/// The file and the line of a finding.
type Layout = fn(sibling: usize, index: usize) -> (String, usize);

/// Most siblings see most places, some a line or two away.
fn spread(sibling: usize, index: usize) -> (String, usize) {
    (format!("src/module_{}/part.rs", index / 200), index % 200 * 4 + sibling % 3)
}

fn crowded(sibling: usize, index: usize) -> (String, usize) {
    ("src/everything.rs".to_owned(), index * 2 + sibling % 2)
}

fn output(sibling: usize, size: usize, layout: Layout) -> Value {
    let finding = |index: usize| {
        let (file, line) = layout(sibling, index);
        let pick = |choices: &'static [&'static str], salt: usize| {
            choices.get((index * 7 + sibling * salt) % choices.len()).copied().unwrap_or_default()
        };
        let description = format!("The value of `field_{}` {}", index % 97, pick(&KINDS, index % 2));
        json!({"file": file, "line": line, "severity": pick(&SEVERITIES, index % 3), "description": description})
    };
    json!({"findings": (0..size).map(finding).collect::<Vec<_>>()})
}
