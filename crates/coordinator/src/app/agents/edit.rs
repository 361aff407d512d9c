//! Changes parts of agents.

use accord_api::AgentView;
use accord_blueprint::Agents;
use serde_json::{Map, Value};

use crate::app::Expected;
use crate::app::blueprints::Blueprints;
use crate::app::definitions::{Kind as _, check};
use crate::error::{Error, refuse};

impl Blueprints {
    /// Changes parts of a blueprint: a JSON merge patch (RFC 7396).
    pub(crate) async fn patch_agent(
        &self,
        name: &str,
        patch: &Value,
        expected: &Expected,
    ) -> Result<AgentView, Error> {
        if !patch.is_object() {
            return Err(refuse("expected an object with fields to set, and null for fields to remove"));
        }
        let _writing = self.catalog.writing.lock().await;
        let found = self.catalog.found(name).await?;
        check::<Agents>(expected, name, found.hash())?;
        let mut value = found.value().clone();
        merge(&mut value, patch);
        let parsed = Agents::valid(self, value).await?;
        if parsed.name() != Some(name) {
            return Err(refuse("an agent cannot be renamed; create another agent and delete this one"));
        }
        // The patched blueprint must not have changed meanwhile.
        let expected = Expected::OneOf(vec![found.hash().to_owned()]);
        self.replace::<Agents>(found, parsed, &expected).await
    }
}

/// A JSON merge patch (RFC 7396). Parsers limit the depth of both values.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(members) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(object) = target else { return };
    for (name, value) in members {
        if value.is_null() {
            object.shift_remove(name);
        } else {
            merge(object.entry(name.as_str()).or_insert(Value::Null), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn merges_as_in_rfc_7396() {
        // The examples of RFC 7396, appendix A.
        let cases = [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
            (json!({"a": [1]}), json!({"a": [{"b": null}]}), json!({"a": [{"b": null}]})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ];
        for (mut target, patch, expected) in cases {
            merge(&mut target, &patch);
            assert_eq!(target, expected);
        }
    }
}
