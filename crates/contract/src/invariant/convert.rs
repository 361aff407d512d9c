//! JSON values as CEL values. Integers stay integers, signed where they fit, so that `n + 1` is what it looks
//! like; no number is changed on the way. Strings are borrowed.

use std::collections::HashMap;

use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt,
};
use cel::common::value::Val;
use serde_json::{Number, Value};

use crate::limits::MAX_INVARIANT_VALUES;
use crate::place::{Place, Step};

/// Why a document cannot be given to a rule.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It has too many values.
    TooLarge,
    /// It has a number, at this place, that CEL cannot hold exactly.
    Number(Place, String),
}

type Converted<'v> = Result<Box<dyn Val + 'v>, Refusal>;

pub(super) fn convert(document: &Value) -> Converted<'_> {
    Converter { left: MAX_INVARIANT_VALUES, place: Place::root() }.value(document)
}

struct Converter {
    left: usize,
    place: Place,
}

impl Converter {
    fn value<'v>(&mut self, value: &'v Value) -> Converted<'v> {
        self.left = self.left.checked_sub(1).ok_or(Refusal::TooLarge)?;
        Ok(match value {
            Value::Null => Box::new(CelNull),
            Value::Bool(truth) => Box::new(CelBool::from(*truth)),
            Value::String(text) => Box::new(CelString::from(text.as_str())),
            Value::Number(number) => {
                exact(number).ok_or_else(|| Refusal::Number(self.place.clone(), number.to_string()))?
            }
            Value::Array(items) => {
                let mut list: Vec<Box<dyn Val + 'v>> = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    list.push(self.inside(Step::Index(index), item)?);
                }
                Box::new(CelList::from(list))
            }
            Value::Object(members) => {
                let mut map: HashMap<CelMapKey<'v>, Box<dyn Val + 'v>> = HashMap::new();
                for (name, member) in members {
                    let member = self.inside(Step::Key(name.clone()), member)?;
                    map.insert(CelMapKey::String(CelString::from(name.as_str())), member);
                }
                Box::new(CelMap::from(map))
            }
        })
    }

    fn inside<'v>(&mut self, step: Step, value: &'v Value) -> Converted<'v> {
        self.place.push(step);
        let converted = self.value(value);
        // After a refusal the place must go on saying where.
        if converted.is_ok() {
            self.place.pop();
        }
        converted
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
