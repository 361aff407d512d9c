//! Stored JSON at any depth, and numbers that survive a conversion from a value to a type.

use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};

use crate::reserved::NUMBER;

/// Reads a result that was accepted, or a document of ours that holds one. A result may nest as deep as the contract engine
/// allows, so the document around it exceeds the limit of `serde_json`. Only for JSON that was judged or written by us:
/// other JSON could overflow the stack.
pub fn read_kept<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let value = T::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Prepares a value for `serde_json::from_value`, so that every number in it is read as written.
///
/// Tagged enums and flattened structs are read through a buffer that has no integers beyond 64 bits, and a value read from a
/// value rewrites some numbers (2^128 becomes a float). So such numbers are replaced by the objects with which the reader of
/// text marks them; a `Value` field turns them back into numbers.
pub fn mark_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if !survives_conversion(number) => {
            let mark = (NUMBER.to_owned(), Value::String(number.to_string()));
            *value = Value::Object(Map::from_iter([mark]));
        }
        Value::Array(items) => items.iter_mut().for_each(mark_numbers),
        Value::Object(members) => members.values_mut().for_each(mark_numbers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether a number is written the same after it was an `i64`, `u64` or `f64`.
fn survives_conversion(number: &Number) -> bool {
    if number.is_u64() {
        return true;
    }
    match number.as_i64() {
        // The integer zero has no sign.
        Some(negative) => negative != 0,
        None => number.as_f64().and_then(Number::from_f64).is_some_and(|again| again == *number),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn marked_numbers_are_read_as_written() {
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
    fn documents_around_the_deepest_answers_are_read() {
        let text = format!("{{\"result\":{}{}}}", "[".repeat(128), "]".repeat(128));
        assert_eq!(read_kept::<Value>(&text).unwrap().to_string(), text);
        assert!(serde_json::from_str::<Value>(&text).is_err(), "or this is not needed");
        assert!(read_kept::<Value>("1 2").is_err());
    }
}
