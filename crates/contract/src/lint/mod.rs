//! Finds likely problems of a schema before it is sent to a model.
//!
//! A rule checks a schema that compiles and reports what will not work as written, why, and what to
//! write instead. Errors are parts that no value can satisfy or that a provider refuses; warnings
//! are parts that do nothing or mislead a model; the rest is information, above all what each
//! provider leaves to the validator. Missing descriptions are not a finding: most names explain
//! themselves.

mod branch;
mod contradiction;
mod dead;
mod finding;
mod keyword;
mod name;
mod provider;
mod reference;
mod size;

use serde_json::{Map, Value};

pub use finding::{Finding, Severity};

use crate::json_path::JsonPath;
use crate::lower::Profile;
use crate::schema::{Dialect, Schema, walk, within_one_budget};

/// All findings about a schema, the worst first. Of the providers, only common ones are checked.
pub fn lint(schema: &Schema) -> Vec<Finding> {
    within_one_budget(|| findings(schema, &|profile| profile.common))
}

/// The same for one provider.
pub fn lint_for(schema: &Schema, only: &Profile) -> Vec<Finding> {
    within_one_budget(|| findings(schema, &|profile| profile.name == only.name))
}

fn findings(schema: &Schema, is_reported: &dyn Fn(&Profile) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    walk::each(schema.document(), &mut |place, part| {
        if let Value::Object(keywords) = part {
            let at = At { place, keywords, dialect: schema.dialect() };
            keyword::check(&at, &mut findings);
            // Beside a reference nothing else is read in this dialect; one finding says so.
            if reference::siblings(&at, &mut findings) {
                return;
            }
            contradiction::check(&at, &mut findings);
            dead::check(&at, &mut findings);
            branch::check(&at, &mut findings);
            name::check(&at, &mut findings);
            size::check(&at, &mut findings);
        }
    });
    reference::unused(schema, &mut findings);
    contradiction::unsatisfiable(schema, &mut findings);
    size::root(schema, &mut findings);
    provider::check(schema, is_reported, &mut findings);
    findings.sort_by_key(|finding| finding.severity);
    findings
}

/// A schema object and its location.
struct At<'a> {
    place: &'a JsonPath,
    keywords: &'a Map<String, Value>,
    dialect: Dialect,
}

impl<'a> At<'a> {
    fn get(&self, keyword: &str) -> Option<&'a Value> {
        self.keywords.get(keyword)
    }

    fn has(&self, keyword: &str) -> bool {
        self.keywords.contains_key(keyword)
    }

    /// The types that `type` names; `None` if it is absent.
    fn types(&self) -> Option<Vec<&'a str>> {
        match self.get("type")? {
            Value::String(name) => Some(vec![name]),
            Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect()),
            _ => None,
        }
    }
}
