//! Alternatives. Siblings of `anyOf` are copied into each branch, because providers want a union to
//! have no siblings; two sibling unions become one of all their pairs.

use serde_json::Value;

use super::{Builder, Request};
use crate::limits::MAX_UNION_PRODUCT;
use crate::lower::graph::{Branch, Demand, Guard, NodeId, Shape};
use crate::lower::source::{Alternatives, At, Conjunction, identity, is_silent};

/// Parts the unions that give shape from those that only say which members go together.
pub(super) fn split<'u, 'a>(unions: &'u [Alternatives<'a>]) -> (Vec<&'u Alternatives<'a>>, Vec<Demand>) {
    let (refining, shaping): (Vec<_>, Vec<_>) = unions.iter().partition(|union| is_refinement(union));
    let demands = refining.into_iter().map(|union| Demand {
        keyword: union.keyword,
        value: union.list.clone(),
        place: union.place.clone(),
    });
    (shaping, demands.collect())
}

fn is_refinement(union: &Alternatives<'_>) -> bool {
    union.branches.iter().all(|branch| match branch.schema {
        Value::Object(keywords) => {
            keywords.contains_key("required")
                && keywords.keys().all(|keyword| {
                    is_silent(keyword)
                        || matches!(
                            keyword.as_str(),
                            "required" | "not" | "dependentRequired" | "minProperties" | "maxProperties"
                        )
                })
        }
        _ => false,
    })
}

impl<'a> Builder<'a> {
    pub(super) fn union(
        &mut self,
        id: NodeId,
        request: &Request<'a>,
        conjunction: &Conjunction<'a>,
        unions: &[&Alternatives<'a>],
    ) -> Shape {
        let count = unions.iter().fold(1usize, |count, union| count.saturating_mul(union.branches.len()));
        if unions.len() > 1 && count > MAX_UNION_PRODUCT {
            let place = self.graph.get(id).place.clone();
            self.lose(&place, "anyOf", "several unions side by side have too many combinations");
            return Shape::Any;
        }
        let alone = unions.len() == 1 && has_no_shape_beside(conjunction);
        let mut resolved = request.resolved.clone();
        resolved.extend(unions.iter().map(|union| identity(union.list)));
        let mut branches = Vec::new();
        for chosen in combinations(unions) {
            let guard = Guard::Schemas(chosen.iter().map(|at| at.place.clone()).collect());
            let node = if alone {
                self.node(chosen)
            } else {
                self.spent += conjunction.parts.len();
                let schemas = chosen.into_iter().chain(request.schemas.iter().cloned()).collect();
                self.request(Request { schemas, resolved: resolved.clone() })
            };
            branches.push(Branch { node, guard });
        }
        let exactly_one = unions.iter().any(|union| union.keyword == "oneOf");
        Shape::Union { branches, tagged: false, exactly_one }
    }
}

/// Whether nothing beside the union gives shape.
fn has_no_shape_beside(conjunction: &Conjunction<'_>) -> bool {
    conjunction.parts.iter().all(|part| {
        part.keywords.keys().all(|keyword| {
            is_silent(keyword)
                || matches!(
                    keyword.as_str(),
                    "anyOf" | "oneOf" | "allOf" | "$ref" | "$dynamicRef" | "$recursiveRef" | "not"
                )
        })
    })
}

/// Every way to take one branch of each union.
fn combinations<'a>(unions: &[&Alternatives<'a>]) -> Vec<Vec<At<'a>>> {
    unions.iter().fold(vec![Vec::new()], |taken, union| {
        taken
            .iter()
            .flat_map(|chosen| {
                union
                    .branches
                    .iter()
                    .map(move |branch| chosen.iter().cloned().chain([branch.clone()]).collect())
            })
            .collect()
    })
}
