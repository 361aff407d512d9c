//! JSON values as CEL values. Integers stay integers, signed if they fit, so that `n + 1` works as
//! expected; different numbers stay different. Strings are borrowed.

use std::any::Any;
use std::collections::HashMap;

use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt, Type,
};
use cel::common::value::{StaticVal, Val};
use serde_json::{Number, Value};

use crate::limits::MAX_INVARIANT_VALUES;
use crate::number::{exact, same_number};

/// A document has too many values to be given to a rule.
#[derive(Debug)]
pub(super) struct TooLarge;

type Converted<'v> = Result<Box<dyn Val + 'v>, TooLarge>;

pub(super) fn convert(document: &Value) -> Converted<'_> {
    Converter { left: MAX_INVARIANT_VALUES }.value(document)
}

struct Converter {
    left: usize,
}

impl Converter {
    fn value<'v>(&mut self, value: &'v Value) -> Converted<'v> {
        self.left = self.left.checked_sub(1).ok_or(TooLarge)?;
        Ok(match value {
            Value::Null => Box::new(CelNull),
            Value::Bool(truth) => Box::new(CelBool::from(*truth)),
            Value::String(text) => Box::new(CelString::from(text.as_str())),
            Value::Number(number) => converted(number),
            Value::Array(items) => {
                let mut list: Vec<Box<dyn Val + 'v>> = Vec::with_capacity(items.len());
                for item in items {
                    list.push(self.value(item)?);
                }
                Box::new(CelList::from(list))
            }
            Value::Object(members) => {
                let mut map: HashMap<CelMapKey<'v>, Box<dyn Val + 'v>> = HashMap::new();
                for (name, member) in members {
                    map.insert(CelMapKey::String(CelString::from(name.as_str())), self.value(member)?);
                }
                Box::new(CelMap::from(map))
            }
        })
    }
}

fn converted<'v>(number: &Number) -> Box<dyn Val + 'v> {
    if let Some(integer) = number.as_i64() {
        return Box::new(CelInt::from(integer));
    }
    if let Some(integer) = number.as_u64() {
        return Box::new(CelUInt::from(integer));
    }
    match nearest(number) {
        Some(float) if is_written(float, number) => Box::new(CelDouble::from(float)),
        _ => Box::new(Inexact(number.clone())),
    }
}

/// The double next to a number, if there is one.
fn nearest(number: &Number) -> Option<f64> {
    number.as_str().parse().ok().filter(|float: &f64| float.is_finite())
}

fn is_whole(number: &Number) -> bool {
    !number.as_str().contains(['.', 'e', 'E'])
}

/// Whether a double is written like this: a whole one with all its digits, another one with as many as tell it apart.
fn is_written(float: f64, number: &Number) -> bool {
    let text = if is_whole(number) { format!("{float:.0}") } else { float.to_string() };
    same_number(number, &exact(&text))
}

/// Whether a document has a number that rules cannot order or calculate with.
pub(super) fn has_huge_number(document: &Value) -> bool {
    match document {
        Value::Number(number) => {
            number.as_i64().is_none()
                && number.as_u64().is_none()
                && nearest(number).is_none_or(|float| is_whole(number) && !is_written(float, number))
        }
        Value::Array(items) => items.iter().any(has_huge_number),
        Value::Object(members) => members.values().any(has_huge_number),
        _ => false,
    }
}

/// A number that CEL cannot represent exactly. A separate type, so that it equals only itself.
#[derive(Debug, Clone)]
pub(super) struct Inexact(Number);

impl Inexact {
    /// The value that a rule compares and calculates with, for a number with decimals. A number
    /// that is too large has none: such a rule cannot be checked.
    pub(super) fn rounded(&self) -> Option<CelDouble> {
        nearest(&self.0).filter(|_| !is_whole(&self.0)).map(CelDouble::from)
    }
}

/// What rules that cannot take it say of it.
static HUGE: Type = Type::new_unspecified_type("a number that is too large");

impl Val for Inexact {
    fn get_type(&self) -> &Type {
        <Self as Val>::cel_type()
    }

    fn cel_type() -> &'static Type {
        &HUGE
    }

    fn equals(&self, other: &dyn Val) -> bool {
        other.downcast_ref::<Self>().is_some_and(|other| same_number(&self.0, &other.0))
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Inexact {}
