//! Which kinds of values a place takes, and a shape for each.

use serde_json::Value;

use super::{Builder, array, object, scalar};
use crate::lower::graph::{Branch, Guard, NodeId, Shape};
use crate::lower::kinds::Kinds;
use crate::lower::profile::{Maps, Tuples};
use crate::lower::source::{Conjunction, Part};

const ALL: &[&str] = &["null", "boolean", "integer", "number", "string", "array", "object"];

/// The types that a place takes.
pub(super) enum Types {
    /// As the source says.
    Given(Vec<&'static str>),
    /// The source says nothing.
    Open,
}

/// The types that all parts allow.
pub(super) fn types_of(parts: &[Part<'_>]) -> Types {
    let mut types: Option<Vec<&'static str>> = None;
    for part in parts {
        let Some(named) = part.get("type") else { continue };
        let named: Vec<&str> = match named {
            Value::String(name) => vec![name.as_str()],
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        types = Some(match types {
            None => named.iter().filter_map(|name| ALL.iter().copied().find(|each| each == name)).collect(),
            Some(before) => narrow(&before, &named),
        });
    }
    match types {
        // An integer is a number: naming both says no more than naming the wider.
        Some(mut types) => {
            if types.contains(&"number") {
                types.retain(|name| *name != "integer");
            }
            Types::Given(types)
        }
        None => Types::Open,
    }
}

fn narrow(before: &[&'static str], named: &[&str]) -> Vec<&'static str> {
    let both = |name: &str| {
        let wide = |list: &[&str]| list.contains(&name) || name == "integer" && list.contains(&"number");
        wide(before) && wide(named)
    };
    ALL.iter().copied().filter(|name| both(name)).collect()
}

/// The types that the keywords speak of, where `type` does not.
fn inferred(parts: &[Part<'_>]) -> Vec<&'static str> {
    let mut types = Vec::new();
    let mut speak = |keywords: &[&str], name: &'static str| {
        if parts.iter().any(|part| keywords.iter().any(|keyword| part.get(keyword).is_some())) {
            types.push(name);
        }
    };
    speak(&["minLength", "maxLength", "pattern", "format"], "string");
    speak(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"], "number");
    speak(array::KEYWORDS, "array");
    speak(object::KEYWORDS, "object");
    if !types.contains(&"object") && parts.iter().any(super::conditional::speaks_of_objects) {
        types.push("object");
    }
    types
}

impl<'a> Builder<'a> {
    /// The shape of a place without alternatives.
    pub(super) fn typed(&mut self, id: NodeId, conjunction: &Conjunction<'a>) -> Shape {
        let (types, untyped) = match types_of(&conjunction.parts) {
            Types::Given(types) => (types, false),
            Types::Open => (inferred(&conjunction.parts), true),
        };
        if types.is_empty() {
            return if untyped { Shape::Any } else { Shape::Never };
        }
        if ALL.iter().filter(|name| **name != "integer").all(|name| types.contains(name))
            && inferred(&conjunction.parts).is_empty()
        {
            return Shape::Any;
        }
        self.graph.get_mut(id).untyped = untyped;
        let scalars: Vec<&'static str> =
            types.iter().copied().filter(|name| !matches!(*name, "array" | "object")).collect();
        let mut groups: Vec<Kinds> = Vec::new();
        if !scalars.is_empty() {
            groups.push(scalars.iter().fold(Kinds::NONE, |kinds, name| kinds.with(Kinds::of_type(name))));
        }
        groups.extend(
            types
                .iter()
                .map(|name| Kinds::of_type(name))
                .filter(|kinds| *kinds == Kinds::ARRAY || *kinds == Kinds::OBJECT),
        );
        let place = self.graph.get(id).place.clone();
        if let [only] = groups.as_slice() {
            let shape = self.of_kind(id, *only, &scalars, conjunction);
            if !(untyped && self.changes_kind(&shape)) {
                return shape;
            }
            // Values of other kinds conform here and must not be mistaken for the changed shape.
            let inner = self.add(place.clone(), shape);
            let demands = std::mem::take(&mut self.graph.get_mut(id).demands);
            self.demand(inner, demands);
            let other = self.add(place, Shape::Any);
            let branches = vec![
                Branch { node: inner, guard: Guard::Kinds(*only) },
                Branch { node: other, guard: Guard::Kinds(Kinds::ALL.without(*only)) },
            ];
            return Shape::Union { branches, tagged: false, exactly_one: false };
        }
        let mut branches = Vec::new();
        for kinds in groups {
            let inner = self.add(place.clone(), Shape::Never);
            let shape = self.of_kind(inner, kinds, &scalars, conjunction);
            self.graph.get_mut(inner).shape = shape;
            branches.push(Branch { node: inner, guard: Guard::Kinds(kinds) });
        }
        if untyped {
            let rest = branches.iter().fold(Kinds::ALL, |rest, branch| match branch.guard {
                Guard::Kinds(kinds) => rest.without(kinds),
                Guard::Schemas(_) | Guard::Otherwise => rest,
            });
            let other = self.add(place, Shape::Any);
            branches.push(Branch { node: other, guard: Guard::Kinds(rest) });
        }
        Shape::Union { branches, tagged: false, exactly_one: false }
    }

    fn of_kind(
        &mut self,
        id: NodeId,
        kinds: Kinds,
        scalars: &[&'static str],
        conjunction: &Conjunction<'a>,
    ) -> Shape {
        if kinds == Kinds::OBJECT {
            return self.object(id, conjunction);
        }
        if kinds == Kinds::ARRAY {
            return self.array(id, conjunction);
        }
        self.demand(id, scalar::demands(&conjunction.parts, kinds));
        Shape::Scalar { types: scalars.to_vec(), values: None }
    }

    /// Whether the lowered value is of another kind than the source value.
    fn changes_kind(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Map { .. } => self.profile.maps == Maps::Pairs,
            Shape::Tuple { .. } => self.profile.tuples == Tuples::Object,
            _ => false,
        }
    }
}
