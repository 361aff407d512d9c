//! Objects, maps and tuples in lowered form.

use serde_json::{Map, Value, json};

use super::{Emitter, as_map, with};
use crate::lower::fields::REST_ITEMS;
use crate::lower::graph::{Demand, Member, Node, NodeId, Presence, Rest};
use crate::lower::profile::{Maps, Tuples};

pub(super) fn object<'n>(properties: impl IntoIterator<Item = (&'n str, Value)>, required: &[&str]) -> Value {
    let properties: Map<String, Value> =
        properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    Value::Object(with([
        ("type", "object".into()),
        ("properties", properties.into()),
        ("required", required.to_vec().into()),
        ("additionalProperties", false.into()),
    ]))
}

impl<'g> Emitter<'g> {
    pub(super) fn object(
        &mut self,
        node: &'g Node,
        members: &'g [Member],
        rest: Option<&'g Rest>,
        depth: usize,
    ) -> Map<String, Value> {
        let mut properties = self.members(members, depth);
        let mut required: Vec<&str> = members
            .iter()
            .filter(|member| member.always_there())
            .map(|member| member.wire.as_str())
            .collect();
        let mut additional = Value::Bool(false);
        match (rest, self.profile().maps) {
            (Some(rest), Maps::Pairs) => {
                required.push(&rest.wire);
                let mut pairs = self.pairs(node, rest, depth + 2);
                pairs
                    .insert("description".to_owned(), Value::from("Further properties, each with its name."));
                properties.push((&rest.wire, Value::Object(pairs)));
            }
            (Some(rest), Maps::Keep) => additional = self.additional(node, rest, depth),
            (None, _) => {}
        }
        let mut schema = as_map(object(properties, &required));
        schema.insert("additionalProperties".to_owned(), additional);
        schema
    }

    fn members(&mut self, members: &'g [Member], depth: usize) -> Vec<(&'g str, Value)> {
        let mut properties = Vec::new();
        for member in members {
            let levels = if member.presence == Presence::Plain { 2 } else { 6 };
            let schema = self.schema(member.node, depth + levels);
            properties.push((member.wire.as_str(), present(member.presence, schema)));
        }
        properties
    }

    pub(super) fn map(&mut self, node: &'g Node, rest: &'g Rest, depth: usize) -> Map<String, Value> {
        match self.profile().maps {
            Maps::Pairs => self.pairs(node, rest, depth),
            Maps::Keep => {
                let additional = self.additional(node, rest, depth);
                with([("type", "object".into()), ("additionalProperties", additional)])
            }
        }
    }

    /// A list of `{key, value}`.
    fn pairs(&mut self, node: &'g Node, rest: &'g Rest, depth: usize) -> Map<String, Value> {
        let patterns = rest.patterns.iter().map(|each| (Some(each.pattern.as_str()), each.node));
        let kinds = patterns.chain(rest.other.map(|other| (None, other)));
        let items = self.any_of(kinds, |emitter, (pattern, id)| {
            let value = emitter.schema(id, depth + 5);
            let demand = pattern.map(|pattern| Demand {
                keyword: "pattern",
                value: Value::from(pattern),
                place: node.place.key("patternProperties"),
            });
            Some(object([("key", emitter.key(demand.as_ref())), ("value", value)], &["key", "value"]))
        });
        with([("type", "array".into()), ("items", items)])
    }

    fn key(&mut self, pattern: Option<&Demand>) -> Value {
        let mut key = as_map(json!({ "type": "string" }));
        if let Some(demand) = pattern {
            let accepted = self.profile().string_keywords.iter().any(|each| each == "pattern")
                && demand.value.as_str().is_some_and(|pattern| self.profile().pattern.accepts(pattern));
            if accepted {
                key.insert("pattern".to_owned(), demand.value.clone());
            } else {
                let mut sentences = Vec::new();
                self.put_into_words(demand, &mut sentences);
                if let Some(sentence) = sentences.pop() {
                    key.insert("description".to_owned(), Value::from(sentence));
                }
            }
        }
        Value::Object(key)
    }

    /// The value of `additionalProperties` where maps are kept.
    fn additional(&mut self, node: &'g Node, rest: &'g Rest, depth: usize) -> Value {
        if !rest.patterns.is_empty() {
            self.lose(&node.place, "patternProperties", "property name patterns are not enforced");
        }
        let mut anything = false;
        let schema = self.any_of(rest.nodes(), |emitter, id| {
            let schema = emitter.schema(id, depth + 3);
            anything |= schema.as_object().is_some_and(Map::is_empty);
            Some(schema)
        });
        if anything { Value::Bool(true) } else { schema }
    }

    pub(super) fn tuple(
        &mut self,
        node: &'g Node,
        members: &'g [Member],
        rest: Option<NodeId>,
        depth: usize,
    ) -> Map<String, Value> {
        if self.profile().tuples == Tuples::Items {
            return self.items(node, members, rest, depth);
        }
        let mut properties = self.members(members, depth);
        let mut required: Vec<&str> = members
            .iter()
            .filter(|member| member.always_there())
            .map(|member| member.wire.as_str())
            .collect();
        if let Some(rest) = rest {
            required.push(REST_ITEMS);
            properties.push((REST_ITEMS, self.schema(rest, depth + 2)));
        }
        as_map(object(properties, &required))
    }

    /// A tuple as a list in `items`, where every position is asked for. What may follow or be missing cannot be said
    /// there: then each item may match any position.
    fn items(
        &mut self,
        node: &'g Node,
        members: &'g [Member],
        rest: Option<NodeId>,
        depth: usize,
    ) -> Map<String, Value> {
        let least = members.iter().filter(|member| member.required).count();
        let most = members.len();
        let mut schema = with([("type", "array".into())]);
        let nodes = members.iter().map(|member| member.node);
        let items = if rest.is_none() && least == most {
            nodes.map(|id| self.schema(id, depth + 2)).collect::<Vec<_>>().into()
        } else {
            // The rest is a list; here its items are wanted.
            let nodes = nodes.map(|id| (id, false)).chain(rest.map(|rest| (rest, true)));
            let items = self.any_of(nodes, |emitter, (id, is_rest)| match is_rest {
                false => Some(emitter.schema(id, depth + 2)),
                true => as_map(emitter.schema(id, depth)).remove("items"),
            });
            if items.get("anyOf").is_some() {
                self.lose(&node.place, "prefixItems", "each item may match any position");
            }
            items
        };
        schema.insert("items".to_owned(), items);
        schema.insert("minItems".to_owned(), least.into());
        if rest.is_none() {
            schema.insert("maxItems".to_owned(), most.into());
        }
        schema
    }
}

/// The schema of a member, with the way in which its absence is written.
fn present(presence: Presence, schema: Value) -> Value {
    match presence {
        Presence::Plain => schema,
        Presence::Nullable => nullable(schema),
        Presence::MarkedByObject => {
            let mark = object([("absent", json!({ "type": "boolean", "enum": [true] }))], &["absent"]);
            or(schema, described(mark, "Leaves the property out."))
        }
        Presence::MarkedByText => {
            or(schema, described(json!({ "type": "string", "enum": ["absent"] }), "Leaves the property out."))
        }
        Presence::Boxed => {
            let value = object([("value", schema)], &["value"]);
            or(value, described(json!({ "type": "null" }), "Leaves the property out."))
        }
    }
}

fn described(mut schema: Value, description: &str) -> Value {
    if let Some(keywords) = schema.as_object_mut() {
        keywords.insert("description".to_owned(), Value::from(description));
    }
    schema
}

fn nullable(mut schema: Value) -> Value {
    let Some(keywords) = schema.as_object_mut() else { return schema };
    let composite = keywords.contains_key("properties") || keywords.contains_key("items");
    match keywords.get("type") {
        Some(Value::String(name)) if !composite => {
            keywords.insert("type".to_owned(), json!([name, "null"]));
        }
        Some(Value::Array(names)) if !composite => {
            let names: Vec<Value> = names.iter().cloned().chain([Value::from("null")]).collect();
            keywords.insert("type".to_owned(), Value::Array(names));
        }
        _ => return or(schema, json!({ "type": "null" })),
    }
    if let Some(Value::Array(values)) = keywords.get_mut("enum") {
        values.push(Value::Null);
    }
    schema
}

/// The schema with one more alternative.
fn or(mut schema: Value, alternative: Value) -> Value {
    match schema.get_mut("anyOf") {
        Some(Value::Array(branches)) => {
            branches.push(alternative);
            schema
        }
        _ => Value::Object(with([("anyOf", vec![schema, alternative].into())])),
    }
}
