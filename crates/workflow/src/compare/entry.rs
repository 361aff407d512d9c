//! One entry of one sibling, made comparable.

use std::cmp::Ordering;

use accord_contract::Decimal;
use accord_domain::comparison::{Key, Side};
use serde_json::Value;

use super::location::Lines;
use super::rule::Clearing;

/// An entry of a list. Entries are sorted by content, so that nothing depends on the order of siblings.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) sibling: usize,
    pub(super) agent: String,
    pub(super) pointer: String,
    /// The family of lists that it is compared within.
    pub(super) family: String,
    /// The key without its line, made comparable.
    pub(super) place: String,
    /// If both the key and the entry have a line.
    pub(super) lines: Option<Lines>,
    /// Whether the key is whole: only then is it the same as another.
    pub(super) exact: bool,
    pub(super) key: Key,
    pub(super) line_name: Option<String>,
    /// Values that may conflict. For an entry that clears, the word by which it does.
    pub(super) values: Vec<Conflicting>,
    pub(super) text: Option<String>,
    pub(super) clearing: Option<Clearing>,
}

#[derive(Debug, Clone)]
pub(super) struct Conflicting {
    pub(super) field: String,
    pub(super) value: Value,
    pub(super) same: String,
}

impl Entry {
    /// The order of entries: by location, then by content, then by agent.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        // Of two pointers into one list, the shorter one has the smaller index.
        self.compare_content(other)
            .then_with(|| self.agent.cmp(&other.agent))
            .then_with(|| self.pointer.len().cmp(&other.pointer.len()))
            .then_with(|| self.pointer.cmp(&other.pointer))
    }

    pub(super) fn has_same_content(&self, other: &Self) -> bool {
        self.compare_content(other) == Ordering::Equal
    }

    pub(super) fn has_same_values(&self, other: &Self) -> bool {
        self.comparable_values().eq(other.comparable_values())
    }

    fn comparable_values(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|value| (value.field.as_str(), value.same.as_str()))
    }

    fn compare_content(&self, other: &Self) -> Ordering {
        fn word(entry: &Entry) -> Option<&str> {
            entry.clearing.as_ref().map(|clearing| clearing.word.as_str())
        }
        (self.family.cmp(&other.family))
            .then_with(|| self.place.cmp(&other.place))
            .then_with(|| (self.lines, self.exact).cmp(&(other.lines, other.exact)))
            .then_with(|| self.text.cmp(&other.text))
            .then_with(|| self.comparable_values().cmp(other.comparable_values()))
            .then_with(|| word(self).cmp(&word(other)))
    }

    /// Whether its key is a file and a line: such entries meet whatever their lists are called.
    pub(super) fn is_place(&self) -> bool {
        self.family.is_empty()
    }

    fn side(&self, field: &str) -> Side {
        let found = self.values.iter().find(|value| value.field == field);
        Side {
            agent: self.agent.clone(),
            pointer: self.pointer.clone(),
            value: found.map(|found| found.value.clone()).unwrap_or_default(),
            text: self.text.clone(),
            key: None,
        }
    }

    /// Its side of a contradiction, with its own key if that is not the common one.
    pub(super) fn side_at(&self, field: &str, common: &Key) -> Side {
        Side { key: (self.key != *common).then(|| self.key.clone()), ..self.side(field) }
    }
}

/// A value as a text that is the same for equal values: letter case, outer blanks, `1.0` and the order of members make no
/// difference.
pub(super) fn comparable(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{:?}", text.trim().to_lowercase()),
        Value::Number(number) => match Decimal::of_number(number) {
            Some(decimal) => decimal.whole().map_or_else(|| decimal.to_string(), |whole| whole.to_string()),
            None => number.as_str().to_owned(),
        },
        Value::Array(items) => format!("[{}]", items.iter().map(comparable).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let mut members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name:?}:{}", comparable(value))).collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        Value::Null | Value::Bool(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_values_in_different_spellings_are_equal() {
        for (one, other) in [
            (json!("High"), json!(" high ")),
            (json!(1), json!(1.0)),
            (json!(0), json!(-0.0)),
            (json!(0.5), serde_json::from_str("5e-1").unwrap()),
            (json!({"a": 1, "b": [true]}), json!({"b": [true], "a": 1.0})),
        ] {
            assert_eq!(comparable(&one), comparable(&other));
        }
        for (one, other) in [
            (json!("1"), json!(1)),
            (json!(9_007_199_254_740_993_i64), json!(9_007_199_254_740_992_i64)),
            (json!(null), json!("null")),
            (json!(["a", "b"]), json!(["a\",\"b"])),
        ] {
            assert_ne!(comparable(&one), comparable(&other));
        }
    }
}
