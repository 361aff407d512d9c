//! The order of definitions, and which of them contain themselves.

use crate::model::{Body, Definition, Shape};

/// Marks the recursive definitions, and returns all in an order in which what is used comes first.
pub(crate) fn sort(definitions: &mut [Definition]) -> Vec<usize> {
    let uses: Vec<Vec<usize>> = definitions.iter().map(used).collect();
    for (index, definition) in definitions.iter_mut().enumerate() {
        definition.is_recursive = reaches(&uses, index);
    }
    let (mut order, mut seen) = (Vec::with_capacity(uses.len()), vec![false; uses.len()]);
    for index in 0..uses.len() {
        visit(index, &uses, &mut seen, &mut order);
    }
    order
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

/// Whether a definition can be reached from itself.
fn reaches(uses: &[Vec<usize>], start: usize) -> bool {
    let of = |index: usize| uses.get(index).into_iter().flatten().copied();
    let (mut seen, mut open) = (vec![false; uses.len()], of(start).collect::<Vec<usize>>());
    while let Some(index) = open.pop() {
        if index == start {
            return true;
        }
        if let Some(seen) = seen.get_mut(index).filter(|seen| !**seen) {
            *seen = true;
            open.extend(of(index));
        }
    }
    false
}

/// Depth is bounded by the number of definitions that schemas of limited depth have.
fn visit(index: usize, uses: &[Vec<usize>], seen: &mut [bool], order: &mut Vec<usize>) {
    match seen.get_mut(index) {
        Some(seen) if !*seen => *seen = true,
        _ => return,
    }
    for inner in uses.get(index).into_iter().flatten() {
        visit(*inner, uses, seen, order);
    }
    order.push(index);
}
