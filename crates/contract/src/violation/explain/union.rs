//! Alternatives. When none holds, one of them was meant: the one whose tag the value carries, else one of the
//! value's type, else the one with the fewest errors. Only that one is explained.

use std::cmp::Reverse;

use serde_json::Value;

use super::findings::{Collector, Score, Trail};
use super::{Explainer, Level, Node, wording};

impl<'a> Explainer<'a> {
    pub(super) fn union(
        &mut self,
        here: &Level<'a, '_>,
        keyword: &'static str,
        branches: &'a [Value],
        value: &Value,
        trail: &Trail<'_>,
        found: &mut Collector,
    ) {
        let nodes: Vec<Node<'a>> = branches.iter().map(|branch| here.child(branch)).collect();
        let scores: Vec<Score> = nodes.iter().map(|node| self.score(node, value)).collect();
        let holding: Vec<usize> = (0..scores.len())
            .filter(|index| scores.get(*index).is_some_and(|score| score.is_zero()))
            .collect();
        match (keyword, holding.len()) {
            (_, 0) => {}
            ("oneOf", 2..) => {
                let schema = here.node.schema;
                found.fail(trail, schema, keyword, || wording::several_hold(&holding, branches));
                return;
            }
            _ => return,
        }
        let alternatives =
            Alternatives { shapes: nodes.iter().map(|node| self.shape(node)).collect(), nodes, scores };
        if found.is_collecting() {
            self.explain_union(here, keyword, branches, &alternatives, value, trail, found);
        } else if let Some(best) = alternatives.closest(&alternatives.all(), value) {
            found.add(alternatives.scores.get(best).copied().unwrap_or_default());
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the union, the value and where they met")]
    fn explain_union(
        &mut self,
        here: &Level<'a, '_>,
        keyword: &'static str,
        branches: &[Value],
        alternatives: &Alternatives<'a>,
        value: &Value,
        trail: &Trail<'_>,
        found: &mut Collector,
    ) {
        let mut candidates = alternatives.all();
        if let Some(tag) = alternatives.tag(value) {
            match value.get(tag.name) {
                None => {
                    found.fail(trail, here.node.schema, "required", || {
                        wording::missing_tag(tag.name, &tag.options())
                    });
                    return;
                }
                Some(given) => {
                    candidates = tag.branches_for(given);
                    if candidates.is_empty() {
                        let trail = trail.key(tag.name);
                        found.fail(&trail, here.node.schema, "enum", || {
                            wording::not_one_of(given, &tag.options())
                        });
                        return;
                    }
                }
            }
        }
        let narrowed = candidates.len() < alternatives.nodes.len();
        if let Some(types) = alternatives.types_if_all_differ(value) {
            found.fail_fatally(trail, here.node.schema, "type", || wording::wrong_type(value, &types));
            return;
        }
        if let Some(options) = alternatives.options_if_all_have(value) {
            found.fail(trail, here.node.schema, "enum", || wording::not_one_of(value, &options));
            return;
        }
        let likely: Vec<usize> =
            candidates.iter().copied().filter(|index| !alternatives.is_fatal(*index)).collect();
        let pool = if likely.is_empty() { &candidates } else { &likely };
        let Some(closest) = alternatives.closest(pool, value) else {
            found.fail(trail, here.node.schema, keyword, || wording::no_alternative(value));
            return;
        };
        let (before, mark) = (found.errors(), found.kept());
        if let Some(node) = alternatives.nodes.get(closest) {
            self.visit(node, value, trail, found);
        }
        if found.errors() == before {
            found.fail(trail, here.node.schema, keyword, || wording::no_alternative(value));
        } else if !narrowed && pool.len() > 1 {
            found.note_members_since(mark, trail, &wording::closest(closest, branches));
        }
    }
}

struct Alternatives<'a> {
    nodes: Vec<Node<'a>>,
    /// Each alternative, with references followed.
    shapes: Vec<&'a Value>,
    scores: Vec<Score>,
}

impl<'a> Alternatives<'a> {
    fn all(&self) -> Vec<usize> {
        (0..self.nodes.len()).collect()
    }

    fn is_fatal(&self, index: usize) -> bool {
        self.scores.get(index).is_some_and(|score| score.fatal)
    }

    /// The fewest errors; a member that an alternative does not know speaks against it.
    fn closest(&self, candidates: &[usize], value: &Value) -> Option<usize> {
        candidates.iter().copied().min_by_key(|index| {
            let score = self.scores.get(*index).copied().unwrap_or_default();
            let (known, unknown) = self.shapes.get(*index).map_or((0, 0), |shape| familiarity(shape, value));
            (score.fatal, score.errors + unknown, Reverse(known))
        })
    }

    /// The types wanted, if every alternative names its types and the value has none of them.
    fn types_if_all_differ(&self, value: &Value) -> Option<Vec<&'a str>> {
        let mut wanted: Vec<&str> = Vec::new();
        for shape in &self.shapes {
            let types = types_of(shape)?;
            if types.iter().any(|name| wording::is_of_type(value, name)) {
                return None;
            }
            wanted.extend(types);
        }
        let mut distinct: Vec<&str> = Vec::new();
        wanted.into_iter().for_each(|name| {
            if !distinct.contains(&name) {
                distinct.push(name);
            }
        });
        Some(distinct)
    }

    /// All options together, if every alternative that the value could be is a list of them.
    fn options_if_all_have(&self, value: &Value) -> Option<Vec<&'a Value>> {
        let mut options = Vec::new();
        for shape in &self.shapes {
            match options_of(shape) {
                Some(more) => options.extend(more),
                None if types_of(shape)?.iter().any(|name| wording::is_of_type(value, name)) => return None,
                None => {}
            }
        }
        (!options.is_empty()).then_some(options)
    }

    /// A member that tells the object alternatives apart by its value.
    fn tag(&self, value: &Value) -> Option<Tag<'a>> {
        let members = value.as_object()?;
        let objects: Vec<(usize, &'a Value)> = self
            .shapes
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, shape)| types_of(shape).is_none_or(|types| types.contains(&"object")))
            .collect();
        let (_, first) = objects.first().filter(|_| objects.len() > 1)?;
        first.get("properties")?.as_object()?.keys().find_map(|name| {
            let branches: Vec<(usize, Vec<&'a Value>)> = objects
                .iter()
                .map(|(index, shape)| Some((*index, options_of(shape.get("properties")?.get(name)?)?)))
                .collect::<Option<_>>()?;
            let required = objects.iter().all(|(_, shape)| requires(shape, name));
            let (_, first) = branches.first()?;
            let tells_apart = branches.iter().any(|(_, options)| options != first);
            (tells_apart && (required || members.contains_key(name))).then_some(Tag { name, branches })
        })
    }
}

struct Tag<'a> {
    name: &'a str,
    branches: Vec<(usize, Vec<&'a Value>)>,
}

impl<'a> Tag<'a> {
    fn options(&self) -> Vec<&'a Value> {
        let mut options: Vec<&Value> = Vec::new();
        for option in self.branches.iter().flat_map(|(_, options)| options) {
            if !options.contains(option) {
                options.push(option);
            }
        }
        options
    }

    fn branches_for(&self, given: &Value) -> Vec<usize> {
        let matching = self.branches.iter().filter(|(_, options)| options.contains(&given));
        matching.map(|(index, _)| *index).collect()
    }
}

fn requires(shape: &Value, name: &str) -> bool {
    let required = shape.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|required| required.as_str() == Some(name)))
}

fn types_of(shape: &Value) -> Option<Vec<&str>> {
    match shape.get("type")? {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

fn options_of(shape: &Value) -> Option<Vec<&Value>> {
    match (shape.get("const"), shape.get("enum")) {
        (Some(only), _) => Some(vec![only]),
        (None, Some(Value::Array(options))) => Some(options.iter().collect()),
        _ => None,
    }
}

/// How many of an object's members an alternative names, and how many it does not.
fn familiarity(shape: &Value, value: &Value) -> (usize, usize) {
    let (Some(Value::Object(properties)), Value::Object(members)) = (shape.get("properties"), value) else {
        return (0, 0);
    };
    let known = members.keys().filter(|name| properties.contains_key(*name)).count();
    (known, members.len() - known)
}
