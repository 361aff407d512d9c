//! What a schema says about the properties of an object inside a value.
//!
//! A repair may omit a property, or treat it as a wrapper, only if the schema allows it. The
//! relevant keywords may be next to the one that failed, behind a reference or in another branch,
//! so every schema that may apply to the object is checked.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use serde_json::{Map, Value};

use crate::json_path::{JsonPath, Step};
use crate::schema::reference::{KEYWORDS, Resolver, base_at, base_of};
use crate::schema::walk::{self, Reach};

/// How many schemas are visited while one value is repaired. A real value needs a few for each
/// place. For a schema that fans out, with thousands of broken places, the search stops and nothing
/// is known.
const MAX_LOOKS: usize = 1_000_000;

/// Answers questions about one schema, within a bound.
pub(super) struct Members<'a> {
    document: &'a Value,
    resolver: Option<Resolver<'a>>,
    /// For each schema that was met, those that judge the same value.
    in_place: HashMap<*const Value, Rc<[Seen<'a>]>>,
    looks: usize,
}

/// A schema, and the base address that it is seen from.
#[derive(Clone)]
struct Seen<'a> {
    base: Rc<str>,
    schema: &'a Value,
}

impl<'a> Members<'a> {
    pub(super) fn of(document: &'a Value) -> Self {
        Self { document, resolver: None, in_place: HashMap::new(), looks: MAX_LOOKS }
    }

    /// Whether a property of the object at a place is named in the schema. The entries of a map are
    /// not.
    pub(super) fn names(&mut self, place: &JsonPath, name: &str) -> bool {
        self.any(place, |keywords| has_property(keywords, name))
    }

    /// Whether the schema says anything of a member of the object at a place, be it as one of a map. True also
    /// if that is unknown: then the member is not a wrapper.
    pub(super) fn describes(&mut self, place: &JsonPath, name: &str) -> bool {
        self.any(place, |keywords| has_property(keywords, name) || is_map(keywords)) || self.looks == 0
    }

    fn any(&mut self, place: &JsonPath, says: impl Fn(&Map<String, Value>) -> bool) -> bool {
        let judging = self.judging(place);
        self.looks > 0 && judging.iter().filter_map(|seen| seen.schema.as_object()).any(says)
    }

    /// The schemas that may judge the part at a place, in whichever branch.
    fn judging(&mut self, place: &JsonPath) -> Vec<Seen<'a>> {
        let mut judging = self.in_place(Seen { base: Rc::from(""), schema: self.document }).to_vec();
        for step in place.steps() {
            let mut known: HashSet<*const Value> = HashSet::new();
            let mut inside = Vec::new();
            for outer in &judging {
                for part in parts(outer.schema, step) {
                    let part = self.in_place(outer.inner(part));
                    self.looks = self.looks.saturating_sub(1 + part.len());
                    inside.extend(part.iter().filter(|seen| known.insert(seen.address())).cloned());
                }
            }
            judging = inside;
        }
        judging
    }

    /// A schema, and all that judge the same value as it does.
    fn in_place(&mut self, schema: Seen<'a>) -> Rc<[Seen<'a>]> {
        let address = schema.address();
        if let Some(found) = self.in_place.get(&address) {
            return Rc::clone(found);
        }
        let mut known: HashSet<*const Value> = HashSet::new();
        let mut waiting = vec![schema];
        let mut found = Vec::new();
        while let Some(seen) = waiting.pop().filter(|_| self.looks > 0) {
            if !known.insert(seen.address()) {
                continue;
            }
            let children = walk::children(seen.schema);
            self.looks = self.looks.saturating_sub(1 + children.len());
            // A schema below `not` describes what is forbidden.
            let children = children.into_iter().filter(|child| {
                child.reach == Reach::InPlace && child.steps.first() != Some(&Step::Key("not".to_owned()))
            });
            waiting.extend(children.map(|child| seen.inner(child.schema)));
            waiting.extend(self.referred(&seen));
            found.push(seen);
        }
        let found: Rc<[Seen<'a>]> = found.into();
        self.in_place.insert(address, Rc::clone(&found));
        found
    }

    /// Where the references of a schema lead.
    fn referred(&mut self, seen: &Seen<'a>) -> Vec<Seen<'a>> {
        let document = self.document;
        let base = base_of(&seen.base, seen.schema);
        let references = KEYWORDS.iter().filter_map(|keyword| seen.schema.get(keyword)?.as_str());
        let resolver = self.resolver.get_or_insert_with(|| Resolver::new(document));
        references
            .filter_map(|reference| resolver.resolve(&base, reference))
            .map(|(place, schema)| Seen { base: base_at(document, &place).into(), schema })
            .collect()
    }
}

impl<'a> Seen<'a> {
    fn address(&self) -> *const Value {
        std::ptr::from_ref(self.schema)
    }

    /// A schema inside this one.
    fn inner(&self, schema: &'a Value) -> Seen<'a> {
        Seen { base: base_of(&self.base, self.schema).into(), schema }
    }
}

/// The subschemas that may judge the part that a step leads to. Patterns are not matched: all of them may.
fn parts<'a>(schema: &'a Value, step: &Step) -> Vec<&'a Value> {
    let of = |keywords: &[&str]| -> Vec<&'a Value> {
        keywords.iter().filter_map(|keyword| schema.get(keyword)).collect()
    };
    match step {
        Step::Key(name) => {
            let patterns = schema.get("patternProperties").and_then(Value::as_object);
            let mut parts = of(&["additionalProperties", "unevaluatedProperties"]);
            parts.extend(schema.get("properties").and_then(|properties| properties.get(name)));
            parts.extend(patterns.into_iter().flat_map(Map::values));
            parts
        }
        Step::Index(index) => {
            let tuple = of(&["items", "prefixItems"]).into_iter().filter_map(|list| list.get(index));
            let rest = of(&["items", "additionalItems", "unevaluatedItems"]);
            tuple.chain(rest).collect()
        }
    }
}

fn has_property(keywords: &Map<String, Value>, name: &str) -> bool {
    keywords.get("properties").is_some_and(|properties| properties.get(name).is_some())
}

/// Whether unnamed properties are described: a wrapper would be one of them.
fn is_map(keywords: &Map<String, Value>) -> bool {
    let says_something = |schema: &Value| schema.as_object().is_some_and(|keywords| !keywords.is_empty());
    keywords.get("patternProperties").is_some_and(says_something)
        || keywords.get("additionalProperties").is_some_and(says_something)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_found_through_references_and_in_branches() {
        let document = json!({
            "$defs": {"base": {"properties": {"id": {}}}},
            "allOf": [{"$ref": "#/$defs/base"}],
            "if": true, "then": {"properties": {"late": {"items": {"$ref": "#"}}}},
            "not": {"properties": {"never": {}}},
        });
        let mut members = Members::of(&document);
        let inside = JsonPath::root().key("late").index(3);
        for place in [JsonPath::root(), inside] {
            assert!(members.names(&place, "id") && members.names(&place, "late"));
            assert!(!members.names(&place, "never") && !members.describes(&place, "never"));
        }
        assert!(!members.names(&JsonPath::root().key("late"), "id"));
    }

    #[test]
    fn the_members_of_a_map_are_described_and_not_named() {
        for document in [
            json!({"additionalProperties": {"type": "integer"}}),
            json!({"patternProperties": {"^x": {"type": "integer"}}}),
        ] {
            let mut members = Members::of(&document);
            assert!(!members.names(&JsonPath::root(), "x") && members.describes(&JsonPath::root(), "x"));
        }
        assert!(!Members::of(&json!({"additionalProperties": {}})).describes(&JsonPath::root(), "x"));
    }
}
