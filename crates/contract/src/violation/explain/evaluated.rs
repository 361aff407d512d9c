//! Which members and items the other keywords of a schema have looked at, for `unevaluatedProperties` and
//! `unevaluatedItems`.

use std::collections::HashSet;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::{Explainer, Level, Node, base_of};
use crate::limits::MAX_EXPLAIN_DEPTH;
use crate::schema::Dialect;
use crate::schema::reference::KEYWORDS;

impl<'a> Explainer<'a> {
    pub(super) fn evaluated_names<'v>(
        &mut self,
        here: &Level<'a, '_>,
        value: &Value,
        members: &'v Map<String, Value>,
    ) -> HashSet<&'v str> {
        let mut names = HashSet::new();
        self.collect_names(here, value, members, &mut names, true);
        names
    }

    fn collect_names<'v>(
        &mut self,
        here: &Level<'a, '_>,
        value: &Value,
        members: &'v Map<String, Value>,
        names: &mut HashSet<&'v str>,
        outermost: bool,
    ) {
        let takes_all = here.get("additionalProperties").is_some()
            || (!outermost && here.get("unevaluatedProperties").is_some());
        for name in members.keys() {
            if takes_all || !self.schemas_for(here, name).is_empty() {
                names.insert(name);
            }
        }
        self.each_in_place(here, value, &mut |explainer, level| {
            explainer.collect_names(level, value, members, names, false);
        });
    }

    pub(super) fn evaluated_items(
        &mut self,
        here: &Level<'a, '_>,
        value: &Value,
        items: &[Value],
    ) -> HashSet<usize> {
        let mut indices = HashSet::new();
        self.collect_items(here, value, items, &mut indices, true);
        indices
    }

    fn collect_items(
        &mut self,
        here: &Level<'a, '_>,
        value: &Value,
        items: &[Value],
        indices: &mut HashSet<usize>,
        outermost: bool,
    ) {
        let (first, rest) = self.item_schemas(here);
        let takes_all = rest.is_some() || (!outermost && here.get("unevaluatedItems").is_some());
        indices.extend(0..if takes_all { items.len() } else { first.len().min(items.len()) });
        if let (Dialect::Draft202012, Some(schema)) = (self.dialect, here.get("contains")) {
            let node = here.child(schema);
            for (index, item) in items.iter().enumerate() {
                if self.holds(&node, item) {
                    indices.insert(index);
                }
            }
        }
        self.each_in_place(here, value, &mut |explainer, level| {
            explainer.collect_items(level, value, items, indices, false);
        });
    }

    /// Calls back for each schema that judges the same value and holds for it.
    fn each_in_place(
        &mut self,
        here: &Level<'a, '_>,
        value: &Value,
        visit: &mut dyn FnMut(&mut Self, &Level<'a, '_>),
    ) {
        if self.depth >= MAX_EXPLAIN_DEPTH {
            return;
        }
        self.depth += 1;
        for node in self.in_place(here, value) {
            if let Value::Object(keywords) = node.schema
                && self.holds(&node, value)
            {
                let base: Rc<str> = base_of(&node.base, node.schema).into();
                visit(self, &Level { node: &node, keywords, base });
            }
        }
        self.depth -= 1;
    }

    fn in_place(&mut self, here: &Level<'a, '_>, value: &Value) -> Vec<Node<'a>> {
        let references = KEYWORDS.iter().filter_map(|keyword| {
            here.get(keyword).and_then(Value::as_str).and_then(|reference| self.target(here.node, reference))
        });
        let mut nodes: Vec<Node<'a>> = references.collect();
        for keyword in ["allOf", "anyOf", "oneOf"] {
            if let Some(Value::Array(parts)) = here.get(keyword) {
                nodes.extend(parts.iter().map(|part| here.child(part)));
            }
        }
        if let Some(condition) = here.get("if") {
            let condition = here.child(condition);
            let keyword = if self.holds(&condition, value) { "then" } else { "else" };
            nodes.push(condition);
            nodes.extend(here.get(keyword).map(|schema| here.child(schema)));
        }
        for keyword in ["dependentSchemas", "dependencies"] {
            if let Some(Value::Object(schemas)) = here.get(keyword) {
                let present = schemas.iter().filter(|(name, _)| value.get(name.as_str()).is_some());
                nodes.extend(present.map(|(_, schema)| here.child(schema)));
            }
        }
        nodes
    }
}
