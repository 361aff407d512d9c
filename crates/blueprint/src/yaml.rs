//! Reads YAML as a JSON value with the position of each part, and writes it.
//!
//! `yes` and `on` are strings, `true` is a boolean; a duplicate key is an error; expanding aliases is limited.
//!
//! Numbers keep their digits, as in JSON. The library parses to 64 bits, so a floating-point number is read again from the
//! text of the file.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;

use accord_contract::JsonPath;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Number, Value};
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};
use serde_saphyr::{Location, Spanned};

use crate::document::{MAX_DEPTH, MemberPosition, ParseError, Position};
use crate::write_error::WriteError;

/// Maximum values that aliases may add. People share a handful of definitions.
const MAX_ALIASED_EVENTS: usize = 100_000;

/// Maximum bytes of all strings with aliases expanded. A file with one long string and a thousand aliases to it would fill
/// the memory otherwise.
const MAX_TEXT_BYTES: usize = 16 * 1024 * 1024;

thread_local! {
    /// Bytes of the strings read so far by this thread, because visitors cannot share a counter otherwise.
    static TEXT_BYTES: Cell<usize> = const { Cell::new(0) };
}

/// Reading and writing recurse, so the stack must fit the deepest document in an unoptimised build.
const STACK_BYTES: usize = 32 * 1024 * 1024;

/// Reads a document.
pub(crate) fn read(text: &str) -> Result<(Value, HashMap<String, MemberPosition>), ParseError> {
    let no_thread = || ParseError {
        path: "$".to_owned(),
        message: "could not start the parser thread".to_owned(),
        position: None,
    };
    with_stack(|| parse(text)).ok_or_else(no_thread)?
}

fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).ok()?;
        thread.join().ok()
    })
}

fn parse(text: &str) -> Result<(Value, HashMap<String, MemberPosition>), ParseError> {
    // Positions are counted after the byte-order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: MAX_DEPTH, flow_nesting_limit: MAX_DEPTH },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_ALIASED_EVENTS },
        duplicate_keys: DuplicateKeyPolicy::Error,
        strict_booleans: true,
        reject_unsupported_tags: true,
        // A number that is too large for 64 bits is accepted; one that is not finite as written is rejected below.
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
    };
    TEXT_BYTES.set(0);
    let tree: Spanned<Tree> =
        serde_saphyr::from_str_with_options(text, options).map_err(|error| ParseError {
            path: "$".to_owned(),
            message: message_of(&error),
            position: error.location().map(position),
        })?;
    let mut positions = HashMap::new();
    let value = collect(text, tree, None, &mut JsonPath::root(), &mut positions)?;
    Ok((value, positions))
}

/// Writes a value, and fails if reading it again would give another one.
pub(crate) fn write(value: &Value) -> Result<String, WriteError> {
    let text = with_stack(|| serde_saphyr::to_string(&Plain(value))).ok_or(WriteError::NoThread)??;
    match read(&text) {
        Ok((again, _)) if accord_contract::same(&again, value) => Ok(text),
        _ => Err(WriteError::NotYaml),
    }
}

/// Serializes numbers as numbers: with their digits kept, serde_json serializes them in a form that only it can read.
struct Plain<'a>(&'a Value);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(items) => serializer.collect_seq(items.iter().map(Plain)),
            Value::Object(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, Plain(value))))
            }
            Value::Number(number) => match (number.as_i128(), number.as_f64()) {
                (Some(number), _) => serializer.serialize_i128(number),
                (None, Some(number)) => serializer.serialize_f64(number),
                (None, None) => Err(serde::ser::Error::custom(format!("{number} is too large"))),
            },
        }
    }
}

/// The message of a syntax error. Some of the library's own are for the programmers of a reader, not for authors of a file.
fn message_of(error: &serde_saphyr::Error) -> String {
    use serde_saphyr::Error;
    let message = match error {
        Error::AliasError { error, .. } | Error::WithSnippet { error, .. } => return message_of(error),
        Error::MultipleDocuments { .. } => {
            return "expected a single YAML document: remove the second `---` and everything after it"
                .to_owned();
        }
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("duplicate key \"{key}\"; keep one of them")
        }
        Error::DuplicateMappingKey { key: None, .. } => "duplicate key; keep one of them".to_owned(),
        Error::NullIntoString { .. } => {
            "keys must be strings, got null; write it in quotes: \"null\"".to_owned()
        }
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            "an alias refers to its own ancestor; write out the value".to_owned()
        }
        Error::Budget { breach: BudgetBreach::Depth { .. }, .. } => {
            format!("nested deeper than {MAX_DEPTH} levels")
        }
        Error::Budget { .. } | Error::AliasReplayLimitExceeded { .. } => {
            "too large with aliases expanded".to_owned()
        }
        other => match other.to_string().split(" at line ").next().unwrap_or_default() {
            // The scanner's errors are texts only.
            tab if tab.starts_with("tabs disallowed") => "indented with a tab; use spaces".to_owned(),
            message => message.to_owned(),
        },
    };
    format!("invalid YAML: {message}")
}

fn position(location: Location) -> Position {
    let number = |number: u64| u32::try_from(number.max(1)).unwrap_or(u32::MAX);
    Position { line: number(location.line()), column: number(location.column()) }
}

/// A value with the positions of its parts.
enum Tree {
    Scalar(Value),
    Float(f64),
    List(Vec<Spanned<Tree>>),
    Object(Vec<(Spanned<String>, Spanned<Tree>)>),
}

fn collect(
    text: &str,
    tree: Spanned<Tree>,
    name: Option<Position>,
    place: &mut JsonPath,
    positions: &mut HashMap<String, MemberPosition>,
) -> Result<Value, ParseError> {
    positions.insert(place.pointer(), MemberPosition { name, value: position(tree.referenced) });
    Ok(match tree.value {
        Tree::Scalar(value) => value,
        Tree::Float(value) => {
            let written = written(text, tree.defined).unwrap_or_default();
            let number = exact(written).filter(|_| written.parse() == Ok(value));
            Value::Number(number.ok_or_else(|| unreadable(written, place, position(tree.defined)))?)
        }
        Tree::List(items) => {
            let mut values = Vec::with_capacity(items.len());
            for (index, item) in items.into_iter().enumerate() {
                place.push(accord_contract::Step::Index(index));
                values.push(collect(text, item, None, place, positions)?);
                place.pop();
            }
            Value::Array(values)
        }
        Tree::Object(members) => {
            let mut object = Map::new();
            for (key, member) in members {
                place.push(accord_contract::Step::Key(key.value.clone()));
                let value = collect(text, member, Some(position(key.referenced)), place, positions)?;
                place.pop();
                object.insert(key.value, value);
            }
            Value::Object(object)
        }
    })
}

/// The text of a scalar.
fn written(text: &str, location: Location) -> Option<&str> {
    let start = usize::try_from(location.span().byte_offset()?).ok()?;
    let length = usize::try_from(location.span().byte_len()?).ok()?;
    text.get(start..start.checked_add(length)?).map(str::trim)
}

/// A number without loss. YAML allows a leading plus, leading zeros, and no digits before or after the point; JSON does not.
fn exact(written: &str) -> Option<Number> {
    let (sign, digits) = match written.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", written.strip_prefix('+').unwrap_or(written)),
    };
    let (digits, exponent) = digits.split_at(digits.find(['e', 'E']).unwrap_or(digits.len()));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = Some(whole.trim_start_matches('0')).filter(|whole| !whole.is_empty()).unwrap_or("0");
    let point = if fraction.is_empty() { "" } else { "." };
    serde_json::from_str(&format!("{sign}{whole}{point}{fraction}{exponent}")).ok()
}

fn unreadable(written: &str, place: &JsonPath, position: Position) -> ParseError {
    let message = format!(
        "the number '{written}' cannot be represented exactly: write it in plain digits, or write the file as JSON"
    );
    ParseError { path: place.path(), message, position: Some(position) }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::from(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::from(value)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Float(value))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Tree, E> {
        let bytes = TEXT_BYTES.get().saturating_add(value.len());
        TEXT_BYTES.set(bytes);
        if bytes > MAX_TEXT_BYTES {
            let message = format!("the document has more than {MAX_TEXT_BYTES} bytes with aliases expanded");
            return Err(E::custom(message));
        }
        Ok(Tree::Scalar(Value::from(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Tree::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Tree, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = access.next_key::<Spanned<String>>()? {
            if name.value.contains('\0') {
                return Err(A::Error::custom("a name contains a NUL character"));
            }
            members.push((name, access.next_value()?));
        }
        Ok(Tree::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_have_positions() {
        let (value, positions) = read("name: x\nexecutor:\n  type: llm\ntags: [a, 'b']\n").unwrap();
        assert_eq!(value, json!({"name": "x", "executor": {"type": "llm"}, "tags": ["a", "b"]}));
        let at = |line, column| Position { line, column };
        assert_eq!(positions["/name"], MemberPosition { name: Some(at(1, 1)), value: at(1, 7) });
        assert_eq!(positions["/executor/type"], MemberPosition { name: Some(at(3, 3)), value: at(3, 9) });
        assert_eq!(positions["/tags/1"], MemberPosition { name: None, value: at(4, 11) });
    }

    #[test]
    fn only_true_and_false_are_booleans() {
        let (value, _) = read("[yes, no, on, off, true, false, null, ~, 1, 1.5, -3, '1']").unwrap();
        let expected = json!(["yes", "no", "on", "off", true, false, null, null, 1, 1.5, -3, "1"]);
        assert_eq!(value, expected);
    }

    #[test]
    fn numbers_keep_their_digits() {
        for number in [
            "12345678901234567890123",
            "-12345678901234567890123",
            "9007199254740993.0",
            "0.1000000000000000055511151231257827",
            "1.50",
            "1e999",
            "-2.5e-400",
        ] {
            let value: Value = serde_json::from_str(number).unwrap();
            let expected =
                json!({"a": value.clone(), "b": [value.clone(), value.clone()], "c": {"d": value}});
            for text in [
                format!("a: &n {number}\r\nb: [*n, {number} ]\r\nc:\r\n  d: {number} # as it is\r\n"),
                format!("\u{feff}{{a: &n {number}, b: [*n, *n], c: {{d: *n}}}}"),
                format!(
                    "# \u{e9}\u{1f600}\na: {number}\nb: [!!float {number},\n {number}]\nc: &m\n  d: {number}\n"
                ),
            ] {
                assert_eq!(read(&text).map(|(value, _)| value), Ok(expected.clone()), "{text}");
            }
        }
        let merged = read("base: &base {a: 0.10}\nmore:\n  <<: *base\n  b: 2.50\n").unwrap().0;
        assert_eq!(["a", "b"].map(|name| merged["more"][name].to_string()), ["0.10", "2.50"]);
        let (odd, _) = read("[+1.5, .5, -.5, 5., 1.e3, 0012.5, +12345678901234567890123, 007]").unwrap();
        assert_eq!(odd.to_string(), "[1.5,0.5,-0.5,5,1e+3,12.5,12345678901234567890123,7]");
    }

    #[test]
    fn rejects_numbers_that_json_cannot_represent() {
        for number in [".inf", "-.inf", ".nan", "!!float \"1.5\""] {
            let error = read(&format!("a: 1\nb:\n  - {number}\n")).unwrap_err();
            assert_eq!(
                (error.path.as_str(), error.position.map(|at| at.line)),
                ("$.b[0]", Some(3)),
                "{number}"
            );
            assert!(error.message.contains("cannot be represented exactly"), "{}", error.message);
        }
    }

    #[test]
    fn errors_have_a_position() {
        let error = read("a: 1\nb: [1\nc: 2\n").unwrap_err();
        assert!(error.position.is_some_and(|position| position.line >= 2), "{error:?}");
        let several = read("a: 1\n---\na: 2\n").unwrap_err();
        assert!(several.message.starts_with("expected a single YAML document"), "{several:?}");
        let twice = read("a: 1\nb: 2\na: 3\n").unwrap_err();
        assert_eq!(twice.position, Some(Position { line: 3, column: 1 }), "{twice:?}");
        assert_eq!(twice.message, "invalid YAML: duplicate key \"a\"; keep one of them");
        for (text, expected) in [
            ("a: &a [1, *a]\n".to_owned(), "invalid YAML: an alias refers to its own ancestor"),
            ("a:\n\tb: 1\n".to_owned(), "invalid YAML: indented with a tab; use spaces"),
            ("null: 1\n".to_owned(), "invalid YAML: keys must be strings, got null; write it in quotes"),
            (format!("{}1", "- ".repeat(1_000)), "invalid YAML: nested deeper than"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.message.starts_with(expected), "{error:?}");
        }
    }

    #[test]
    fn rejects_alias_bombs() {
        let mut laughs = String::from("a: &a [x, x, x, x, x, x, x, x, x, x]\n");
        for (this, before) in ('b'..='j').zip('a'..) {
            let aliases = vec![format!("*{before}"); 10].join(", ");
            laughs.push_str(&format!("{this}: &{this} [{aliases}]\n"));
        }
        assert!(read(&laughs).is_err());
        let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), vec!["*a"; 1_000].join(", "));
        assert!(read(&long).is_err());
        assert!(read(&"[".repeat(1_000_000)).is_err());
        assert!(read(&format!("{}1", "- ".repeat(1_000))).is_err());
    }

    #[test]
    fn written_values_read_back_the_same() {
        let values = [
            json!({"on": "yes", "empty": {}, "none": [], "null": null, "number": "12", "float": 1.5}),
            serde_json::from_str(r#"{"large": 12345678901234567890123, "deep": -12345678901234567890123}"#)
                .unwrap(),
            json!({"big": 18446744073709551615u64, "small": -9223372036854775808i64, "tiny": 1e-7}),
            json!({"text": "two\nlines\n", "trailing": "a\n\n", "leading": "\n a\n  b", "long": "word ".repeat(50)}),
            json!({"odd": " # no: comment ", "tab": "\t", "quote": "'\"\\", "colon": "a: b", "dash": "- a"}),
            json!({"list": [[1, 2], {"a": [{"b": "c"}]}, []], "": "", "a: b": "~", "1": "one", "true": "t"}),
            json!({"unicode": "\u{e4}\u{df}\u{1F600}", "next line": "a\u{85}b", "separator": "a\u{2028}b"}),
            json!({"return": "a\r\nb", "bell": "\u{7}", "mark": "\u{feff}x", "spaces": "a  \n  b \n"}),
        ];
        for value in values {
            let text = serde_saphyr::to_string(&Plain(&value)).unwrap();
            assert!(accord_contract::same(&read(&text).unwrap().0, &value), "{text}");
            assert_eq!(write(&value).unwrap(), text);
        }
    }
}
