//! What comparing siblings costs, as Markdown: ten of them, and twice the findings at each step.
//!
//! Two layouts: findings spread over files as in a review, and all of them in one file, one line each. Times are the best
//! of several rounds: a median would show the machine's other work in the ratios.

#![expect(clippy::print_stdout, reason = "the tables are the output")]

use std::time::Duration;

use accord_workflow::compare::{CompareOptions, Sibling, compare};
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
                .map(|(agent, output)| Sibling { agent, schema: &schema, output })
                .collect();
            let options = CompareOptions::default();
            let found = compare(&siblings, &options);
            found.truncated.is_empty().then_some(()).context("the comparison left something out")?;
            let time = best_of(ROUNDS, || compare(&siblings, &options));
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
    println!("Worst ratio for twice the findings: {worst:.2}");
    Ok(())
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
