//! Judging clean and hostile answers, for `cargo bench`.

use accord_contract::Meter;
use accord_contract::{Answer, Mode, Schema, Verdict, judge};
use accord_corpus::HOSTILE;
use divan::{Bencher, black_box};
use serde_json::{Value, json};

fn main() {
    divan::main();
}

const MODES: [Mode; 2] = [Mode::Strict, Mode::Lenient];

#[divan::bench(args = 0..3)]
fn parse_and_validate(bencher: Bencher<'_, '_>, size: usize) {
    let Some(clean) = bench::clean().into_iter().nth(size) else { return };
    let Ok(schema) = Schema::compile(&clean.schema, &Meter::default()) else { return };
    bencher.bench(|| {
        serde_json::from_str::<Value>(&clean.text)
            .is_ok_and(|value| schema.accepts(&value, &Meter::default()))
    });
}

#[divan::bench(args = 0..3)]
fn judge_clean(bencher: Bencher<'_, '_>, size: usize) {
    let Some(clean) = bench::clean().into_iter().nth(size) else { return };
    let Ok(contract) = bench::contract(&clean.schema, Mode::Strict) else { return };
    bencher.bench(|| judge(&Answer::text(black_box(&clean.text)), &contract, &Meter::default()));
}

#[divan::bench(args = HOSTILE.iter().map(|hostile| hostile.name), consts = [0, 1])]
fn judge_hostile<const MODE: usize>(bencher: Bencher<'_, '_>, name: &str) {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
    let Some(mode) = MODES.get(MODE) else { return };
    let Some(hostile) = HOSTILE.iter().find(|hostile| hostile.name == name) else { return };
    let Ok(contract) = bench::contract(&schema, *mode) else { return };
    let text = hostile.text(64 * 1024);
    bencher.bench(|| -> Verdict { judge(&Answer::text(black_box(&text)), &contract, &Meter::default()) });
}
