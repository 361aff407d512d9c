//! Values in messages: shortened to one line and escaped.

use serde_json::Value;

use super::escape::{SHOWN, push_shortened, quoted};
use super::nearest;

/// How many members of a list are named before the rest is only counted.
pub(crate) const LISTED: usize = 12;

/// How many of a long list of options are looked at to find the nearest.
const COMPARED: usize = 2_000;

/// A value on one line, as JSON: `"critical"`, `-5`, `["a", 1]`, `{"id": 7}`.
pub(crate) fn value(value: &Value) -> String {
    let mut text = String::new();
    push(&mut text, value);
    text
}

fn push(text: &mut String, value: &Value) {
    if text.chars().count() > SHOWN {
        text.push('…');
        return;
    }
    match value {
        Value::String(string) => {
            let room = SHOWN.saturating_sub(text.chars().count()).max(8);
            text.push('"');
            push_shortened(text, string, '"', room);
            text.push('"');
        }
        Value::Number(number) => push_shortened(text, &number.to_string(), '"', SHOWN),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(text, index);
                if is_full(text) {
                    break;
                }
                push(text, item);
            }
            text.push(']');
        }
        Value::Object(members) => {
            text.push('{');
            for (index, (name, member)) in members.iter().enumerate() {
                separate(text, index);
                if is_full(text) {
                    break;
                }
                text.push('"');
                push_shortened(text, name, '"', SHOWN);
                text.push_str("\": ");
                push(text, member);
            }
            text.push('}');
        }
        Value::Null | Value::Bool(_) => text.push_str(&value.to_string()),
    }
}

fn separate(text: &mut String, index: usize) {
    if index > 0 {
        text.push_str(", ");
    }
}

/// Marks the cut when there is no room for another part.
fn is_full(text: &mut String) -> bool {
    let full = text.chars().count() > SHOWN;
    if full {
        text.push('…');
    }
    full
}

/// Options as a list, all of them or those nearest to the offending value: `"low", "medium", "high"`.
pub(crate) fn options(options: &[&Value], offending: &Value) -> String {
    let mut listed: Vec<&Value> = options.to_vec();
    if options.len() > LISTED {
        listed.truncate(COMPARED);
        if let Value::String(text) = offending {
            listed.sort_by_cached_key(|option| match option {
                Value::String(candidate) => nearest::distance(text, candidate),
                _ => usize::MAX,
            });
        }
        listed.truncate(LISTED);
    }
    let parts: Vec<String> = listed.iter().map(|option| value(option)).collect();
    match options.len() - parts.len() {
        0 => parts.join(", "),
        more => format!("{} and {more} more", parts.join(", ")),
    }
}

/// Names in quotes, the first few and how many more there are: `'a', 'b' and 3 more`.
pub(crate) fn names<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let total = names.len();
    let listed: Vec<String> = names.take(LISTED).map(quoted).collect();
    match total - listed.len() {
        0 => listed.join(", "),
        more => format!("{} and {more} more", listed.join(", ")),
    }
}

/// `1 item`, `2 items`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_shown_on_one_short_line() {
        assert_eq!(value(&json!({"a": [1, "b", null, true]})), r#"{"a": [1, "b", null, true]}"#);
        assert_eq!(value(&json!("x\n")), r#""x\n""#);
        let long = value(&json!(vec!["abcdefgh"; 100]));
        assert_eq!(long, r#"["abcdefgh", "abcdefgh", "abcdefgh", "abcdefgh", "abcdefgh", …]"#);
    }

    #[test]
    fn a_deep_value_is_cut_with_its_brackets_closed() {
        let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
        let listed = value(&deep);
        assert!(listed.contains('…'), "{listed}");
        assert!(listed.chars().count() < 140, "{listed}");
    }

    #[test]
    fn a_long_list_of_options_shows_the_nearest_first() {
        let all: Vec<Value> = (0..200).map(|index| json!(format!("option-{index}"))).collect();
        let options = super::options(&all.iter().collect::<Vec<_>>(), &json!("optoin-123"));
        assert!(options.starts_with("\"option-123\", "), "{options}");
        assert!(options.ends_with("\" and 188 more"), "{options}");
    }
}
