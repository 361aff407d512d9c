//! Our side of the comparison with peers: the best time for each case of a corpus, as JSON lines.
//!
//! Usage: `judge_cases FILE REPETITIONS`. The schema is compiled once a case, outside the timing.

#![expect(clippy::print_stdout, reason = "the lines are the output")]

use accord_contract::Meter;
use accord_contract::{Answer, Verdict, judge};
use anyhow::{Context, Result};
use bench::best_of;
use serde_json::json;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().context("which corpus file?")?;
    let repetitions = arguments.next().context("how many repetitions?")?.parse()?;
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))?;
    for case in accord_corpus::parse(&text)? {
        let contract = case.contract().with_context(|| case.id.clone())?;
        let answer = Answer::text(&case.text);
        let time = best_of(repetitions, || judge(&answer, &contract, &Meter::default()));
        let mut line = json!({"id": case.id, "microseconds": time.as_secs_f64() * 1e6});
        if let (Verdict::Accepted(accepted), Some(members)) =
            (judge(&answer, &contract, &Meter::default()), line.as_object_mut())
        {
            members.insert("value".to_owned(), accepted.value);
        }
        println!("{line}");
    }
    Ok(())
}
