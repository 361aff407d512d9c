//! Objects: named properties, and the schema of the others.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::{Builder, conditional, scalar};
use crate::limits::MAX_LOWERED_PARTS;
use crate::lower::graph::{Branch, Demand, Guard, Member, NamePattern, NodeId, Rest, Shape};
use crate::lower::source::{At, Conjunction, Part};

pub(super) const KEYWORDS: &[&str] = &[
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "required",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
];

const DEMANDS: &[&str] = &[
    "minProperties",
    "maxProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
];

/// The names of an object, in the order in which the source gives them.
#[derive(Default)]
struct Names<'a> {
    order: Vec<&'a str>,
    known: HashSet<&'a str>,
    required: HashSet<&'a str>,
    /// Names that only a condition mentions, with their schemas.
    conditional: HashMap<&'a str, Vec<At<'a>>>,
}

impl<'a> Names<'a> {
    fn of(builder: &Builder<'a>, parts: &[Part<'a>]) -> Self {
        let mut names = Self::default();
        for part in parts {
            part.map("properties").into_iter().flatten().for_each(|(name, _)| names.add(name));
        }
        for part in parts {
            for name in part.list("required").into_iter().flatten().filter_map(Value::as_str) {
                names.required.insert(name);
                names.add(name);
            }
        }
        for part in parts {
            for (name, says) in conditional::properties(&builder.source, part) {
                let new = !names.known.contains(name) || names.conditional.contains_key(name);
                if new {
                    names.add(name);
                    names.conditional.entry(name).or_default().extend(says);
                }
            }
        }
        names
    }

    fn add(&mut self, name: &'a str) {
        if self.known.insert(name) {
            self.order.push(name);
        }
    }
}

impl<'a> Builder<'a> {
    pub(super) fn object(&mut self, id: NodeId, conjunction: &Conjunction<'a>) -> Shape {
        let parts = &conjunction.parts;
        let mut demands = Vec::new();
        scalar::collect(parts, DEMANDS, &mut demands);
        demands
            .retain(|demand: &Demand| demand.keyword != "minProperties" || demand.value.as_u64() != Some(0));
        self.demand(id, demands);
        let names = Names::of(self, parts);
        let patterns = parts.iter().filter_map(|part| part.map("patternProperties")).map(|map| map.len());
        let work = names.order.len().saturating_mul(parts.len() + patterns.sum::<usize>());
        self.spent += names.order.len();
        if work > MAX_LOWERED_PARTS * 10 || self.spent > MAX_LOWERED_PARTS {
            let place = self.graph.get(id).place.clone();
            self.lose(&place, "properties", "the object has too many properties with references expanded");
            return Shape::Any;
        }
        let mut members = Vec::new();
        for name in &names.order {
            let schemas: Vec<At<'a>> =
                parts.iter().flat_map(|part| self.schemas_of_property(part, name)).collect();
            let required = names.required.contains(name);
            if schemas.iter().any(|at| *at.schema == Value::Bool(false)) {
                if required {
                    return Shape::Never;
                }
                continue;
            }
            let node = match names.conditional.get(name).map(Vec::as_slice) {
                Some(says) => self.alternatives(id, &schemas, says),
                None => self.node(schemas),
            };
            members.push(Member::new(name, node, required));
        }
        let rest = self.rest(parts, &names);
        match rest {
            Some(rest) if members.is_empty() => Shape::Map { rest },
            rest => Shape::Object { members, rest },
        }
    }

    /// The schemas of a part for the property of this name.
    fn schemas_of_property(&mut self, part: &Part<'a>, name: &str) -> Vec<At<'a>> {
        let mut schemas = Vec::new();
        if let Some(schema) = part.map("properties").and_then(|map| map.get(name)) {
            schemas.push(At { place: part.place.key("properties").key(name), schema });
        }
        for (pattern, schema) in part.map("patternProperties").into_iter().flatten() {
            if self.matcher(pattern).matches(name) {
                schemas.push(At { place: part.place.key("patternProperties").key(pattern), schema });
            }
        }
        if schemas.is_empty() {
            schemas.extend(part.at("additionalProperties"));
        }
        schemas
    }

    /// A member that only conditions constrain. If they do not hold, any value is allowed.
    fn alternatives(&mut self, id: NodeId, schemas: &[At<'a>], says: &[At<'a>]) -> NodeId {
        if says.is_empty() {
            return self.node(schemas.to_vec());
        }
        let with = |at: &At<'a>| schemas.iter().cloned().chain([at.clone()]).collect::<Vec<_>>();
        let mut branches: Vec<Branch> = says
            .iter()
            .map(|at| Branch { node: self.node(with(at)), guard: Guard::Schemas(vec![at.place.clone()]) })
            .collect();
        branches.push(Branch { node: self.node(schemas.to_vec()), guard: Guard::Otherwise });
        let place = self.graph.get(id).place.clone();
        self.add(place, Shape::Union { branches, tagged: false, exactly_one: false })
    }

    /// The members without a name. An object that lists properties and does not mention others is treated as closed:
    /// its author meant that, and every provider needs it.
    fn rest(&mut self, parts: &[Part<'a>], names: &Names<'a>) -> Option<Rest> {
        let mut patterns: Vec<NamePattern> = Vec::new();
        for part in parts {
            for (pattern, schema) in part.map("patternProperties").into_iter().flatten() {
                if *schema == Value::Bool(false) {
                    continue;
                }
                let matcher = self.matcher(pattern).clone();
                let node =
                    self.node(vec![At { place: part.place.key("patternProperties").key(pattern), schema }]);
                self.spent += 1;
                patterns.push(NamePattern { pattern: pattern.clone(), matcher, node });
            }
        }
        let spoken: Vec<At<'a>> = parts
            .iter()
            .filter_map(|part| part.at("additionalProperties").or_else(|| part.at("unevaluatedProperties")))
            .collect();
        let declared = parts.iter().any(|part| part.get("properties").is_some()) || !names.order.is_empty();
        let closed = spoken.iter().any(|at| *at.schema == Value::Bool(false));
        let open = !spoken.is_empty() || !declared && patterns.is_empty();
        let other = (open && !closed).then(|| self.node(spoken));
        if other.is_none() && patterns.is_empty() {
            return None;
        }
        let mut wire = "additional_properties".to_owned();
        while names.known.contains(wire.as_str()) {
            wire.push('_');
        }
        Some(Rest { patterns, other, wire })
    }
}
