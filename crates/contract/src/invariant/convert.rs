//! JSON values as CEL values. Numbers are exact: integers without a point or an exponent, decimals with one. Strings are borrowed.

use std::collections::HashMap;

use cel::common::types::{CelBool, CelList, CelMap, CelMapKey, CelNull, CelString};
use cel::common::value::Val;
use serde_json::Value;

use super::number::Number;
use crate::decimal::Decimal;
use crate::limits::MAX_INVARIANT_VALUES;

/// A document has too many values to be given to a rule, or a number whose exponent cannot be counted.
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
            Value::Number(number) => converted(number).ok_or(TooLarge)?.boxed(),
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

fn converted(number: &serde_json::Number) -> Option<Number> {
    if let Some(integer) = number.as_i64() {
        return Some(Number::Small(integer));
    }
    let value = Decimal::of_number(number)?;
    let is_integer = !number.as_str().contains(['.', 'e', 'E']);
    Some(if is_integer { Number::integer(value) } else { Number::fraction(value) })
}
