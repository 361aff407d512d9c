//! Values of any kind, written as JSON text inside a string.

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::parse::{self, ParseError};

/// The value in a string; `None` if it is not JSON, and so means itself. JSON is read like an
/// answer: a duplicate key with different values is an error, and so is a number over the limit.
pub(super) fn read(text: &str) -> Result<Option<Value>, ParseError> {
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => parse::whole(text).map(Some),
        Err(_) => Ok(None),
    }
}

/// The text of a value, from which `read` gets the value back.
pub(super) fn write(value: &Value) -> Value {
    Value::String(value.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_string_that_is_not_json_is_kept() {
        assert!(matches!(read("hello"), Ok(None)));
    }

    #[test]
    fn a_repeated_key_is_found_at_any_depth() {
        assert!(read(r#"{"a": [{"b": 1, "b": 2}]}"#).is_err());
        assert!(matches!(read(r#"{"a:\"": ":{", "b": {}}"#), Ok(Some(_))));
        assert_eq!(read(r#"{"b": 1, "b": 1.0}"#), Ok(Some(json!({"b": 1}))));
    }

    #[test]
    fn rejects_a_number_over_the_limit() {
        assert!(read("1e5000").is_err_and(|error| error.message().contains("too many digits")));
        assert_eq!(
            read("1e400").map(|value| value.map(|value| value.to_string())),
            Ok(Some("1e400".to_owned()))
        );
        assert_eq!(read("1e5000 apples"), Ok(None));
    }

    #[test]
    fn written_values_are_read_back() {
        let value = json!({"a": [1.50, null, "x:\"y\\"], "": {}});
        let Value::String(text) = write(&value) else { panic!("not a text") };
        assert!(read(&text).is_ok_and(|read| read == Some(value)));
    }
}
