//! Keywords that the dialect does not have: a validator passes over them in silence.

use strsim::osa_distance;

use super::Finding;
use super::at::At;
use crate::schema::Dialect;

/// In every dialect that we claim.
const COMMON: &[&str] = &[
    "$schema",
    "$id",
    "$ref",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "readOnly",
    "writeOnly",
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "contentEncoding",
    "contentMediaType",
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "required",
    "minProperties",
    "maxProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
];

/// From 2019-09 on.
const SINCE_2019: &[&str] = &[
    "$anchor",
    "$vocabulary",
    "deprecated",
    "contentSchema",
    "minContains",
    "maxContains",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedItems",
    "unevaluatedProperties",
];

const ONLY: &[(Dialect, &[&str])] = &[
    (Dialect::Draft7, &["dependencies", "additionalItems"]),
    (Dialect::Draft201909, &["$recursiveRef", "$recursiveAnchor", "additionalItems"]),
    (Dialect::Draft202012, &["$dynamicRef", "$dynamicAnchor", "prefixItems"]),
];

/// What people write, and what JSON Schema has for it.
const INSTEAD: &[(&str, &str)] = &[
    ("nullable", "add \"null\" to 'type'"),
    ("optional", "remove the name from 'required' of the object"),
    ("example", "use 'examples', a list"),
    ("discriminator", "use a property with a 'const' in each branch instead"),
    ("$anchor", "use 2019-09 or later, or reference by JSON pointer"),
    ("prefixItems", "use 2020-12, or give 'items' a list"),
    ("additionalItems", "use 'items' beside 'prefixItems'"),
    ("dependencies", "use 'dependentRequired' or 'dependentSchemas'"),
    ("dependentRequired", "use 'dependencies', or a later dialect"),
    ("dependentSchemas", "use 'dependencies', or a later dialect"),
    ("unevaluatedProperties", "use 'additionalProperties', or a later dialect"),
    ("unevaluatedItems", "use 'additionalItems', or a later dialect"),
    ("$recursiveRef", "use '$dynamicRef' in 2020-12, '$ref' elsewhere"),
    ("$dynamicRef", "use '$ref', or 2020-12"),
    ("id", "use '$id'"),
    ("divisibleBy", "use 'multipleOf'"),
    ("extends", "use 'allOf'"),
    ("values", "use 'enum'"),
    ("options", "use 'enum'"),
    ("choices", "use 'enum'"),
    ("regex", "use 'pattern'"),
    ("min", "use 'minimum', 'minLength' or 'minItems'"),
    ("max", "use 'maximum', 'maxLength' or 'maxItems'"),
];

pub(super) fn check(at: &At<'_>, findings: &mut Vec<Finding>) {
    for name in at.keywords.keys() {
        if is_known(at.dialect, name) || name.starts_with("x-") {
            continue;
        }
        let advice = INSTEAD.iter().find(|(wrong, _)| wrong == name).map(|(_, advice)| (*advice).to_owned());
        let advice = advice
            .or_else(|| closest(at.dialect, name).map(|known| format!("did you mean '{known}'?")))
            .unwrap_or_else(|| "remove it, or prefix its name with 'x-'".to_owned());
        let message = format!("'{name}' is not a keyword of {} and is ignored; {advice}", at.dialect.name());
        findings.push(Finding::warning("unknown-keyword", &at.place.key(name), message));
    }
}

fn keywords(dialect: Dialect) -> impl Iterator<Item = &'static str> {
    let later = if dialect == Dialect::Draft7 { &[] } else { SINCE_2019 };
    let only = ONLY.iter().filter(move |(only, _)| *only == dialect).flat_map(|(_, names)| names.iter());
    COMMON.iter().chain(later).chain(only).copied()
}

fn is_known(dialect: Dialect, name: &str) -> bool {
    keywords(dialect).any(|known| known == name)
}

/// The keyword that a name was meant to be, when it is off by a slip or two.
fn closest(dialect: Dialect, name: &str) -> Option<&'static str> {
    let longest = 30;
    if name.len() > longest {
        return None;
    }
    let name = name.to_lowercase();
    keywords(dialect)
        .map(|known| (osa_distance(&name, &known.to_lowercase()), known))
        .filter(|(distance, known)| *distance <= 2 && *distance * 3 <= known.len())
        .min()
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_has_a_suggestion() {
        for (slip, meant) in [("requried", "required"), ("maxlength", "maxLength"), ("enums", "enum")] {
            assert_eq!(closest(Dialect::Draft7, slip), Some(meant));
        }
        assert_eq!(closest(Dialect::Draft7, "proprties"), Some("properties"));
        assert_eq!(closest(Dialect::Draft7, "colour"), None);
    }
}
