//! JSON that is read whole, however deep it nests and however its numbers are written.

use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};

/// How the reader marks a number that it keeps as it is written, see [`crate::reserved`].
const NUMBER: &str = "$serde_json::private::Number";

/// Reads JSON of ours: a result that was accepted, or a document that holds one. An answer may nest as deep as the contract
/// engine allows, and what it stands in is deeper by its own levels; readers give up before that. Only for what has been
/// through the judge or was written by us, because the depth of anything else is the stack's.
pub fn read_kept<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let value = T::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Makes a value ready to be read into a shape, so that every number in it comes through as it is written.
///
/// A shape that is told by a tag, or that holds another's members, is read by way of a copy that knows no integer beyond 64
/// bits; and a value that is read from a value spells some numbers anew, 2^128 as a float. So these are marked as the reader
/// of text marks them. Members of any kind take them back; members that are numbers of Rust never needed them.
pub fn mark_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if !comes_through(number) => {
            let mark = (NUMBER.to_owned(), Value::String(number.to_string()));
            *value = Value::Object(Map::from_iter([mark]));
        }
        Value::Array(items) => items.iter_mut().for_each(mark_numbers),
        Value::Object(members) => members.values_mut().for_each(mark_numbers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether a number is written again as it is written, when it was a number of Rust in between.
fn comes_through(number: &Number) -> bool {
    if number.is_u64() {
        return true;
    }
    match number.as_i64() {
        // Zero has no sign there.
        Some(negative) => negative != 0,
        None => number.as_f64().and_then(Number::from_f64).is_some_and(|again| again == *number),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn marked_numbers_are_read_as_they_are_written() {
        #[derive(Debug, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "type")]
        enum Shape {
            Any { any: Value, count: u64, share: f64 },
        }
        for number in [
            "0",
            "-0",
            "0.0",
            "-0.0",
            "18446744073709551615",
            "18446744073709551616",
            "-9223372036854775809",
            "1267650600228229401496703205376",
            "-1180591620717411303424",
            "340282366920938463463374607431768211455",
            "340282366920938463463374607431768211456",
            "-170141183460469231731687303715884105729",
            "123456789012345678901234567890123456789012345678901234567890",
            "1.10",
            "0.0000001",
            "1e+2",
            "1e+400",
            "-1e-400",
        ] {
            let text = format!(r#"{{"type":"Any","any":[{number},{{"a":{number}}}],"count":7,"share":0.5}}"#);
            let mut value: Value = serde_json::from_str(&text).unwrap();
            mark_numbers(&mut value);
            let shape: Shape = serde_json::from_value(value).unwrap();
            assert_eq!(serde_json::to_string(&shape).unwrap(), text);
        }
    }

    #[test]
    fn what_nests_as_deep_as_an_answer_may_is_read_inside_a_document() {
        let text = format!("{{\"result\":{}{}}}", "[".repeat(128), "]".repeat(128));
        assert_eq!(read_kept::<Value>(&text).unwrap().to_string(), text);
        assert!(serde_json::from_str::<Value>(&text).is_err(), "or this is not needed");
        assert!(read_kept::<Value>("1 2").is_err());
    }
}
