//! Which keywords are about values of which type.

pub(super) const OF_NUMBERS: &[&str] =
    &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

pub(super) const OF_STRINGS: &[&str] = &["minLength", "maxLength", "pattern", "format"];

pub(super) const OF_ARRAYS: &[&str] = &[
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
    "prefixItems",
    "additionalItems",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
];

pub(super) const OF_OBJECTS: &[&str] = &[
    "required",
    "properties",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
];

/// Whether a keyword is about values of other types.
pub(super) fn concerns_others(keyword: &str, others: &[&[&str]]) -> bool {
    others.iter().any(|keywords| keywords.contains(&keyword))
}
