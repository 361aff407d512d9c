//! Whatever a schema and a value say: where the schema compiles, judging by it ends, and what is accepted conforms.

#![no_main]

use accord_contract::Meter;
use accord_contract::lint::lint;
use accord_contract::{Answer, Contract, Mode, Options, Schema, Verdict, judge};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    // A schema, a line break, and the text that is judged by it.
    let text = String::from_utf8_lossy(bytes);
    let Some((schema, answer)) = text.split_once('\n') else { return };
    let Ok(document) = serde_json::from_str::<Value>(schema) else { return };
    let Ok(schema) = Schema::compile(&document, &Meter::default()) else { return };
    lint(&schema, &Meter::default());
    let independent = Schema::compile(&document, &Meter::default()).expect("it has compiled once");
    let options = Options { mode: Mode::Lenient, ..Options::default() };
    let contract = Contract::new(schema).with_options(options);
    if let Verdict::Accepted(accepted) = judge(&Answer::text(answer), &contract, &Meter::default()) {
        assert!(independent.accepts(&accepted.value, &Meter::default()), "{} does not conform", accepted.value);
    }
});
