//! The rules of the linter, each with a schema and the expected finding.

use accord_contract::Meter;
use accord_contract::Schema;
use accord_contract::lint::{Finding, Severity, lint};
use serde_json::{Value, json};

fn findings(document: &Value) -> Vec<Finding> {
    lint(&Schema::compile(document, &Meter::default()).unwrap(), &Meter::default())
}

/// The rules with a finding at this pointer, without those about a single provider.
fn rules(document: &Value, pointer: &str) -> Vec<(&'static str, Severity)> {
    findings(document)
        .into_iter()
        .filter(|finding| finding.provider.is_none() && finding.pointer == pointer)
        .map(|finding| (finding.rule, finding.severity))
        .collect()
}

/// An object with one property, so that there are no findings about the root.
fn around(property: Value) -> Value {
    json!({"type": "object", "properties": {"p": property}, "required": ["p"], "additionalProperties": false})
}

fn speaks(property: Value, keyword: &str, rule: &'static str, severity: Severity) {
    let document = around(property);
    assert_eq!(rules(&document, &format!("/properties/p{keyword}")), [(rule, severity)], "{document}");
}

#[test]
fn a_sound_schema_has_no_findings() {
    let document = json!({
        "type": "object",
        "properties": {
            "reason": {"type": "string"},
            "verdict": {"enum": ["yes", "no"]},
            "code": {"type": "string", "pattern": "^[a-z]+$"},
        },
        "required": ["reason", "verdict", "code"],
        "additionalProperties": false,
    });
    assert_eq!(findings(&document), []);
}

#[test]
fn common_formats_are_enforced_by_all_but_one_provider() {
    let found = findings(&around(json!({"type": "string", "format": "date-time"})));
    let found: Vec<_> = found.iter().map(|each| (each.rule, each.provider.as_deref())).collect();
    assert_eq!(found, [("provider-does-not-enforce", Some("claude-code"))]);
}

#[test]
fn warns_about_a_verdict_before_its_reason() {
    let document = json!({
        "type": "object",
        "properties": {"is_valid": {"type": "boolean"}, "text": {"type": "string"}, "rationale": {"type": "string"}},
    });
    let rule = [("verdict-before-reason", Severity::Warning)];
    assert_eq!(rules(&document, "/properties/is_valid"), rule);
    let findings = findings(&document);
    let message = &findings.iter().find(|finding| finding.rule == "verdict-before-reason").unwrap().message;
    assert_eq!(
        message,
        "'is_valid' comes before 'rationale', so the model decides before it reasons; move 'rationale' before 'is_valid'"
    );
}

#[test]
fn warns_about_strings_named_like_other_types() {
    let document = json!({"type": "object", "properties": {
        "status": {"type": "string"},
        "updatedAt": {"type": ["string", "null"]},
        "country_code": {"type": "string"},
        "summary": {"type": "string"},
        "kind": {"type": "string", "enum": ["a"]},
    }});
    assert_eq!(rules(&document, "/properties/status"), [("bare-string", Severity::Warning)]);
    assert_eq!(rules(&document, "/properties/updatedAt"), [("bare-string", Severity::Info)]);
    assert_eq!(rules(&document, "/properties/country_code"), [("bare-string", Severity::Warning)]);
    assert_eq!(rules(&document, "/properties/summary"), []);
    assert_eq!(rules(&document, "/properties/kind"), []);
}

#[test]
fn reports_contradictory_bounds() {
    let rule = "contradictory-bounds";
    speaks(json!({"type": "integer", "minimum": 3, "maximum": 2}), "/minimum", rule, Severity::Error);
    speaks(json!({"type": "number", "minimum": 3, "exclusiveMaximum": 3}), "/minimum", rule, Severity::Error);
    speaks(json!({"type": "string", "minLength": 3, "maxLength": 2}), "/minLength", rule, Severity::Error);
    speaks(json!({"type": "array", "minItems": 3, "maxItems": 2}), "/minItems", rule, Severity::Error);
    speaks(
        json!({"type": "object", "minProperties": 3, "maxProperties": 2}),
        "/minProperties",
        rule,
        Severity::Error,
    );
}

#[test]
fn reports_required_properties_that_are_not_allowed() {
    let closed =
        json!({"type": "object", "properties": {}, "required": ["a"], "additionalProperties": false});
    speaks(closed, "/required", "required-not-allowed", Severity::Error);
    let silent = json!({"type": "object", "properties": {}, "required": ["a"]});
    speaks(silent, "/required", "required-not-declared", Severity::Warning);
}

#[test]
fn reports_impossible_enum_values() {
    let rule = "enum-excluded";
    speaks(json!({"type": "string", "enum": [1, 2]}), "/enum", rule, Severity::Error);
    speaks(json!({"type": "string", "enum": [1, "a"]}), "/enum", rule, Severity::Warning);
    speaks(json!({"type": "string", "const": "ab", "maxLength": 1}), "/const", rule, Severity::Error);
    speaks(json!({"enum": ["a", "b", "a"]}), "/enum", "duplicate-enum-value", Severity::Warning);
}

#[test]
fn reports_keywords_that_never_apply() {
    let rule = "keyword-never-applies";
    speaks(json!({"type": "string", "properties": {"a": {}}}), "/properties", rule, Severity::Warning);
    speaks(json!({"type": "object", "items": {}}), "/items", rule, Severity::Warning);
    speaks(json!({"type": "integer", "maxLength": 3}), "/maxLength", rule, Severity::Warning);
    speaks(json!({"type": "integer", "then": {}}), "/then", "missing-partner", Severity::Warning);
    speaks(
        json!({"type": "array", "additionalItems": false}),
        "/additionalItems",
        "unknown-keyword",
        Severity::Warning,
    );
}

#[test]
fn reports_unused_definitions_and_references() {
    let document = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"p": {"$ref": "#/definitions/used", "minLength": 2}},
        "definitions": {"used": {"type": "string"}, "unused": {"$ref": "#/definitions/unused_too"}, "unused_too": {}},
    });
    assert_eq!(rules(&document, "/properties/p/$ref"), [("ref-siblings-ignored", Severity::Warning)]);
    assert_eq!(rules(&document, "/definitions/used"), []);
    assert_eq!(rules(&document, "/definitions/unused"), [("unused-definition", Severity::Warning)]);
    assert_eq!(rules(&document, "/definitions/unused_too"), [("unused-definition", Severity::Warning)]);
}

#[test]
fn reports_equal_branches() {
    let twice = json!([{"type": "string"}, {"type": "string"}]);
    speaks(json!({"anyOf": twice}), "/anyOf/1", "duplicate-branch", Severity::Warning);
    speaks(json!({"oneOf": twice}), "/oneOf/1", "overlapping-branches", Severity::Error);
    let subset = json!([{"enum": ["a", "b"]}, {"enum": ["b"]}]);
    speaks(json!({"oneOf": subset}), "/oneOf/1", "overlapping-branches", Severity::Warning);
}

#[test]
fn reports_unknown_keywords() {
    let rule = "unknown-keyword";
    speaks(json!({"type": "string", "nullable": true}), "/nullable", rule, Severity::Warning);
    let mut earlier = around(json!({"type": "array", "prefixItems": []}));
    earlier["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    assert_eq!(rules(&earlier, "/properties/p/prefixItems"), [(rule, Severity::Warning)]);
    assert_eq!(findings(&around(json!({"type": "string", "x-mine": true}))), []);
    let slip = around(json!({"type": "string", "maxLenght": 3}));
    assert!(findings(&slip).iter().any(|finding| finding.message.ends_with("did you mean 'maxLength'?")));
}

#[test]
fn other_rules() {
    speaks(json!({"type": "string", "pattern": "a"}), "/pattern", "unanchored-pattern", Severity::Info);
    assert_eq!(rules(&json!({"type": "array"}), ""), [("root-not-object", Severity::Warning)]);
    let base = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let composed = json!({"allOf": [{"$ref": "#/definitions/base"}, {"required": ["a"]}], "definitions": {"base": base}});
    assert!(rules(&composed, "").is_empty(), "what is put together of objects is one");
    let contradiction = json!({"allOf": [{"type": "string"}, {"type": "integer"}]});
    speaks(contradiction, "", "unsatisfiable", Severity::Error);
}

#[test]
fn large_enums_are_reported_per_provider() {
    let values: Vec<u32> = (0..1001).collect();
    let findings = findings(&around(json!({"enum": values})));
    let about: Vec<(&str, Severity, Option<&str>)> = findings
        .iter()
        .map(|finding| (finding.rule, finding.severity, finding.provider.as_deref()))
        .collect();
    assert!(about.contains(&("large-enum", Severity::Warning, None)));
    assert!(about.contains(&("large-enum", Severity::Error, Some("openai"))));
    assert!(about.contains(&("provider-does-not-enforce", Severity::Info, Some("openai"))));
}

#[test]
fn unsupported_keywords_are_reported_per_provider() {
    let properties: serde_json::Map<String, Value> =
        (0..50).map(|index| (format!("p{index}"), json!({"type": "string", "minLength": 1}))).collect();
    let findings = findings(&json!({"type": "object", "properties": properties}));
    let of = |rule: &str, provider: &str| {
        findings
            .iter()
            .find(|finding| finding.rule == rule && finding.provider.as_deref() == Some(provider))
            .map(|finding| finding.message.as_str())
    };
    assert_eq!(
        of("provider-does-not-enforce", "openai").unwrap(),
        "OpenAI strict will not enforce 'minLength' at $.properties.p0, $.properties.p1, $.properties.p2 and 47 more; \
         it is added to the description for the model, and a wrong answer costs a retry"
    );
    assert!(of("too-many-optionals", "anthropic").unwrap().starts_with("50 optional properties"));
    assert!(of("provider-refuses", "anthropic").unwrap().contains("27 unions after expansion"));
    assert_eq!(of("provider-refuses", "openai"), None);
}
