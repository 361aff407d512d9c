//! Objects: which members there must be, may be and may not be, and what each of them is.

use serde_json::{Map, Value};

use super::super::nearest;
use super::findings::{Collector, Trail};
use super::{Explainer, Level, Node, wording};

impl<'a> Explainer<'a> {
    pub(super) fn object(
        &mut self,
        here: &Level<'a, '_>,
        value: &Value,
        members: &Map<String, Value>,
        trail: &Trail<'_>,
        found: &mut Collector,
    ) {
        let misnamed = required(here, members, trail, found);
        self.dependencies(here, value, members, trail, found);
        self.names(here, members, trail, found);
        self.members(here, members, &misnamed, trail, found);
        self.unevaluated_members(here, value, members, &misnamed, trail, found);
    }

    fn names(
        &mut self,
        here: &Level<'a, '_>,
        members: &Map<String, Value>,
        trail: &Trail<'_>,
        found: &mut Collector,
    ) {
        let Some(schema) = here.get("propertyNames") else { return };
        for name in members.keys() {
            let as_value = Value::from(name.as_str());
            if self.visits == 0 || found.is_full() || self.holds(&here.child(schema), &as_value) {
                continue;
            }
            let mut inner = Collector::collecting();
            self.visit(&here.child(schema), &as_value, &Trail::root(), &mut inner);
            let cause = inner.into_findings().kept.into_iter().next().map(|finding| finding.message);
            found.fail(trail, schema, "propertyNames", || wording::bad_name(name, cause));
        }
    }

    fn members(
        &mut self,
        here: &Level<'a, '_>,
        members: &Map<String, Value>,
        misnamed: &[&str],
        trail: &Trail<'_>,
        found: &mut Collector,
    ) {
        let additional = here.get("additionalProperties");
        let mut unexpected = Vec::new();
        for (name, member) in members {
            if self.visits == 0 || found.is_full() {
                return;
            }
            let schemas = self.schemas_for(here, name);
            let trail = trail.key(name);
            for schema in &schemas {
                found.inside(|found| self.visit(schema, member, &trail, found));
            }
            match additional {
                Some(Value::Bool(false)) if schemas.is_empty() => unexpected.push(name.as_str()),
                Some(schema) if schemas.is_empty() => {
                    found.inside(|found| self.visit(&here.child(schema), member, &trail, found));
                }
                _ => {}
            }
        }
        unexpected.retain(|name| !misnamed.contains(name));
        if !unexpected.is_empty() {
            found.fail(trail, here.node.schema, "additionalProperties", || {
                wording::unexpected(&unexpected, here.node.schema)
            });
        }
    }

    /// The schemas that speak of a member by its name.
    pub(super) fn schemas_for(&mut self, here: &Level<'a, '_>, name: &str) -> Vec<Node<'a>> {
        let mut schemas: Vec<Node<'a>> = Vec::new();
        if let Some(schema) = here.get("properties").and_then(|properties| properties.get(name)) {
            schemas.push(here.child(schema));
        }
        if let Some(Value::Object(patterns)) = here.get("patternProperties") {
            for (pattern, schema) in patterns {
                if self.leaves.matches(pattern, name) {
                    schemas.push(here.child(schema));
                }
            }
        }
        schemas
    }

    fn dependencies(
        &mut self,
        here: &Level<'a, '_>,
        value: &Value,
        members: &Map<String, Value>,
        trail: &Trail<'_>,
        found: &mut Collector,
    ) {
        for keyword in ["dependencies", "dependentRequired", "dependentSchemas"] {
            let Some(Value::Object(dependencies)) = here.get(keyword) else { continue };
            for (name, demand) in dependencies.iter().filter(|(name, _)| members.contains_key(*name)) {
                match demand {
                    Value::Array(wanted) => {
                        for other in wanted.iter().filter_map(Value::as_str) {
                            if !members.contains_key(other) {
                                found.fail(trail, demand, keyword, || wording::missing_beside(other, name));
                            }
                        }
                    }
                    schema => {
                        let mark = found.kept();
                        self.visit(&here.child(schema), value, trail, found);
                        found.note_since(mark, &wording::because_present(name));
                    }
                }
            }
        }
    }

    fn unevaluated_members(
        &mut self,
        here: &Level<'a, '_>,
        value: &Value,
        members: &Map<String, Value>,
        misnamed: &[&str],
        trail: &Trail<'_>,
        found: &mut Collector,
    ) {
        let Some(schema) = here.get("unevaluatedProperties") else { return };
        let evaluated = self.evaluated_names(here, value, members);
        let rest = || members.iter().filter(|(name, _)| !evaluated.contains(name.as_str()));
        if schema == &Value::Bool(false) {
            let unexpected: Vec<&str> =
                rest().map(|(name, _)| name.as_str()).filter(|name| !misnamed.contains(name)).collect();
            if !unexpected.is_empty() {
                found.fail(trail, here.node.schema, "unevaluatedProperties", || {
                    wording::unevaluated(&unexpected, here.node.schema)
                });
            }
            return;
        }
        for (name, member) in rest() {
            let trail = trail.key(name);
            found.inside(|found| self.visit(&here.child(schema), member, &trail, found));
        }
    }
}

/// Reports missing members; returns the names that replace one, which need not be reported again.
fn required<'v>(
    here: &Level<'_, '_>,
    members: &'v Map<String, Value>,
    trail: &Trail<'_>,
    found: &mut Collector,
) -> Vec<&'v str> {
    let Some(Value::Array(names)) = here.get("required") else { return Vec::new() };
    let known = |name: &str| {
        here.get("properties").is_some_and(|properties| properties.get(name).is_some())
            || names.iter().any(|required| required.as_str() == Some(name))
    };
    let mut misnamed = Vec::new();
    for name in names.iter().filter_map(Value::as_str).filter(|name| !members.contains_key(*name)) {
        let unknown = members.keys().map(String::as_str).filter(|name| !known(name));
        // A typing slip is only looked for while a model could still act on the answer.
        let stand_in = if found.is_collecting() { nearest::stand_in(name, unknown.take(100)) } else { None };
        misnamed.extend(stand_in);
        found.fail(trail, here.node.schema, "required", || wording::missing(name, stand_in));
    }
    misnamed
}
