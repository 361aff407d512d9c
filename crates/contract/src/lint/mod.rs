//! Finds likely problems of a schema before it is sent to a model.
//!
//! A rule checks a schema that compiles and reports what will not work as written, why, and what to
//! write instead. Errors are parts that no value can satisfy or that a provider refuses; warnings
//! are parts that do nothing or mislead a model; the rest is information, above all what each
//! provider leaves to the validator. Missing descriptions are not a finding: most names explain
//! themselves.

mod at;
mod branch;
mod contradiction;
mod dead;
mod finding;
mod keyword;
mod name;
mod provider;
mod reference;
mod size;

use accord_json::Meter;
use serde_json::Value;

pub use finding::{Finding, Severity};

use crate::json_path::JsonPath;
use crate::lower::Profile;
use crate::schema::{Schema, walk, within_one_budget};
use at::At;

/// All findings about a schema, the worst first. Of the providers, only common ones are checked. Where checking takes too much,
/// that is a finding.
pub fn lint(schema: &Schema, meter: &Meter) -> Vec<Finding> {
    within_one_budget(meter, || findings(schema, &|profile| profile.common, meter))
}

/// The same for one provider.
pub fn lint_for(schema: &Schema, only: &Profile, meter: &Meter) -> Vec<Finding> {
    within_one_budget(meter, || findings(schema, &|profile| profile.name == only.name, meter))
}

/// What it costs to look at one keyword of a schema, or at one value that it lists.
const STEPS_A_KEYWORD: u64 = 100;

fn findings(schema: &Schema, is_reported: &dyn Fn(&Profile) -> bool, meter: &Meter) -> Vec<Finding> {
    let mut findings = Vec::new();
    walk::each(schema.document(), &mut |place, part| {
        if let Value::Object(keywords) = part {
            let listed = keywords.values().filter_map(Value::as_array).map(Vec::len).sum::<usize>();
            let cost = STEPS_A_KEYWORD * (1 + keywords.len() + listed) as u64;
            if meter.steps(cost).is_err() {
                return;
            }
            let at = At { place, keywords, dialect: schema.dialect(), meter };
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
    if meter.check().is_ok() {
        reference::unused(schema, &mut findings);
        contradiction::unsatisfiable(schema, &mut findings);
        size::root(schema, &mut findings);
        provider::check(schema, is_reported, &mut findings, meter);
    }
    if let Err(exceeded) = meter.check() {
        let message = format!("the schema is not checked any further: {exceeded}; make it smaller");
        findings.push(Finding::warning("not-checked", &JsonPath::root(), message));
    }
    findings.sort_by_key(|finding| finding.severity);
    findings
}
