//! Names that no object from outside may have.
//!
//! The reader of JSON that everything here uses marks numbers and raw text by objects with a name of its own. An object
//! that came with such a name would be read as what it claims to be: another value than the one that was checked, and as
//! deep as it likes. So these names are refused where values come in, and nothing that is kept has one. The contract
//! engine refuses them in answers by itself.

use std::borrow::Cow;

/// How these names begin.
pub const PREFIX: &str = "$serde_json::private::";

/// So many levels of the way to a name are told. Nobody reads a longer one, and a text may nest as deep as it is long.
const MOST_STEPS: usize = 32;

/// A reserved name, and where it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reserved {
    /// The name.
    pub name: String,
    /// The object that has it, as `parameters.list[0]`; empty for the outermost.
    pub path: String,
}

/// The first reserved name in a JSON text, at any depth. A text that is no JSON is left to whoever reads it.
pub fn find(json: &str) -> Option<Reserved> {
    // Few texts are gone through: a name that begins so without these letters has ASCII letters escaped.
    if !json.contains(PREFIX) && !json.contains("\\u00") {
        return None;
    }
    let mut way = Way::default();
    let mut at = 0;
    while let Some(byte) = json.as_bytes().get(at) {
        let mut next = at + 1;
        match byte {
            b'{' => way.enter(Step::Member("")),
            b'[' => way.enter(Step::Item(0)),
            b'}' | b']' => way.leave(),
            b',' => way.go_on(),
            b'"' => {
                next = end_of_text(json.as_bytes(), at);
                let (text, rest) = (json.get(at..next)?, json.get(next..)?);
                if rest.trim_ascii_start().starts_with(':') {
                    let name = spelled(text);
                    if name.starts_with(PREFIX) {
                        return Some(Reserved { name: name.into_owned(), path: way.around() });
                    }
                    way.name(text);
                }
            }
            _ => {}
        }
        at = next;
    }
    None
}

/// Behind the quotation mark that ends what begins here.
fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A text without its quotation marks and escapes.
fn spelled(text: &str) -> Cow<'_, str> {
    match text.contains('\\') {
        true => Cow::Owned(serde_json::from_str(text).unwrap_or_default()),
        false => Cow::Borrowed(text.trim_matches('"')),
    }
}

/// Where one is inside of an object or a list.
enum Step<'a> {
    /// At the member of this name, as it was written.
    Member(&'a str),
    /// At the item of this number.
    Item(usize),
}

/// The way from the outermost value to where one is.
#[derive(Default)]
struct Way<'a> {
    /// Its beginning.
    steps: Vec<Step<'a>>,
    /// How many steps it has.
    depth: usize,
}

impl<'a> Way<'a> {
    fn enter(&mut self, step: Step<'a>) {
        if self.depth < MOST_STEPS {
            self.steps.push(step);
        }
        self.depth += 1;
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.steps.truncate(self.depth);
    }

    /// The last step, where it is among those that are kept.
    fn last(&mut self) -> Option<&mut Step<'a>> {
        self.steps.get_mut(self.depth.checked_sub(1)?)
    }

    fn go_on(&mut self) {
        if let Some(Step::Item(index)) = self.last() {
            *index += 1;
        }
    }

    fn name(&mut self, text: &'a str) {
        if let Some(Step::Member(name)) = self.last() {
            *name = text;
        }
    }

    /// The way to the object in which one is.
    fn around(&self) -> String {
        let mut path = String::new();
        for step in self.steps.iter().take(self.depth.saturating_sub(1)) {
            match step {
                Step::Member(name) => {
                    path.push_str(if path.is_empty() { "" } else { "." });
                    path.push_str(&spelled(name));
                }
                Step::Item(index) => path.push_str(&format!("[{index}]")),
            }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(json: &str) -> Option<(String, String)> {
        find(json).map(|Reserved { name, path }| (name, path))
    }

    #[test]
    fn reserved_names_are_found_wherever_they_stand() {
        let number = "$serde_json::private::Number";
        for (json, path) in [
            (r#"{"$serde_json::private::Number":"1"}"#, ""),
            (r#"{"a": 1, "$serde_json::private::Number" : "1"}"#, ""),
            (r#"{"\u0024serde_json::private::Number": "1"}"#, ""),
            (r#"{"a": {"b\"": [1, {}, [{"$serde_json:\u003aprivate::Number": "1"}]]}}"#, "a.b\"[2][0]"),
            (r#"[{"k": "v"}, {"ä": [], "x": {"$serde_json::private::Number": 1}}]"#, "[1].x"),
        ] {
            assert_eq!(found(json), Some((number.to_owned(), path.to_owned())), "{json}");
        }
        let other = r#"{"a": {"$serde_json::private::": null}}"#;
        assert_eq!(found(other), Some((PREFIX.to_owned(), "a".to_owned())));
    }

    #[test]
    fn other_names_and_texts_are_free() {
        for json in [
            r#"{"a": "$serde_json::private::Number", "b": ["$serde_json::private::RawValue"]}"#,
            r#"{"a": "{\"$serde_json::private::Number\": \"1\"}"}"#,
            r#"{"serde_json::private::Number": "\u0024", "x$serde_json::private::": 1}"#,
            r#""$serde_json::private::Number""#,
            r#"{"$serde_json::private::Number"#,
            "]]}}, \\u00",
            "\"\\u00",
            "",
        ] {
            assert_eq!(found(json), None, "{json}");
        }
    }

    #[test]
    fn a_long_way_is_told_as_far_as_it_is_kept() {
        let open = r#"{"a":["#.repeat(1_000);
        let path = found(&format!(r#"{open}{{"$serde_json::private::RawValue":"1"}}"#)).unwrap().1;
        assert_eq!(path, format!("a[0]{}", ".a[0]".repeat(MOST_STEPS / 2 - 1)));
    }
}
