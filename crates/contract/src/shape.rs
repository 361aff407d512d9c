//! Shape repairs: a value that was parsed and breaks its schema only in its form.
//!
//! The validator's errors lead the repair: at each place that breaks the schema there is at most
//! one lossless change that could fix it (`"3"` for an expected integer, `null` for an absent
//! optional, …). All changes are made together, and the value is validated again. A place without
//! such a change ends the attempt: nothing is dropped, rounded or invented to make a value conform.

mod members;

use std::collections::{HashMap, HashSet};

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use self::members::Members;
use crate::json_path::{JsonPath, Step};
use crate::nested::is_wrapper;
use crate::number;
use crate::parse;
use crate::read;
use crate::repair::{Repair, RepairKind};
use crate::schema::{Schema, place_of};

/// A change may uncover another (a list in a string whose items are strings of numbers), but not for long.
const MAX_ROUNDS: usize = 4;

/// How many places are repaired at once. A list of this many items in the wrong form is still a
/// list.
const MAX_EDITS: usize = 10_000;

/// A value that was repaired and now conforms.
pub(crate) struct Mended {
    pub(crate) value: Value,
    pub(crate) repairs: Vec<Repair>,
}

/// Makes a value conform by lossless changes of shape, if that can be done.
pub(crate) fn mend(schema: &Schema, value: &Value) -> Option<Mended> {
    let mut mended = Mended { value: value.clone(), repairs: Vec::new() };
    let members = Members::of(schema.document());
    let mut asked = ShapeContext { members, emptied: HashSet::new(), wrapped: HashSet::new() };
    for _ in 0..MAX_ROUNDS {
        if !schema.affords_errors(&mended.value) {
            return None;
        }
        let edits = {
            let errors: Vec<_> = schema.validator().iter_errors(&mended.value).take(MAX_EDITS + 1).collect();
            if errors.is_empty() {
                return Some(mended);
            }
            let (rest, own): (Vec<_>, Vec<_>) = errors.into_iter().partition(may_follow_from_others);
            asked.edits_for(if own.is_empty() { &rest } else { &own }, &mended.value)?
        };
        if asked.wraps_in_doubt(&edits) {
            return None;
        }
        for edit in edits {
            if edit.value.is_none() {
                asked.emptied.extend(object_around(&edit.place));
            }
            if edit.kind == RepairKind::WrappedInList {
                asked.wrapped.insert(edit.place.clone());
            }
            apply(&mut mended.value, &edit)?;
            mended.repairs.push(Repair {
                kind: edit.kind,
                path: edit.place.path(),
                detail: edit.detail,
                at: None,
            });
        }
    }
    schema.is_valid(&mended.value).then_some(mended)
}

/// One change at one place.
#[derive(Debug, Clone, PartialEq)]
struct Edit {
    place: JsonPath,
    kind: RepairKind,
    detail: String,
    /// The new value; `None` takes the member away.
    value: Option<Value>,
}

/// Facts about the schema, and the changes so far.
struct ShapeContext<'a> {
    members: Members<'a>,
    /// Objects that members were taken out of. Such a one had more than one key, so it wraps nothing.
    emptied: HashSet<JsonPath>,
    /// Lists of one that were made.
    wrapped: HashSet<JsonPath>,
}

impl ShapeContext<'_> {
    /// The changes that answer all errors, or nothing if one of them has no answer.
    fn edits_for(&mut self, errors: &[ValidationError<'_>], root: &Value) -> Option<Vec<Edit>> {
        if errors.len() > MAX_EDITS {
            return None;
        }
        let mut edits: Vec<Edit> = Vec::new();
        for error in errors {
            for edit in self.edits_of(error, root)? {
                let covered = edits
                    .iter()
                    .rev()
                    .take(8)
                    .any(|other| edit.place.steps().starts_with(other.place.steps()));
                if !covered {
                    edits.push(edit);
                }
            }
        }
        Some(edits)
    }

    fn edits_of(&mut self, error: &ValidationError<'_>, root: &Value) -> Option<Vec<Edit>> {
        let place = place_of(error.instance_path(), root);
        let value = value_at(root, &place)?;
        let edit = match error.kind() {
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                return self.edits_of_branches(context, root);
            }
            ValidationErrorKind::Enum { options } if may_write_null(options.as_array()?, value) => {
                return None;
            }
            ValidationErrorKind::Constant { expected_value }
                if may_write_null(std::slice::from_ref(expected_value.as_ref()), value) =>
            {
                return None;
            }
            ValidationErrorKind::Type { .. }
            | ValidationErrorKind::Enum { .. }
            | ValidationErrorKind::Constant { .. }
            | ValidationErrorKind::Not { .. }
                if value.is_null() =>
            {
                self.leave_out(&place)?
            }
            ValidationErrorKind::Type { kind } => retype(value, &wanted(kind), &place)?,
            ValidationErrorKind::Enum { options } => choose(value, options.as_array()?, &place)?,
            ValidationErrorKind::Constant { expected_value } => {
                choose(value, std::slice::from_ref(expected_value.as_ref()), &place)?
            }
            ValidationErrorKind::Required { .. }
            | ValidationErrorKind::AdditionalProperties { .. }
            | ValidationErrorKind::UnevaluatedProperties { .. } => self.unwrap(value, &place)?,
            _ => return None,
        };
        Some(vec![edit])
    }

    /// The branch that takes the fewest changes. Two branches that would make different values of it: nothing.
    fn edits_of_branches(
        &mut self,
        branches: &[Vec<ValidationError<'static>>],
        root: &Value,
    ) -> Option<Vec<Edit>> {
        let mut found: Vec<Vec<Edit>> =
            branches.iter().filter_map(|errors| self.edits_for(errors, root)).collect();
        found.sort_by_key(Vec::len);
        let mut found = found.into_iter();
        let best = found.next()?;
        let rival = found.next().filter(|next| next.len() == best.len());
        match rival {
            Some(rival) if !same_edits(&best, &rival) => None,
            _ => Some(best),
        }
    }

    /// Whether lists would be made that may be meant otherwise: of several items of one list, which may as well
    /// be those of one of the lists that are asked; or of a value that has to be changed itself before it fits into the list.
    fn wraps_in_doubt(&self, edits: &[Edit]) -> bool {
        let is_in_wrapped = |edit: &Edit| {
            let steps = edit.place.steps();
            self.wrapped
                .iter()
                .any(|list| steps.len() > list.steps().len() && steps.starts_with(list.steps()))
        };
        if edits.iter().any(is_in_wrapped) {
            return true;
        }
        let mut items: HashMap<JsonPath, usize> = HashMap::new();
        for edit in edits.iter().filter(|edit| edit.kind == RepairKind::WrappedInList) {
            if let (Some(Step::Index(_)), Some(list)) =
                (edit.place.steps().last(), object_around(&edit.place))
            {
                *items.entry(list).or_default() += 1;
            }
        }
        items.values().any(|count| *count > 1)
    }

    /// A `null` for a property that the schema names says that it is absent. In a map the key itself is data.
    fn leave_out(&mut self, place: &JsonPath) -> Option<Edit> {
        let Some(Step::Key(name)) = place.steps().last() else { return None };
        self.members.names(&object_around(place)?, name).then(|| Edit {
            place: place.clone(),
            kind: RepairKind::DroppedNull,
            detail: "optional property was null and was removed".to_owned(),
            value: None,
        })
    }

    /// The object inside an object with one key, where members are missing or the key is not allowed, and the schema
    /// does not speak of it. The inner one may be JSON in a string; an empty one is nothing to go by.
    fn unwrap(&mut self, value: &Value, place: &JsonPath) -> Option<Edit> {
        let members = value.as_object().filter(|members| members.len() == 1)?;
        let (name, inner) = members.iter().next()?;
        let inner = match inner {
            Value::String(text) => read::written(text)?,
            inner => inner.clone(),
        };
        let holds = inner.as_object().is_some_and(|members| !members.is_empty());
        let wraps = holds
            && is_wrapper(name)
            && !self.emptied.contains(place)
            && !self.members.describes(place, name);
        wraps.then(|| Edit {
            place: place.clone(),
            kind: RepairKind::Unwrapped,
            detail: format!("value was unwrapped from the single key {}", Value::from(name.as_str())),
            value: Some(inner),
        })
    }
}

/// Whether an error may be caused by the others: a property counts as unknown if the schema that
/// names it failed, and which of two schemas applies may depend on a value that is not repaired
/// yet.
fn may_follow_from_others(error: &ValidationError<'_>) -> bool {
    let kind = error.kind();
    matches!(
        kind,
        ValidationErrorKind::UnevaluatedProperties { .. } | ValidationErrorKind::UnevaluatedItems { .. }
    ) || error.schema_path().as_str().split('/').any(|step| step == "then" || step == "else")
}

fn value_at<'a>(root: &'a Value, place: &JsonPath) -> Option<&'a Value> {
    place.steps().iter().try_fold(root, |value, step| step.within(value))
}

/// The place of the object or list that a place is in.
fn object_around(place: &JsonPath) -> Option<JsonPath> {
    let (_, around) = place.steps().split_last()?;
    Some(around.iter().cloned().collect())
}

fn same_edits(left: &[Edit], right: &[Edit]) -> bool {
    left.iter().zip(right).all(|(left, right)| {
        left.place == right.place
            && match (&left.value, &right.value) {
                (Some(left), Some(right)) => number::same(left, right),
                (left, right) => left.is_none() && right.is_none(),
            }
    })
}

fn wanted(kind: &TypeKind) -> Vec<JsonType> {
    match kind {
        TypeKind::Single(single) => vec![*single],
        TypeKind::Multiple(several) => several.iter().collect(),
    }
}

fn retype(value: &Value, wanted: &[JsonType], place: &JsonPath) -> Option<Edit> {
    let wants = |kind: JsonType| wanted.contains(&kind);
    let edit = |kind: RepairKind, detail: String, value: Value| Edit {
        place: place.clone(),
        kind,
        detail,
        value: Some(value),
    };
    match value {
        Value::String(text) => {
            if let Some(scalar) = scalar_of(text, wanted) {
                return Some(edit(
                    RepairKind::Coerced,
                    format!("string {value} was converted to {scalar}"),
                    scalar,
                ));
            }
            if wants(JsonType::Object) || wants(JsonType::Array) {
                let inner = read::written(text).filter(|inner| {
                    (inner.is_object() && wants(JsonType::Object))
                        || (inner.is_array() && wants(JsonType::Array))
                });
                if let Some(inner) = inner {
                    let detail = "string contained JSON, which was parsed".to_owned();
                    return Some(edit(RepairKind::Unstringified, detail, inner));
                }
            }
        }
        Value::Number(_) | Value::Bool(_) if wants(JsonType::String) => {
            let text = value.to_string();
            return Some(edit(
                RepairKind::Coerced,
                format!("{value} was converted to a string"),
                Value::String(text),
            ));
        }
        _ => {}
    }
    if wants(JsonType::Array) && is_one_item(value) {
        let detail = "single item was converted to a list of one".to_owned();
        return Some(edit(RepairKind::WrappedInList, detail, Value::Array(vec![value.clone()])));
    }
    None
}

/// A text that may itself be a list in disguise is not one item.
fn is_one_item(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.trim().is_empty() && !text.contains([',', ';', '\n', '[', '{']),
        Value::Null | Value::Array(_) => false,
        _ => true,
    }
}

/// The number or boolean that a string writes exactly.
fn scalar_of(text: &str, wanted: &[JsonType]) -> Option<Value> {
    let number = wanted.contains(&JsonType::Integer) || wanted.contains(&JsonType::Number);
    if number && parse::is_number(text) && number::is_kept(text) {
        return Some(Value::Number(number::exact(text)));
    }
    if wanted.contains(&JsonType::Boolean) {
        for truth in [true, false] {
            if text.eq_ignore_ascii_case(if truth { "true" } else { "false" }) {
                return Some(Value::Bool(truth));
            }
        }
    }
    None
}

/// Whether a `null` may be meant as an option, which is a string that spells it.
fn may_write_null(options: &[Value], value: &Value) -> bool {
    let spells = |option: &str| ["null", "none", "nil"].iter().any(|word| option.eq_ignore_ascii_case(word));
    value.is_null() && options.iter().filter_map(Value::as_str).any(spells)
}

/// The one option that a value means: the same but for letter case, or the same scalar as another type.
fn choose(value: &Value, options: &[Value], place: &JsonPath) -> Option<Edit> {
    let means = |option: &&Value| match (value, option) {
        (Value::String(given), Value::String(option)) => given.to_lowercase() == option.to_lowercase(),
        (Value::String(given), Value::Number(_) | Value::Bool(_)) => *given == option.to_string(),
        (Value::Number(given), Value::String(option)) => given.as_str() == option,
        (Value::Bool(given), Value::String(option)) => option == if *given { "true" } else { "false" },
        _ => false,
    };
    let mut matching = options.iter().filter(means);
    let option = matching.next()?;
    if matching.next().is_some() {
        return None;
    }
    let kind =
        if value.is_string() && option.is_string() { RepairKind::EnumCase } else { RepairKind::Coerced };
    Some(Edit {
        place: place.clone(),
        kind,
        detail: format!("{value} was converted to {option}"),
        value: Some(option.clone()),
    })
}

fn apply(root: &mut Value, edit: &Edit) -> Option<()> {
    let (last, parents) = match edit.place.steps().split_last() {
        Some(split) => split,
        None => {
            *root = edit.value.clone()?;
            return Some(());
        }
    };
    let parent = parents.iter().try_fold(root, |value, step| match step {
        Step::Key(name) => value.get_mut(name),
        Step::Index(index) => value.get_mut(index),
    })?;
    match (last, &edit.value) {
        (Step::Key(name), None) => parent.as_object_mut()?.shift_remove(name).map(|_| ()),
        (Step::Index(_), None) => None,
        (Step::Key(name), Some(value)) => parent.get_mut(name).map(|slot| *slot = value.clone()),
        (Step::Index(index), Some(value)) => parent.get_mut(index).map(|slot| *slot = value.clone()),
    }
}
