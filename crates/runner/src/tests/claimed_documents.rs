//! The documents of a claimed run, as read by the runner.

use accord_api::ClaimedRun;
use serde_json::value::RawValue;

use super::fake::claim;
use crate::{Assignment, Known};

#[test]
fn numbers_are_passed_on_unchanged() {
    let written = "[18446744073709551616,-1180591620717411303424,340282366920938463463374607431768211456,1e+400,1.10,-0]";
    let raw = || RawValue::from_string(format!(r#"{{"v":{written}}}"#)).unwrap();
    let claim =
        ClaimedRun { parameters: raw(), conversation: Some(raw()), input: Some(raw()), ..claim("1", "p") };
    let Assignment { parameters, conversation, input, .. } =
        Assignment::read(&claim, &Known::default(), "here", &accord_contract::Meter::default()).unwrap();
    for document in [parameters, conversation.unwrap(), input] {
        assert_eq!(document["v"].to_string(), written);
    }
}
