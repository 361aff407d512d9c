//! Objects and lists that are written in a string.

use serde_json::Value;

use super::search::{Offer, Reading, Search, Start};
use crate::parse;
use crate::verdict::RepairKind;

/// The object or list that a text is, as JSON writes it, or Python. Any other damage may be meant: it is in a string.
pub(crate) fn written(text: &str) -> Option<Value> {
    let start = text.len() - text.trim_start().len();
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    if let Ok(value) = parse::whole(text) {
        return Some(value);
    }
    let mut conform = |value: &Value, _| Some(Offer { value: value.clone(), repairs: Vec::new() });
    match Search::new(text).read(Start { at: start, to_the_end: true }, &mut conform) {
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
    fn json_and_python_are_read() {
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
    fn other_damage_is_not_mended_in_a_string() {
        for text in
            ["['a', 'b'", "{a: 1}", "[a, b]", "['a' 'b']", "['a',]", "['it's']", "{'a': 1} or so", "'a'", ""]
        {
            assert_eq!(written(text), None, "{text}");
        }
    }
}
