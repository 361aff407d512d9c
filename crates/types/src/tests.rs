use std::path::Path;

use accord_json::{Limits, Stop};
use serde_json::{Value, json};

use super::*;

fn generated(language: Language, agents: &[Agent]) -> String {
    generate(language, agents, &Meter::default()).unwrap()
}

fn agent() -> Agent {
    Agent {
        name: "ticket-triage".to_owned(),
        description: "Classifies a ticket".to_owned(),
        contract_hash: "0123-4567".to_owned(),
        input: json!({
            "type": "object", "required": ["ticket"], "additionalProperties": false,
            "properties": {"ticket": {"type": "string", "minLength": 1}},
        }),
        output: Some(json!({
            "type": "object", "required": ["urgency"],
            "properties": {
                "urgency": {"enum": ["low", "high"], "description": "How soon"},
                "class": {"type": ["integer", "null"]},
                "next": {"$ref": "#"},
            },
        })),
    }
}

#[test]
fn types_in_typescript() {
    insta::assert_snapshot!(generated(Language::TypeScript, &[agent()]));
}

#[test]
fn types_in_python() {
    insta::assert_snapshot!(generated(Language::Python, &[agent()]));
}

#[test]
fn types_in_rust() {
    insta::assert_snapshot!(generated(Language::Rust, &[agent()]));
}

#[test]
fn an_agent_without_output_schema_returns_text() {
    let text = generated(Language::TypeScript, &[Agent { output: None, ..agent() }]);
    assert!(text.contains("export type TicketTriageOutput = string;"), "{text}");
}

#[test]
fn a_reference_inside_all_of_is_recursive() {
    let child = |schema: serde_json::Value| json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "child": schema}});
    let described = child(json!({"title": "Child", "allOf": [{"$ref": "#"}]}));
    let narrowed = child(json!({"allOf": [{"$ref": "#"}, {"required": ["child"]}]}));
    let text = |schema, language| generated(language, &[Agent { output: Some(schema), ..agent() }]);
    let python = text(described.clone(), Language::Python);
    assert!(python.contains("    child: TicketTriageOutput | None = None\n"), "{python}");
    let rust = text(described, Language::Rust);
    assert!(rust.contains("pub child: Option<Box<TicketTriageOutput>>,\n"), "{rust}");
    let python = text(narrowed, Language::Python);
    assert!(python.contains("    child: TicketTriageOutputChild | None = None\n"), "{python}");
    assert!(python.contains("    child: TicketTriageOutputChild\n"), "{python}");
}

/// Each ended the process, or took longer with each level than with all before it.
#[test]
fn hostile_schemas_cost_little() {
    let chain = |make: &dyn Fn(serde_json::Value) -> serde_json::Value, length: usize| {
        let mut definitions = serde_json::Map::new();
        for level in 0..length {
            definitions.insert(format!("d{level}"), make(json!({"$ref": format!("#/$defs/d{}", level + 1)})));
        }
        definitions.insert(format!("d{length}"), json!({"type": "string"}));
        json!({"$ref": "#/$defs/d0", "$defs": definitions})
    };
    let growing = json!({"type": "object", "properties": {
        "a": {"allOf": [{"$ref": "#"}, {"properties": {"a": {"title": "A"}, "b": {"title": "B"}}}]},
        "b": {"allOf": [{"$ref": "#"}, {"properties": {"a": {"title": "C"}, "b": {"title": "D"}}}]},
    }});
    let names: serde_json::Map<String, serde_json::Value> =
        (1..20_000).map(|length| ("$".repeat(length % 100) + &"%".repeat(length / 100), json!({}))).collect();
    let long = json!({"type": "object", "properties": {"a".repeat(100_000): {"type": "object", "properties":
        (0..1_000).map(|n| (n.to_string(), json!({"enum": ["a", n]}))).collect::<serde_json::Map<_, _>>()}}});
    let shapes = [
        chain(&|next| next, 20_000),
        chain(&|next| json!({"type": "object", "properties": {"a": next}}), 10_000),
        chain(&|next| json!({"allOf": [next, {"minLength": 1}]}), 10_000),
        chain(&|next| json!({"allOf": [next, {"allOf": [next]}]}), 40),
        growing,
        json!({"type": "object", "properties": names}),
        json!({"enum": (0..100_000).collect::<Vec<_>>()}),
        long,
    ];
    for (number, shape) in shapes.into_iter().enumerate() {
        for language in [Language::TypeScript, Language::Python, Language::Rust] {
            let agent = Agent { output: Some(shape.clone()), ..agent() };
            let meter = Meter::new(Limits { steps: 5_000_000, ..Limits::WHOLE }, Stop::default());
            let text = generate(language, &[agent], &meter);
            let size = text.map(|text| text.len());
            assert!(size.is_ok_and(|size| size < 16 * 1024 * 1024), "{number}: {size:?}");
        }
    }
}

#[test]
fn a_schema_without_structure_is_unknown() {
    for schema in [
        json!(true),
        json!({"properties": {"a": {}}}),
        json!({"$ref": "#name"}),
        json!({"allOf": [{"type": "string"}, {"type": "object"}]}),
    ] {
        let text = generated(Language::TypeScript, &[Agent { output: Some(schema), ..agent() }]);
        assert!(text.contains("export type TicketTriageOutput = unknown;"), "{text}");
    }
}

/// Zod reads an optional property that an object inherits, and rejects it.
#[test]
fn inherited_names_are_no_properties() {
    let schema = |required: &[&str]| json!({"type": "object", "required": required, "properties": {"toString": {"type": "string"}, "a": {}}});
    let text =
        |required| generated(Language::TypeScript, &[Agent { output: Some(schema(required)), ..agent() }]);
    let optional = text(&["a"]);
    assert!(optional.contains("const ownProperties = "), "{optional}");
    assert!(optional.contains("= z.preprocess(ownProperties, z.looseObject({"), "{optional}");
    assert!(!text(&["toString"]).contains("ownProperties"));
}

#[test]
fn a_description_cannot_leave_its_comment() {
    let schema =
        json!({"type": "object", "description": "a */ b \"\"\" c \\ d\n\ne", "properties": {"a": {}}});
    let agent = Agent { output: Some(schema), ..agent() };
    assert!(
        generated(Language::TypeScript, std::slice::from_ref(&agent))
            .contains(" * a * / b ''' c \\ d\n * e\n")
    );
    assert!(generated(Language::Python, &[agent]).contains("\"\"\"a * / b ''' c \\\\ d\n    e \"\"\""));
}

/// `tests/it` compiles these types and passes values through them. Writes them anew with `ACCORD_WRITE=1`.
#[test]
fn generated_types_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for entry in std::fs::read_dir(folder.join("schemas")).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let mut fixture: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let agent = Agent {
            contract_hash: "0-0".to_owned(),
            input: json!({"type": "object", "additionalProperties": false}),
            output: Some(fixture["schema"].take()),
            description: String::new(),
            name: name.clone(),
        };
        let (text, path) =
            (generated(Language::Rust, &[agent]), folder.join(format!("it/generated/{name}.rs")));
        if std::env::var_os("ACCORD_WRITE").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(known, text, "{name}: run this test with ACCORD_WRITE=1, and read the difference");
    }
}
