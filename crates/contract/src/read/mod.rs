//! Reading damaged JSON: the cheapest reading that conforms.
//!
//! Damage has more than one reading: a quote inside a string may end it or not. So this is a search and not a pass with
//! rules of thumb. A state is a position with the stack of open containers, and each step reads one token. A step that
//! assumes damage has a cost. States are expanded cheapest first, complete readings are offered to the contract in that
//! order, and the first that conforms wins. If a rival of about the same cost conforms with another value, the text is
//! ambiguous.
//!
//! No step skips a byte: every event carries its range, and `build` refuses a reading in which something other than space
//! and comments is between two events. What an event may consume is the closed list of repairs.
//!
//! The search is bounded by steps and by bytes looked at, both in proportion to the text. Beyond them it refuses.

mod bare;
mod bracket;
mod build;
mod escaped;
mod search;
mod state;
mod step;
mod string;

use serde_json::Value;

pub(crate) use build::Built;
pub(crate) use escaped::{Escaped, escaped};
pub(crate) use search::{Offer, Reading, Search};

use crate::parse;
use crate::repair::RepairKind;

/// The object or list that a string holds, as JSON or Python writes it. Any other damage may be meant: it is in a string.
pub(crate) fn written(text: &str) -> Option<Value> {
    let start = text.len() - text.trim_start().len();
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    if let Ok(value) = parse::whole(text) {
        return Some(value);
    }
    let mut conform = |built: &Built, end: usize| {
        let is_whole = text.get(end..).is_some_and(|rest| rest.trim().is_empty());
        is_whole.then(|| Offer { value: built.value.clone(), repairs: Vec::new() })
    };
    match Search::new(text).read(start, text.len(), &mut conform) {
        Reading::Conforming { value, repairs, .. } => repairs
            .iter()
            .all(|repair| matches!(repair.kind, RepairKind::Quotes | RepairKind::Literal))
            .then_some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::written;

    #[test]
    fn json_and_python_in_a_string_are_read() {
        for (text, expected) in [
            (r#" {"a": [1]} "#, json!({"a": [1]})),
            ("['a', \"it's\", 'say \"no\"']", json!(["a", "it's", "say \"no\""])),
            ("{'a': None, 'b': True, 'c': {'d': -1.5}}", json!({"a": null, "b": true, "c": {"d": -1.5}})),
            ("[]", json!([])),
        ] {
            assert_eq!(written(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_damage_in_a_string_is_not_repaired() {
        for text in ["['a', 'b'", "{a: 1}", "[a, b]", "['a' 'b']", "['a',]", "{'a': 1} or so", "'a'", ""] {
            assert_eq!(written(text), None, "{text}");
        }
    }
}
