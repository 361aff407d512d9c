//! What lists show of an input, and what a search in them looks at.

use std::borrow::Cow;
use std::fmt;

use accord_json::reserved::NUMBER;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// Characters of a preview: more than a column of a list is wide.
pub const PREVIEW_CHARS: usize = 160;

/// Bytes of an input that are searched. The beginning distinguishes inputs, and every search reads it for thousands of rows.
pub const SEARCHED_BYTES: usize = 4 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InputSummary {
    /// Its values in one line of at most [`PREVIEW_CHARS`] characters; with their names if there are several.
    pub preview: String,
    /// The names that it goes by and its values, in lower case. Without control characters.
    pub searched: String,
}

impl InputSummary {
    /// The summary of an input in JSON text. It is read only as far as it is searched. `names` are found by a search too.
    pub fn of_text(names: &[&str], json: &str) -> Self {
        let mut reader = serde_json::Deserializer::from_str(json);
        Self::read(names, &mut reader)
    }

    /// The same of a value.
    pub fn of_value(names: &[&str], value: &Value) -> Self {
        Self::read(names, value)
    }

    fn read<'de>(names: &[&str], input: impl Deserializer<'de>) -> Self {
        let mut members = Members { all: Vec::new(), left: SEARCHED_BYTES };
        // An error means that enough was read, or that it is not JSON: what was read until then counts.
        let _ = input.deserialize_any(Input(&mut members));
        let mut searched = names.join(" ");
        for (_, text) in &members.all {
            searched.push(' ');
            searched.push_str(text);
        }
        Self { preview: preview(&members.all), searched: folded(&searched) }
    }
}

/// A text as it is compared in a search: lower case, and each stretch of white space and control characters is one blank.
pub fn folded(text: &str) -> String {
    in_one_line(text).to_lowercase()
}

fn in_one_line(text: &str) -> String {
    let words = text.split(|each: char| each.is_whitespace() || each.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn preview(members: &[(String, String)]) -> String {
    let named = |(name, text): &(String, String)| format!("{}: {text}", in_one_line(name));
    let line = match members {
        [(_, text)] => text.clone(),
        several => several.iter().map(named).collect::<Vec<_>>().join(" · "),
    };
    match line.char_indices().nth(PREVIEW_CHARS) {
        None => line,
        Some(_) => line.chars().take(PREVIEW_CHARS - 1).chain(['…']).collect(),
    }
}

/// The members of an object with the values in them; one without a name if the input is not an object.
struct Members {
    all: Vec<(String, String)>,
    /// How much may still be read. Every value takes something of it, so that an input of empty lists comes to an end too.
    left: usize,
}

impl Members {
    fn push<E: serde::de::Error>(&mut self, text: &str) -> Result<(), E> {
        if self.all.is_empty() {
            self.all.push(Default::default());
        }
        let end = text.floor_char_boundary(self.left);
        let (read, rest) = text.split_at(end);
        self.left = self.left.saturating_sub(read.len() + 1);
        if let Some((_, all)) = self.all.last_mut() {
            let line = in_one_line(read);
            if !all.is_empty() && !line.is_empty() {
                all.push(' ');
            }
            all.push_str(&line);
        }
        if self.left == 0 || !rest.is_empty() { Err(E::custom("enough")) } else { Ok(()) }
    }
}

/// Reads an input: the names of its members are kept.
struct Input<'a>(&'a mut Members);

/// Reads a value inside of it.
struct Inner<'a>(&'a mut Members);

impl<'de> DeserializeSeed<'de> for Inner<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

/// The values that are read alike in both places.
macro_rules! leaves {
    () => {
        type Value = ();

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("JSON")
        }

        fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
            self.0.push(if value { "true" } else { "false" })
        }

        fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
            self.0.push(&value.to_string())
        }

        fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
            self.0.push(&value.to_string())
        }

        fn visit_i128<E: serde::de::Error>(self, value: i128) -> Result<(), E> {
            self.0.push(&value.to_string())
        }

        fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<(), E> {
            self.0.push(&value.to_string())
        }

        fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
            self.0.push(&value.to_string())
        }

        fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
            self.0.push(value)
        }

        fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
            self.0.push("")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
            self.0.push::<A::Error>("")?;
            while items.next_element_seed(Inner(self.0))?.is_some() {}
            Ok(())
        }
    };
}

impl<'de> Visitor<'de> for Input<'_> {
    leaves!();

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<Cow<'_, str>>()? {
            let name = if name == NUMBER { String::new() } else { name.into_owned() };
            if name.len() > self.0.left {
                return Err(A::Error::custom("enough"));
            }
            self.0.left -= name.len();
            self.0.all.push((name, String::new()));
            members.next_value_seed(Inner(self.0))?;
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Inner<'_> {
    leaves!();

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        self.0.push::<A::Error>("")?;
        while members.next_key::<Cow<'_, str>>()?.is_some() {
            members.next_value_seed(Inner(self.0))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn preview_of(json: &str) -> String {
        let summary = InputSummary::of_text(&[], json);
        if let Ok(value) = serde_json::from_str::<Value>(json) {
            assert_eq!(InputSummary::of_value(&[], &value).preview, summary.preview, "{json}");
        }
        summary.preview
    }

    #[test]
    fn a_preview_is_one_line_of_values() {
        for (json, expected) in [
            (r#"{"prompt":"Fix the\n  build\u0000\t now "}"#, "Fix the build now"),
            (
                r#"{"subject":"Login","count":12345678901234567890123,"urgent":true}"#,
                "subject: Login · count: 12345678901234567890123 · urgent: true",
            ),
            (r#"{"files":[{"path":"a.rs"},{"path":"b.rs"}],"none":null}"#, "files: a.rs b.rs · none: "),
            (r#"["a",["b",1.50]]"#, "a b 1.50"),
            ("12", "12"),
            ("{}", ""),
            ("null", ""),
            (r#"{"prompt":"cut"#, ""),
        ] {
            assert_eq!(preview_of(json), expected, "{json}");
        }
        let long = preview_of(&json!({"prompt": "ü".repeat(1_000)}).to_string());
        assert_eq!((long.chars().count(), long.ends_with("ü…")), (PREVIEW_CHARS, true));
    }

    #[test]
    fn a_search_sees_names_and_the_beginning_of_the_values() {
        let summary = InputSummary::of_text(&["run_1", "Triage"], r#"{"subject":"ÄRGER","body":"Log\nin"}"#);
        assert_eq!(summary.searched, "run_1 triage ärger log in");
        let large = format!(r#"{{"a":"{}","b":"never"}}"#, "x".repeat(SEARCHED_BYTES));
        let searched = InputSummary::of_text(&[], &large).searched;
        assert!(searched.len() <= SEARCHED_BYTES + 1 && !searched.contains("never"), "{}", searched.len());
    }

    #[test]
    fn an_input_without_words_is_read_to_a_bound() {
        let hollow = format!("[{}\"late\"]", "[],".repeat(SEARCHED_BYTES));
        assert_eq!(InputSummary::of_text(&[], &hollow), InputSummary::default());
    }
}
