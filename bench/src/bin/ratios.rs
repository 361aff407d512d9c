//! Ratios as Markdown: judging beside bare parsing and validating, and what twice the hostile text costs.
//!
//! Times are the best of several rounds: a median would show the machine's other work in the ratios.

#![expect(clippy::print_stdout, reason = "the tables are the output")]

use accord_contract::Meter;
use std::time::Duration;

use accord_contract::{Answer, Contract, Mode, Schema, judge};
use accord_corpus::HOSTILE;
use anyhow::{Context, Result};
use bench::{best_of, clean, contract, many_definitions};
use serde_json::{Value, json};

const KIBIBYTE: usize = 1024;
const SIZES: [usize; 3] = [256 * KIBIBYTE, 512 * KIBIBYTE, 1024 * KIBIBYTE];

fn main() -> Result<()> {
    clean_answers()?;
    definitions()?;
    for mode in [Mode::Strict, Mode::Lenient] {
        hostile_answers(mode)?;
    }
    Ok(())
}

/// Batches take turns, so that a change of the machine's pace meets both.
fn clean_answers() -> Result<()> {
    println!("## Clean answers\n");
    println!("| answer | bytes | parse + validate µs | judge strict µs | ratio | judge lenient µs | ratio |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for clean in clean() {
        let strict = contract(&clean.schema, Mode::Strict)?;
        let lenient = contract(&clean.schema, Mode::Lenient)?;
        let batch = (200 * KIBIBYTE / clean.text.len()).max(1);
        let mut best = [Duration::MAX; 3];
        for _ in 0..25 {
            let round = [
                batch_time(batch, || bare(&clean.text, strict.schema())),
                batch_time(batch, || judge(&Answer::text(&clean.text), &strict, &Meter::default())),
                batch_time(batch, || judge(&Answer::text(&clean.text), &lenient, &Meter::default())),
            ];
            best.iter_mut().zip(round).for_each(|(best, time)| *best = time.min(*best));
        }
        let [bare, strict, lenient] = best.map(microseconds);
        println!(
            "| {} | {} | {bare:.1} | {strict:.1} | {:.2} | {lenient:.1} | {:.2} |",
            clean.name,
            clean.text.len(),
            strict / bare,
            lenient / bare
        );
    }
    Ok(())
}

fn bare(text: &str, schema: &Schema) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| schema.accepts(&value, &Meter::default()))
}

fn batch_time<T>(batch: usize, mut work: impl FnMut() -> T) -> Duration {
    let whole = best_of(1, || (0..batch).for_each(|_| drop(std::hint::black_box(work()))));
    whole / u32::try_from(batch).unwrap_or(u32::MAX)
}

fn definitions() -> Result<()> {
    let document = many_definitions(1_000);
    let compile = best_of(15, || Schema::compile(&document, &Meter::default()));
    let contract = contract(&document, Mode::Strict)?;
    let text = json!({"p999": {"title": "a", "line": 1, "severity": "low"}}).to_string();
    let judged = batch_time(1_000, || judge(&Answer::text(&text), &contract, &Meter::default()));
    println!("\n## A schema with 1,000 definitions\n");
    println!("| step | µs |\n|---|---:|");
    println!(
        "| compile | {:.0} |\n| judge a small answer | {:.1} |",
        microseconds(compile),
        microseconds(judged)
    );
    Ok(())
}

fn hostile_answers(mode: Mode) -> Result<()> {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"],
        "additionalProperties": false});
    let contract = contract(&schema, mode)?;
    println!("\n## Hostile answers, {mode:?}\n");
    println!("| text | 256 KiB ms | 512 KiB ms | 1 MiB ms | ratio | ratio |");
    println!("|---|---:|---:|---:|---:|---:|");
    let mut worst: f64 = 0.0;
    for hostile in HOSTILE {
        let times = SIZES.map(|size| milliseconds_to_judge(&hostile.text(size), &contract));
        let [first, second, third] = times;
        let ratios = [second / first, third / second];
        worst = ratios.iter().copied().fold(worst, f64::max);
        let [to_half, to_whole] = ratios;
        println!(
            "| {} | {first:.2} | {second:.2} | {third:.2} | {to_half:.2} | {to_whole:.2} |",
            hostile.name
        );
    }
    Some(worst).filter(|worst| worst.is_finite()).context("a time was zero")?;
    println!("\nWorst ratio for twice the text: {worst:.2}");
    Ok(())
}

fn milliseconds_to_judge(text: &str, contract: &Contract) -> f64 {
    microseconds(best_of(15, || judge(&Answer::text(text), contract, &Meter::default()))) / 1_000.0
}

fn microseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
