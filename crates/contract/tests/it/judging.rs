//! Helpers that judge a text by a schema, used by nearly every test.

use accord_contract::Meter;
use accord_contract::{Answer, Contract, Mode, Options, Rejected, Schema, Verdict, judge};
use proptest::test_runner::Config as ProptestConfig;
use serde_json::Value;

/// The number of cases of a property test; `PROPTEST_CASES` sets another number.
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual);
    ProptestConfig { cases, max_global_rejects: cases.max(1024), ..ProptestConfig::default() }
}

pub(crate) fn contract(document: &Value, mode: Mode) -> Contract {
    let schema = Schema::compile(document, &Meter::default()).expect("the schema compiles");
    Contract::new(schema).with_options(Options { mode, ..Options::default() })
}

pub(crate) fn value(contract: &Contract, text: &str) -> Option<Value> {
    match judge(&Answer::text(text), contract, &Meter::default()) {
        Verdict::Accepted(accepted) => Some(accepted.value),
        Verdict::Rejected(_) => None,
    }
}

pub(crate) fn rejected(contract: &Contract, text: &str) -> Rejected {
    match judge(&Answer::text(text), contract, &Meter::default()) {
        Verdict::Rejected(rejected) => rejected,
        Verdict::Accepted(accepted) => panic!("{text:?} was accepted as {}", accepted.value),
    }
}
