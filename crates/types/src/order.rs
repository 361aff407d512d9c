//! The order of definitions, and which of them contain themselves.

use accord_json::{Exceeded, Meter};

use crate::model::{Body, Definition, Shape};

/// Marks the recursive definitions, and returns all in an order in which what is used comes first.
pub(crate) fn sort(definitions: &mut [Definition], meter: &Meter) -> Result<Vec<usize>, Exceeded> {
    let uses: Vec<Vec<usize>> = definitions.iter().map(used).collect();
    let order = after_what_they_use(&uses, 0..uses.len(), &mut vec![false; uses.len()], meter)?;
    // Definitions that use each other: from the last one on, all that leads to it and belongs to no other group.
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); uses.len()];
    for (index, inner) in uses.iter().enumerate() {
        for inner in inner {
            if let Some(users) = users.get_mut(*inner) {
                users.push(index);
            }
        }
    }
    let mut seen = vec![false; uses.len()];
    for index in order.iter().rev() {
        let group = after_what_they_use(&users, [*index], &mut seen, meter)?;
        let uses_itself = uses.get(*index).is_some_and(|inner| inner.contains(index));
        for member in &group {
            if let Some(definition) = definitions.get_mut(*member) {
                definition.is_recursive = group.len() > 1 || uses_itself;
            }
        }
    }
    Ok(order)
}

fn used(definition: &Definition) -> Vec<usize> {
    let mut found = Vec::new();
    match &definition.body {
        Body::Alias(shape) => collect(shape, &mut found),
        Body::Record(record) => record.fields.iter().for_each(|field| collect(&field.shape, &mut found)),
    }
    found
}

fn collect(shape: &Shape, found: &mut Vec<usize>) {
    match shape {
        Shape::Named(index) => found.push(*index),
        Shape::List(inner) | Shape::Map(inner) => collect(inner, found),
        Shape::Union(parts) => parts.iter().for_each(|part| collect(part, found)),
        _ => {}
    }
}

/// All that is reached from these and not seen before, each after what it leads to. Chains of references are longer than the
/// stack is deep, so the way back is a list.
fn after_what_they_use(
    uses: &[Vec<usize>],
    from: impl IntoIterator<Item = usize>,
    seen: &mut [bool],
    meter: &Meter,
) -> Result<Vec<usize>, Exceeded> {
    let mut order = Vec::new();
    for index in from {
        let mut open = vec![(index, 0)];
        while let Some((index, position)) = open.pop() {
            meter.steps(1)?;
            match seen.get_mut(index) {
                Some(seen) if position == 0 && *seen => continue,
                Some(seen) => *seen = true,
                None => continue,
            }
            match uses.get(index).and_then(|inner| inner.get(position)) {
                Some(inner) => open.extend([(index, position + 1), (*inner, 0)]),
                None => order.push(index),
            }
        }
    }
    Ok(order)
}
