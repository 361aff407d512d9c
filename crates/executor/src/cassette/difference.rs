//! Where two JSON values part.

use serde_json::Value;

/// What is shown of a value.
const SHOWN_CHARACTERS: usize = 100;

/// How much of two texts is shown before they differ.
const SHARED_CHARACTERS: usize = 20;

/// The first place where a request differs from the recorded one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) pointer: String,
    pub(super) recorded: String,
    pub(super) asked: String,
}

pub(super) fn first_difference(recorded: &Value, asked: &Value) -> Option<Difference> {
    find(recorded, asked, String::new())
}

fn find(recorded: &Value, asked: &Value, pointer: String) -> Option<Difference> {
    match (recorded, asked) {
        (Value::Object(left), Value::Object(right)) => {
            let added = right.keys().filter(|key| !left.contains_key(*key));
            left.keys().chain(added).find_map(|key| {
                let pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                member(left.get(key), right.get(key), pointer)
            })
        }
        (Value::Array(left), Value::Array(right)) => (0..left.len().max(right.len()))
            .find_map(|index| member(left.get(index), right.get(index), format!("{pointer}/{index}"))),
        (Value::String(left), Value::String(right)) if left != right => {
            let shared = left.chars().zip(right.chars()).take_while(|(one, other)| one == other).count();
            let skip = shared.saturating_sub(SHARED_CHARACTERS);
            Some(Difference { pointer, recorded: part(left, skip), asked: part(right, skip) })
        }
        _ if recorded == asked => None,
        _ => member(Some(recorded), None, pointer)
            .map(|found| Difference { asked: show(Some(asked)), ..found }),
    }
}

fn member(recorded: Option<&Value>, asked: Option<&Value>, pointer: String) -> Option<Difference> {
    match (recorded, asked) {
        (Some(recorded), Some(asked)) => find(recorded, asked, pointer),
        _ => Some(Difference { pointer, recorded: show(recorded), asked: show(asked) }),
    }
}

fn show(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| shorten(&value.to_string()))
}

fn part(text: &str, skip: usize) -> String {
    let rest: String = text.chars().skip(skip).take(SHOWN_CHARACTERS + 1).collect();
    let before = if skip > 0 { "…" } else { "" };
    shorten(&format!("{before}{}", Value::String(rest)))
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= SHOWN_CHARACTERS {
        return text.to_owned();
    }
    text.chars().take(SHOWN_CHARACTERS).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn between(recorded: Value, asked: Value) -> Option<(String, String, String)> {
        first_difference(&recorded, &asked).map(|found| (found.pointer, found.recorded, found.asked))
    }

    #[test]
    fn the_first_difference_is_named() {
        let found = |pointer: &str, recorded: &str, asked: &str| {
            Some((pointer.to_owned(), recorded.to_owned(), asked.to_owned()))
        };
        assert_eq!(between(json!({"a": [1, {}]}), json!({"a": [1, {}]})), None);
        assert_eq!(between(json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1})), None);
        assert_eq!(between(json!({"a/b": [1, 2]}), json!({"a/b": [1, 3]})), found("/a~1b/1", "2", "3"));
        assert_eq!(between(json!({"a": [1]}), json!({"a": [1, 2]})), found("/a/1", "nothing", "2"));
        assert_eq!(between(json!({"a": 1}), json!({})), found("/a", "1", "nothing"));
        assert_eq!(between(json!({}), json!({"b": null})), found("/b", "nothing", "null"));
        assert_eq!(between(json!(1), json!("1")), found("", "1", "\"1\""));
    }

    #[test]
    fn long_texts_are_shown_where_they_differ() {
        let shared = "a".repeat(500);
        let (recorded, asked) = (format!("{shared}old"), format!("{shared}{}", "b".repeat(500)));
        let (_, recorded, asked) = between(json!(recorded), json!(asked)).unwrap();
        assert_eq!(recorded, format!("…\"{}old\"", "a".repeat(20)));
        assert_eq!(asked, format!("…\"{}{}…", "a".repeat(20), "b".repeat(78)));
    }
}
