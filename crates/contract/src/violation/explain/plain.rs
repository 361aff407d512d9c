//! Assertions that need no compiled validator: types, options and sizes. They are most of what schemas assert
//! and most of what answers break, and compiling a validator costs more than judging the whole answer did.

use std::sync::Arc;

use jsonschema::JsonType;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use crate::number;

/// The outcome of an assertion, evaluated without compiling it.
pub(super) enum Known {
    Holds,
    Broken(ValidationErrorKind),
    /// It takes the validator to decide.
    Unknown,
}

pub(super) fn decide(keyword: &str, argument: &Value, value: &Value) -> Known {
    match keyword {
        "type" => of_type(argument, value),
        "enum" => match argument {
            Value::Array(options) if options.iter().any(|option| number::same(option, value)) => Known::Holds,
            Value::Array(_) => {
                Known::Broken(ValidationErrorKind::Enum { options: Arc::new(argument.clone()) })
            }
            _ => Known::Unknown,
        },
        _ => of_size(keyword, argument, value),
    }
}

fn of_type(argument: &Value, value: &Value) -> Known {
    let Some(name) = argument.as_str() else { return Known::Unknown };
    let Ok(wanted) = name.parse::<JsonType>() else { return Known::Unknown };
    let holds = match (wanted, value) {
        (JsonType::Integer, Value::Number(number)) => number::is_integer(number),
        (JsonType::Number, Value::Number(_))
        | (JsonType::Null, Value::Null)
        | (JsonType::Boolean, Value::Bool(_))
        | (JsonType::String, Value::String(_))
        | (JsonType::Array, Value::Array(_))
        | (JsonType::Object, Value::Object(_)) => true,
        _ => false,
    };
    known(holds, ValidationErrorKind::Type { kind: TypeKind::Single(wanted) })
}

fn of_size(keyword: &str, argument: &Value, value: &Value) -> Known {
    let Some(limit) = argument.as_u64() else { return Known::Unknown };
    let size = match (keyword, value) {
        ("minItems" | "maxItems", Value::Array(items)) => items.len() as u64,
        ("minLength" | "maxLength", Value::String(text)) => text.chars().count() as u64,
        ("minProperties" | "maxProperties", Value::Object(members)) => members.len() as u64,
        ("minItems" | "maxItems" | "minLength" | "maxLength" | "minProperties" | "maxProperties", _) => {
            return Known::Holds;
        }
        _ => return Known::Unknown,
    };
    match keyword {
        "minItems" => known(size >= limit, ValidationErrorKind::MinItems { limit }),
        "maxItems" => known(size <= limit, ValidationErrorKind::MaxItems { limit }),
        "minLength" => known(size >= limit, ValidationErrorKind::MinLength { limit }),
        "maxLength" => known(size <= limit, ValidationErrorKind::MaxLength { limit }),
        "minProperties" => known(size >= limit, ValidationErrorKind::MinProperties { limit }),
        _ => known(size <= limit, ValidationErrorKind::MaxProperties { limit }),
    }
}

fn known(holds: bool, broken: ValidationErrorKind) -> Known {
    if holds { Known::Holds } else { Known::Broken(broken) }
}
