//! How the entries of a list are compared.

use serde_json::Value;

/// The members of an entry that matter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Rule {
    pub(super) key: Vec<String>,
    pub(super) conflict: Vec<String>,
    /// The texts, joined; without `x-text`, the first of the usual names that is present.
    pub(super) text: Option<Vec<String>>,
    /// Whether the schema has annotations. Without them, a list is compared only if its entries look like findings.
    pub(super) told: bool,
    /// Whether the schema has `x-key`: then its values count even if they are not files and lines.
    pub(super) told_key: bool,
}

/// What a member of a key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    File,
    Line,
    Other,
}

const KEY: [&str; 2] = ["file", "line"];
const CONFLICT: [&str; 1] = ["severity"];

/// Usual names of the text of a finding, the most specific first.
const TEXTS: [&str; 9] =
    ["description", "message", "text", "detail", "details", "comment", "title", "summary", "reason"];

/// Names of lists that clear places.
const CLEARING_LISTS: [&str; 3] = ["praise", "cleared", "strengths"];
/// Words by which an entry clears a place.
const CLEARING_WORDS: [&str; 3] = ["praise", "cleared", "ok"];
/// Words of general praise: without a line they clear nothing.
const PRAISING: [&str; 2] = ["praise", "strengths"];

impl Rule {
    /// The rule for a list by the schemas that describe it and its items. Annotations that are not a name or a list of names are
    /// ignored.
    pub(super) fn of<'s>(schemas: impl Iterator<Item = &'s Value>) -> Self {
        let (mut key, mut conflict, mut text) = (None, None, None);
        for schema in schemas {
            key = key.or_else(|| schema.get("x-key").and_then(names));
            conflict = conflict.or_else(|| schema.get("x-conflict").and_then(names));
            text = text.or_else(|| schema.get("x-text").and_then(names));
        }
        let told = key.is_some() || conflict.is_some() || text.is_some();
        let told_key = key.is_some();
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            key: key.unwrap_or_else(|| owned(&KEY)),
            conflict: conflict.unwrap_or_else(|| owned(&CONFLICT)),
            text,
            told,
            told_key,
        }
    }

    /// Whether the key is a file and a line, under any names.
    pub(super) fn is_place(&self) -> bool {
        let roles: Vec<Role> = self.key.iter().map(|name| role(name)).collect();
        matches!(roles.as_slice(), [Role::File, Role::Line] | [Role::Line, Role::File])
    }

    pub(super) fn text_of(&self, entry: &Value) -> Option<String> {
        let read = |name: &str| member(entry, name)?.as_str().map(str::trim).filter(|text| !text.is_empty());
        match &self.text {
            None => TEXTS.iter().find_map(|name| read(name)).map(str::to_owned),
            Some(names) => {
                let texts: Vec<&str> = names.iter().filter_map(|name| read(name)).collect();
                (!texts.is_empty()).then(|| texts.join("\n"))
            }
        }
    }

    /// The word by which an entry clears its place: its own, or the name of its list.
    pub(super) fn clearing(&self, entry: &Value, list: &str) -> Option<Clearing> {
        let says = |name: &str| {
            let word = member(entry, name)?.as_str()?.trim().to_lowercase();
            CLEARING_WORDS.contains(&word.as_str()).then_some(word)
        };
        let own = self.conflict.iter().map(String::as_str).chain(["kind", "type", "severity"]).find_map(says);
        let list = list.to_lowercase();
        let word = own.or_else(|| CLEARING_LISTS.contains(&list.as_str()).then_some(list))?;
        Some(Clearing { needs_line: PRAISING.contains(&word.as_str()), word })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clearing {
    pub(super) word: String,
    /// Whether it clears nothing without a line.
    pub(super) needs_line: bool,
}

/// What a member of a key means, by its name.
pub(super) fn role(name: &str) -> Role {
    match name.rsplit('.').next().unwrap_or(name) {
        "file" | "path" | "filename" | "file_path" | "file_name" => Role::File,
        "line" | "lines" | "line_number" | "start_line" | "line_start" => Role::Line,
        _ => Role::Other,
    }
}

/// A member by its name, or by names with dots between them. Null counts as absent.
pub(super) fn member<'v>(entry: &'v Value, name: &str) -> Option<&'v Value> {
    let found = entry.get(name).or_else(|| name.split('.').try_fold(entry, |value, step| value.get(step)));
    found.filter(|value| !value.is_null())
}

fn names(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(name) => Some(vec![name.clone()]),
        Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn invalid_annotations_are_ignored() {
        let told = Rule::of([json!({"x-key": "id", "x-conflict": ["status", "owner"]})].iter());
        assert_eq!(told.key, ["id"]);
        assert_eq!(told.conflict, ["status", "owner"]);
        assert!(told.told && !told.is_place());
        let nonsense = Rule::of([json!({"x-key": 5, "x-text": [1]}), json!(true)].iter());
        assert_eq!(nonsense, Rule::of([].iter()));
        assert!(nonsense.is_place() && !nonsense.told);
    }

    #[test]
    fn texts_are_found_under_their_usual_names() {
        let rule = Rule::of([].iter());
        let of = |entry: Value| rule.text_of(&entry);
        assert_eq!(of(json!({"title": "a", "message": " b "})).as_deref(), Some("b"));
        assert_eq!(of(json!({"description": "", "title": "a"})).as_deref(), Some("a"));
        assert_eq!(of(json!({"description": 5})), None);
        let joined = Rule::of([json!({"x-text": ["title", "why.short"]})].iter());
        assert_eq!(joined.text_of(&json!({"title": "a", "why": {"short": "b"}})).as_deref(), Some("a\nb"));
    }

    #[test]
    fn the_list_or_the_entry_clears() {
        let rule = Rule::of([].iter());
        let word = |entry: Value, list| rule.clearing(&entry, list).map(|clearing| clearing.word);
        assert_eq!(word(json!({}), "findings"), None);
        assert_eq!(word(json!({}), "Praise").as_deref(), Some("praise"));
        assert_eq!(word(json!({"severity": "OK"}), "findings").as_deref(), Some("ok"));
        assert_eq!(word(json!({"type": "cleared"}), "strengths").as_deref(), Some("cleared"));
    }
}
