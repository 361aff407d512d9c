//! Which parts of a schema describe a value, for their annotations.
//!
//! Every branch of `allOf`, `anyOf`, `oneOf` and of conditions counts: an annotation is looked for, nothing is validated.

use serde_json::Value;

/// The maximum number of parts of a schema that are examined for one value.
const MAX_PARTS: usize = 64;

/// The parts of one schema document that describe one value.
#[derive(Debug, Clone)]
pub(super) struct Parts<'s> {
    root: &'s Value,
    parts: Vec<&'s Value>,
}

impl<'s> Parts<'s> {
    /// Those for the whole output.
    pub(super) fn of_root(root: &'s Value) -> Self {
        Self::expanded(root, vec![root])
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'s Value> + '_ {
        self.parts.iter().copied()
    }

    /// Those for a member.
    pub(super) fn member(&self, name: &str) -> Self {
        let of = |part: &&'s Value| {
            part.get("properties")
                .and_then(|properties| properties.get(name))
                .or_else(|| part.get("additionalProperties"))
        };
        Self::expanded(self.root, self.parts.iter().filter_map(of).collect())
    }

    /// Those for the items of a list.
    pub(super) fn items(&self) -> Self {
        let mut found = Vec::new();
        for part in &self.parts {
            match part.get("items") {
                Some(Value::Array(items)) => found.extend(items),
                Some(items) => found.push(items),
                None => {}
            }
            found.extend(part.get("prefixItems").and_then(Value::as_array).into_iter().flatten());
        }
        Self::expanded(self.root, found)
    }

    /// Follows references and branches, each part once.
    fn expanded(root: &'s Value, mut parts: Vec<&'s Value>) -> Self {
        let mut next = 0;
        while let Some(part) = parts.get(next).copied() {
            next += 1;
            let mut found: Vec<&'s Value> = Vec::new();
            found.extend(
                part.get("$ref").and_then(Value::as_str).and_then(|reference| resolve(root, reference)),
            );
            for keyword in ["allOf", "anyOf", "oneOf"] {
                found.extend(part.get(keyword).and_then(Value::as_array).into_iter().flatten());
            }
            found.extend(["if", "then", "else"].iter().filter_map(|keyword| part.get(*keyword)));
            for each in found {
                let known = parts.iter().any(|part| std::ptr::eq(*part, each));
                if !known && parts.len() < MAX_PARTS {
                    parts.push(each);
                }
            }
        }
        Self { root, parts }
    }
}

/// A reference inside the document.
fn resolve<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    root.pointer(reference.strip_prefix('#')?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_are_found_behind_references_and_branches() {
        let schema = json!({"$ref": "#/$defs/report", "$defs": {
            "report": {"anyOf": [{"type": "null"}, {"properties": {"list": {"$ref": "#/$defs/list"}}}]},
            "list": {"items": {"allOf": [{"$ref": "#/$defs/list"}, {"x-key": "id"}]}}}});
        let items = Parts::of_root(&schema).member("list").items();
        assert!(items.iter().any(|part| part.get("x-key") == Some(&json!("id"))));
        assert!(items.iter().count() <= MAX_PARTS);
    }

    #[test]
    fn a_reference_to_itself_ends() {
        let schema = json!({"$ref": "#"});
        assert_eq!(Parts::of_root(&schema).iter().count(), 1);
    }
}
