use std::path::Path;

use serde_json::json;

use super::*;

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
    insta::assert_snapshot!(generate(Language::TypeScript, &[agent()]));
}

#[test]
fn types_in_python() {
    insta::assert_snapshot!(generate(Language::Python, &[agent()]));
}

#[test]
fn types_in_rust() {
    insta::assert_snapshot!(generate(Language::Rust, &[agent()]));
}

#[test]
fn an_agent_without_output_schema_returns_text() {
    let text = generate(Language::TypeScript, &[Agent { output: None, ..agent() }]);
    assert!(text.contains("export type TicketTriageOutput = string;"), "{text}");
}

#[test]
fn a_schema_without_structure_is_unknown() {
    for schema in [
        json!(true),
        json!({"properties": {"a": {}}}),
        json!({"$ref": "#name"}),
        json!({"allOf": [{"type": "string"}, {"type": "object"}]}),
    ] {
        let text = generate(Language::TypeScript, &[Agent { output: Some(schema), ..agent() }]);
        assert!(text.contains("export type TicketTriageOutput = unknown;"), "{text}");
    }
}

#[test]
fn a_description_cannot_leave_its_comment() {
    let schema =
        json!({"type": "object", "description": "a */ b \"\"\" c \\ d\n\ne", "properties": {"a": {}}});
    let agent = Agent { output: Some(schema), ..agent() };
    assert!(
        generate(Language::TypeScript, std::slice::from_ref(&agent))
            .contains(" * a * / b ''' c \\ d\n * e\n")
    );
    assert!(generate(Language::Python, &[agent]).contains("\"\"\"a * / b ''' c \\\\ d\n    e \"\"\""));
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
            (generate(Language::Rust, &[agent]), folder.join(format!("it/generated/{name}.rs")));
        if std::env::var_os("ACCORD_WRITE").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(known, text, "{name}: run this test with ACCORD_WRITE=1, and read the difference");
    }
}
