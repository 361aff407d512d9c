//! JSON values as CEL values. Integers stay integers, signed where they fit, so that `n + 1` is what it looks
//! like; no number is changed on the way. Strings are borrowed.

use std::any::Any;
use std::collections::HashMap;

use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt, Type,
};
use cel::common::value::{StaticVal, Val};
use serde_json::{Number, Value};

use crate::limits::MAX_INVARIANT_VALUES;
use crate::number::same_number;

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
            Value::Number(number) => exact(number).unwrap_or_else(|| Box::new(Huge(number.clone()))),
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

fn exact<'v>(number: &Number) -> Option<Box<dyn Val + 'v>> {
    if let Some(integer) = number.as_i64() {
        return Some(Box::new(CelInt::from(integer)));
    }
    if let Some(integer) = number.as_u64() {
        return Some(Box::new(CelUInt::from(integer)));
    }
    let text = number.to_string();
    let float: f64 = text.parse().ok().filter(|float: &f64| float.is_finite())?;
    let is_integer = !text.contains(['.', 'e', 'E']);
    (!is_integer || format!("{float:.0}") == text).then(|| Box::new(CelDouble::from(float)) as Box<dyn Val>)
}

/// Whether a document has a number that CEL cannot hold exactly.
pub(super) fn has_huge_number(document: &Value) -> bool {
    match document {
        Value::Number(number) => exact(number).is_none(),
        Value::Array(items) => items.iter().any(has_huge_number),
        Value::Object(members) => members.values().any(has_huge_number),
        _ => false,
    }
}

/// A number that CEL cannot hold exactly. It is none of the others, so that it equals itself alone; a rule that orders it
/// or calculates with it cannot be checked.
#[derive(Debug, Clone)]
struct Huge(Number);

/// What rules that cannot take it say of it.
static HUGE: Type = Type::new_unspecified_type("a number that is too large");

impl Val for Huge {
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

impl StaticVal for Huge {}
