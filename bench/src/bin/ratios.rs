//! Ratios as Markdown: judging beside bare parsing and validating, and what twice the hostile text costs.

#![expect(clippy::print_stdout, reason = "the tables are the output")]

use std::time::Duration;

use accord_contract::{Answer, Contract, Mode, Schema, judge};
use accord_corpus::HOSTILE;
use anyhow::{Context, Result};
use bench::{best_of, clean, contract, many_definitions, median_of};
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
        let batch = (400 * KIBIBYTE / clean.text.len()).max(3);
        let mut rounds: Vec<[Duration; 3]> = Vec::new();
        for _ in 0..15 {
            rounds.push([
                batch_time(batch, || bare(&clean.text, strict.schema())),
                batch_time(batch, || judge(&Answer::text(&clean.text), &strict)),
                batch_time(batch, || judge(&Answer::text(&clean.text), &lenient)),
            ]);
        }
        let [bare, strict, lenient] = [0, 1, 2].map(|column| {
            let mut times: Vec<Duration> =
                rounds.iter().filter_map(|round| round.get(column).copied()).collect();
            times.sort_unstable();
            microseconds(times.get(times.len() / 2).copied().unwrap_or_default())
        });
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
    serde_json::from_str::<Value>(text).is_ok_and(|value| schema.is_valid(&value))
}

fn batch_time<T>(batch: usize, mut work: impl FnMut() -> T) -> Duration {
    let whole = median_of(1, || (0..batch).for_each(|_| drop(std::hint::black_box(work()))));
    whole / u32::try_from(batch).unwrap_or(u32::MAX)
}

fn definitions() -> Result<()> {
    let document = many_definitions(1_000);
    let compile = median_of(9, || Schema::compile(&document));
    let contract = contract(&document, Mode::Strict)?;
    let text = json!({"p999": {"title": "a", "line": 1, "severity": "low"}}).to_string();
    let judged = batch_time(1_000, || judge(&Answer::text(&text), &contract));
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

/// The best of several: a ratio of medians would show the machine's other work, not ours.
fn milliseconds_to_judge(text: &str, contract: &Contract) -> f64 {
    microseconds(best_of(9, || judge(&Answer::text(text), contract))) / 1_000.0
}

fn microseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
