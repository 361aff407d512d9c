//! Which items of an array are equal.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::super::quote;

/// Items among which equal pairs are searched; the verdict does not depend on it.
const COMPARED: usize = 10_000;

pub(super) fn wording(value: &Value) -> String {
    let mut first_seen: HashMap<String, usize> = HashMap::new();
    for (index, item) in value.as_array().into_iter().flatten().take(COMPARED).enumerate() {
        let mut form = String::new();
        canonical(&mut form, item);
        if let Some(earlier) = first_seen.insert(form, index) {
            let item = quote::value(item);
            return format!("expected unique items, but items {earlier} and {index} are equal: {item}");
        }
    }
    "expected unique items, but two items are equal".to_owned()
}

/// The same text for values that are equal as JSON: members sorted, whole numbers written alike.
fn canonical(text: &mut String, value: &Value) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for item in items {
                canonical(text, item);
                text.push(',');
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_unstable_by_key(|(name, _)| *name);
            text.push('{');
            for (name, member) in sorted {
                let _ = write!(text, "{name:?}:");
                canonical(text, member);
                text.push(',');
            }
            text.push('}');
        }
        Value::Number(number) => {
            let written = number.to_string();
            let whole = written.split_once('.').filter(|(_, rest)| rest.bytes().all(|digit| digit == b'0'));
            text.push_str(whole.map_or(written.as_str(), |(whole, _)| whole));
        }
        _ => {
            let _ = write!(text, "{value}");
        }
    }
}
