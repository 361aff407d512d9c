//! Provider-specific findings: keywords that a provider does not enforce, and schemas that it
//! rejects.

use accord_json::Meter;

use super::{Finding, Severity};
use crate::json_path::JsonPath;
use crate::lower::{EnforcedBy, Loss, Profile, lower};
use crate::schema::Schema;

/// How many places one finding names.
const NAMED_PLACES: usize = 3;

pub(super) fn check(
    schema: &Schema,
    is_reported: &dyn Fn(&Profile) -> bool,
    findings: &mut Vec<Finding>,
    meter: &Meter,
) {
    for profile in Profile::all().iter().filter(|profile| is_reported(profile)) {
        let lowered = match lower(schema, profile, &meter.anew()) {
            Ok(lowered) => lowered,
            Err(exceeded) => {
                let message = format!(
                    "the schema cannot be reduced to what {} supports: {exceeded}; make it smaller",
                    profile.title
                );
                push(findings, profile, "provider-refuses", Severity::Warning, &JsonPath::root(), message);
                continue;
            }
        };
        if let Some(refusal) = &lowered.refusal {
            let message = format!(
                "{refusal}; the provider cannot enforce the schema, so it is only part of the prompt and answers are validated afterwards"
            );
            push(findings, profile, "provider-refuses", Severity::Warning, &JsonPath::root(), message);
        }
        if let Some(counts) = &lowered.counts {
            counted(
                findings,
                profile,
                "too-many-optionals",
                "optional properties",
                counts.optional,
                profile.limits.optional,
            );
            counted(findings, profile, "too-many-unions", "unions", counts.unions, profile.limits.unions);
        }
        for group in grouped(&lowered.losses) {
            lost(schema, findings, profile, &group);
        }
    }
}

fn push(
    findings: &mut Vec<Finding>,
    profile: &Profile,
    rule: &'static str,
    severity: Severity,
    place: &JsonPath,
    message: String,
) {
    findings.push(Finding::new(rule, severity, place, message).of_provider(&profile.name));
}

fn counted(
    findings: &mut Vec<Finding>,
    profile: &Profile,
    rule: &'static str,
    what: &str,
    count: u64,
    limit: Option<u64>,
) {
    if let Some(limit) = limit.filter(|limit| count > *limit) {
        let message = format!(
            "{count} {what} with every reference expanded; {} accepts {limit}; reuse large definitions less often, or make properties required",
            profile.title
        );
        push(findings, profile, rule, Severity::Warning, &JsonPath::root(), message);
    }
}

/// The losses of each keyword together, in order of first appearance.
fn grouped(losses: &[Loss]) -> Vec<Vec<&Loss>> {
    let mut groups: Vec<Vec<&Loss>> = Vec::new();
    for loss in losses {
        match groups.iter_mut().find(|group| group.first().is_some_and(|first| first.keyword == loss.keyword))
        {
            Some(group) => group.push(loss),
            None => groups.push(vec![loss]),
        }
    }
    groups
}

fn lost(schema: &Schema, findings: &mut Vec<Finding>, profile: &Profile, group: &[&Loss]) {
    let Some(first) = group.first() else { return };
    let places: Vec<String> = group
        .iter()
        .take(NAMED_PLACES)
        .map(|loss| JsonPath::of_pointer(schema.document(), &loss.pointer).path())
        .collect();
    let more = match group.len().saturating_sub(NAMED_PLACES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let told = group.iter().all(|loss| loss.enforced_by == EnforcedBy::Prompt);
    let detail = first.detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default();
    let message = format!(
        "{} will not enforce '{}' at {}{more}{detail}; {} and a wrong answer costs a retry",
        profile.title,
        first.keyword,
        places.join(", "),
        if told { "it is added to the description for the model," } else { "only the validator checks it," },
    );
    let place = JsonPath::of_pointer(schema.document(), &first.pointer);
    push(findings, profile, "provider-does-not-enforce", Severity::Info, &place, message);
}
