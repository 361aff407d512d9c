//! Arrays: of any length, or with a schema for each position.

use serde_json::Value;

use super::{Builder, scalar};
use crate::lower::graph::{Demand, Member, NodeId, Shape};
use crate::lower::source::{At, Conjunction, Part};
use crate::schema::Dialect;

pub(super) const KEYWORDS: &[&str] = &[
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
];

/// What one part says about items.
struct Items<'a> {
    positions: Vec<At<'a>>,
    /// The schema of the items after the positional ones.
    rest: Option<At<'a>>,
}

fn items_of<'a>(part: &Part<'a>, dialect: Dialect) -> Items<'a> {
    let (positions, rest) = if dialect == Dialect::Draft202012 {
        ("prefixItems", "items")
    } else if part.get("items").is_some_and(Value::is_array) {
        ("items", "additionalItems")
    } else {
        ("", "items")
    };
    let listed = part.list(positions).into_iter().flatten().enumerate();
    let place = part.place.key(positions);
    let unevaluated = if dialect == Dialect::Draft7 { None } else { part.at("unevaluatedItems") };
    Items {
        positions: listed.map(|(index, schema)| At { place: place.index(index), schema }).collect(),
        rest: part.at(rest).or(unevaluated),
    }
}

impl<'a> Builder<'a> {
    pub(super) fn array(&mut self, id: NodeId, conjunction: &Conjunction<'a>) -> Shape {
        let dialect = self.source.dialect;
        let parts = &conjunction.parts;
        let items: Vec<Items<'a>> = parts.iter().map(|part| items_of(part, dialect)).collect();
        let mut demands = Vec::new();
        scalar::collect(parts, &["uniqueItems", "contains"], &mut demands);
        demands.retain(|demand| demand.value != Value::Bool(false) || demand.keyword != "uniqueItems");
        let bound = |keyword| parts.iter().filter_map(move |part| part.number(keyword));
        let least = bound("minItems").max().unwrap_or(0);
        let most = bound("maxItems").min();
        let length = items.iter().map(|each| each.positions.len()).max().unwrap_or(0);
        let closed = items.iter().any(|each| is_false(each.rest.as_ref()));
        if length == 0 {
            return self.list(id, &items, closed, parts, demands);
        }
        self.demand(id, demands);
        let length = most.map_or(length, |most| length.min(usize::try_from(most).unwrap_or(length)));
        let mut members = Vec::new();
        for index in 0..length {
            let schemas: Vec<At<'a>> = items
                .iter()
                .filter_map(|each| each.positions.get(index).or(each.rest.as_ref()).cloned())
                .collect();
            if schemas.iter().any(|at| is_false(Some(at))) {
                break;
            }
            self.spent += 1;
            let required = u64::try_from(index).is_ok_and(|index| index < least);
            let node = self.node(schemas);
            members.push(Member::new(&index.to_string(), node, required));
        }
        let full = members.len() < length || most.is_some_and(|most| most <= length as u64);
        let rest = if closed || full { None } else { self.more_items(id, &items, least, most, length) };
        Shape::Tuple { members, rest }
    }

    fn list(
        &mut self,
        id: NodeId,
        items: &[Items<'a>],
        closed: bool,
        parts: &[Part<'a>],
        mut demands: Vec<Demand>,
    ) -> Shape {
        scalar::collect(parts, &["minItems", "maxItems"], &mut demands);
        demands.retain(|demand| demand.keyword != "minItems" || demand.value.as_u64() != Some(0));
        if closed {
            // Only the empty list conforms; its items are never seen.
            let place = self.graph.get(id).place.clone();
            demands.retain(|demand| demand.keyword != "maxItems");
            demands.push(Demand { keyword: "maxItems", value: Value::from(0), place });
        }
        self.demand(id, demands);
        let schemas =
            if closed { Vec::new() } else { items.iter().filter_map(|each| each.rest.clone()).collect() };
        Shape::List { items: self.node(schemas) }
    }

    /// The list of what comes after the positions; `None` if the source only forgot to close it.
    fn more_items(
        &mut self,
        id: NodeId,
        items: &[Items<'a>],
        least: u64,
        most: Option<u64>,
        length: usize,
    ) -> Option<NodeId> {
        let length = length as u64;
        if items.iter().all(|each| each.rest.is_none()) && least <= length {
            return None;
        }
        let schemas = items.iter().filter_map(|each| each.rest.clone()).collect();
        let place = self.graph.get(id).place.clone();
        let inner = self.node(schemas);
        let list = self.add(place.clone(), Shape::List { items: inner });
        let bounds =
            [("minItems", Some(least.saturating_sub(length))), ("maxItems", most.map(|most| most - length))];
        for (keyword, bound) in bounds {
            if let Some(bound) = bound.filter(|bound| keyword != "minItems" || *bound > 0) {
                self.demand(list, [Demand { keyword, value: Value::from(bound), place: place.clone() }]);
            }
        }
        Some(list)
    }
}

fn is_false(at: Option<&At<'_>>) -> bool {
    at.is_some_and(|at| *at.schema == Value::Bool(false))
}
