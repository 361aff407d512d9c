//! Functions on lists, with the names of CEL's `lists` and `sets` libraries.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use cel::common::types::{CelBytes, CelInt, CelMap};
use cel::common::value::Val;

use super::function::{Argument, Function, Made, Wrong, list, made_bool, made_count, made_list, text, whole};
use crate::invariant::meter;
use crate::invariant::value::{compare, write_key};

const LIST: Option<&str> = Some("a list");

pub(super) const TABLE: &[Function] = &[
    Function::new("size", "size(value) or value.size()", (1, 1), Some("a number"), size).surface(),
    Function::new("sort", "list.sort()", (1, 1), LIST, sort),
    Function::new("distinct", "list.distinct()", (1, 1), LIST, distinct),
    Function::new("reverse", "list.reverse() or text.reverse()", (1, 1), None, reverse),
    Function::new("slice", "list.slice(start, end)", (3, 3), LIST, slice).surface(),
    Function::new("flatten", "list.flatten() or list.flatten(depth)", (1, 2), LIST, flatten),
    Function::new("first", "list.first()", (1, 1), None, first).surface(),
    Function::new("last", "list.last()", (1, 1), None, last).surface(),
    Function::new("lists.range", "lists.range(size)", (1, 1), LIST, range),
    Function::new("sets.contains", "sets.contains(list, part)", (2, 2), None, |arguments| {
        let [list, part] = sets(arguments)?;
        made_bool(part.is_subset(&list))
    }),
    Function::new("sets.equivalent", "sets.equivalent(list, other)", (2, 2), None, |arguments| {
        let [list, other] = sets(arguments)?;
        made_bool(list == other)
    }),
    Function::new("sets.intersects", "sets.intersects(list, other)", (2, 2), None, |arguments| {
        let [list, other] = sets(arguments)?;
        made_bool(!list.is_disjoint(&other))
    }),
];

fn size<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [value] = arguments else { return Err(Wrong::Kinds) };
    if let Ok(text) = text(*value) {
        return made_count(text.chars().count());
    }
    if let Ok(items) = list(*value) {
        return made_count(items.len());
    }
    match (value.downcast_ref::<CelMap>(), value.downcast_ref::<CelBytes>()) {
        (Some(map), _) => made_count(map.inner().len()),
        (_, Some(bytes)) => made_count(bytes.inner().len()),
        _ => Err(Wrong::Kinds),
    }
}

fn copied<'v>(items: &[Box<dyn Val + 'v>]) -> Vec<Box<dyn Val + 'v>> {
    items.iter().map(|item| item.clone_as_boxed()).collect()
}

/// Charges for sorting this many items that were charged for once.
fn charge_for_sorting(arguments: &[Argument<'_, '_>], items: usize) -> Result<(), Wrong> {
    let rounds = u64::from(items.checked_ilog2().unwrap_or_default());
    Ok(meter::spend(meter::weight(arguments).saturating_mul(rounds))?)
}

/// That all keys can be compared with each other, or the first that cannot.
fn check_order<'b, 'v: 'b>(keys: impl Iterator<Item = Argument<'b, 'v>>) -> Result<(), Wrong> {
    let mut first = None;
    for (index, key) in keys.enumerate() {
        compare(*first.get_or_insert(key), key).ok_or(Wrong::Item(index))?;
    }
    Ok(())
}

fn sort<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [only] = arguments else { return Err(Wrong::Kinds) };
    let items = list(*only)?;
    check_order(items.iter().map(AsRef::as_ref))?;
    charge_for_sorting(arguments, items.len())?;
    let mut sorted = copied(items);
    sorted.sort_by(|left, right| compare(left.as_ref(), right.as_ref()).unwrap_or(Ordering::Equal));
    made_list(sorted)
}

/// Sorts pairs of a key and an item, and leaves the items. Those with equal keys keep their order.
pub(super) fn sort_pairs<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [pairs] = arguments else { return Err(Wrong::Kinds) };
    let mut keyed: Vec<(Argument<'_, 'v>, Argument<'_, 'v>)> = Vec::new();
    for pair in list(*pairs)? {
        let [key, item] = list(pair.as_ref())? else { return Err(Wrong::Kinds) };
        keyed.push((key.as_ref(), item.as_ref()));
    }
    check_order(keyed.iter().map(|(key, _)| *key))
        .map_err(|_| Wrong::Because("the keys have no common order".to_owned()))?;
    charge_for_sorting(arguments, keyed.len())?;
    keyed.sort_by(|(left, _), (right, _)| compare(*left, *right).unwrap_or(Ordering::Equal));
    made_list(keyed.into_iter().map(|(_, item)| item.clone_as_boxed()).collect())
}

/// Writing the key of a value, and finding it among others, costs more than reading the value.
fn charge_for_keys(arguments: &[Argument<'_, '_>]) -> Result<(), Wrong> {
    Ok(meter::spend(meter::weight(arguments).saturating_mul(4))?)
}

fn key(item: Argument<'_, '_>) -> String {
    let mut key = String::new();
    write_key(item, &mut key);
    key
}

/// The first of each equal items.
fn distinct<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [items] = arguments else { return Err(Wrong::Kinds) };
    charge_for_keys(arguments)?;
    let mut seen = BTreeSet::new();
    let items = list(*items)?.iter().filter(|item| seen.insert(key(item.as_ref())));
    made_list(items.map(|item| item.clone_as_boxed()).collect())
}

fn sets(arguments: &[Argument<'_, '_>]) -> Result<[BTreeSet<String>; 2], Wrong> {
    let [left, right] = arguments else { return Err(Wrong::Kinds) };
    charge_for_keys(arguments)?;
    let keys = |items: &[Box<dyn Val + '_>]| items.iter().map(|item| key(item.as_ref())).collect();
    Ok([keys(list(*left)?), keys(list(*right)?)])
}

fn reverse<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [value] = arguments else { return Err(Wrong::Kinds) };
    if let Ok(text) = text(*value) {
        return super::function::made_text(text.chars().rev().collect());
    }
    let mut items = copied(list(*value)?);
    items.reverse();
    made_list(items)
}

fn slice<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [items, start, end] = arguments else { return Err(Wrong::Kinds) };
    let (items, start, end) = (list(*items)?, whole(*start)?, whole(*end)?);
    let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    let part = range.and_then(|(start, end)| items.get(start..end)).ok_or_else(|| {
        Wrong::Because(format!("a list of {} items has no part from {start} to {end}", items.len()))
    })?;
    let parts: Vec<Argument<'_, 'v>> = part.iter().map(AsRef::as_ref).collect();
    meter::spend(meter::weight(&parts))?;
    made_list(copied(part))
}

/// The items of nested lists in their place, one level deep or as many as asked.
fn flatten<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [items, depth @ ..] = arguments else { return Err(Wrong::Kinds) };
    let depth = depth.first().map_or(Ok(1), |depth| whole(*depth))?;
    let depth =
        u64::try_from(depth).map_err(|_| Wrong::Because(format!("the depth is negative: {depth}")))?;
    let mut flat = Vec::new();
    flatten_into(list(*items)?, depth, &mut flat);
    made_list(flat)
}

fn flatten_into<'v>(items: &[Box<dyn Val + 'v>], depth: u64, flat: &mut Vec<Box<dyn Val + 'v>>) {
    for item in items {
        match list(item.as_ref()) {
            Ok(inner) if depth > 0 => flatten_into(inner, depth - 1, flat),
            _ => flat.push(item.clone_as_boxed()),
        }
    }
}

fn first<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [items] = arguments else { return Err(Wrong::Kinds) };
    made_item(list(*items)?.first().map(AsRef::as_ref))
}

fn last<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [items] = arguments else { return Err(Wrong::Kinds) };
    made_item(list(*items)?.last().map(AsRef::as_ref))
}

fn made_item<'v>(item: Option<Argument<'_, 'v>>) -> Made<'v> {
    let item = item.ok_or_else(|| Wrong::Because("the list is empty".to_owned()))?;
    meter::spend(meter::weight(&[item]))?;
    Ok(item.clone_as_boxed())
}

fn range<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [size] = arguments else { return Err(Wrong::Kinds) };
    let size = whole(*size)?;
    let items = u64::try_from(size).map_err(|_| Wrong::Because(format!("the size is negative: {size}")))?;
    meter::spend(items)?;
    made_list((0..size).map(|number| Box::new(CelInt::from(number)) as Box<dyn Val>).collect())
}
