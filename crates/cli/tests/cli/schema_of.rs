//! `accord schemas of`: schemas with which editors check agent and workflow files.

use accord_contract::Meter;
use std::fs;
use std::path::Path;

use accord_contract::Schema;
use serde_json::{Value, json};

use crate::support::Folder;
use crate::templates::{TEMPLATES, init};

fn schema_of(file: &str) -> Schema {
    let ran = Folder::with(&[]).run(&["schema", "of", file], "");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    Schema::compile(&serde_json::from_str(&ran.stdout).unwrap(), &Meter::default()).unwrap()
}

fn yaml(path: &Path) -> Value {
    serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn the_files_of_every_template_conform() {
    let (agent, workflow) = (schema_of("agent"), schema_of("workflow"));
    let (mut agents, mut workflows) = (0, 0);
    for template in TEMPLATES {
        let folder = init(template);
        for kind in ["", "--procedural"] {
            let arguments: Vec<&str> =
                ["agents", "new", "fresh", kind].into_iter().filter(|each| !each.is_empty()).collect();
            folder.run(&arguments, "");
        }
        for path in files(&folder.path().join(".accord/agents")) {
            assert!(agent.accepts(&yaml(&path.join("agent.yaml")), &Meter::default()), "{}", path.display());
            agents += 1;
        }
        for path in files(&folder.path().join(".accord/workflows")) {
            assert!(workflow.accepts(&yaml(&path), &Meter::default()), "{}", path.display());
            workflows += 1;
        }
    }
    assert!(agents >= 12 && workflows >= 2, "{agents} agents, {workflows} workflows");
}

#[test]
fn a_mistake_in_an_agent_is_reported() {
    let schema = schema_of("agent");
    let sound = json!({
        "name": "a",
        "executor": {"type": "llm", "provider": "anthropic", "model": "m", "reasoning": "low"},
        "output_schema": "report",
        "mcp_servers": {"files": {"command": "files"}},
        "output_schema_options": {"max_retries": 2, "validation_mode": "lenient"},
    });
    assert!(schema.accepts(&sound, &Meter::default()));
    let slips = [
        ("/outptu_schema", json!({})),
        ("/type", json!("robot")),
        ("/executor/temprature", json!(0.5)),
        ("/executor/type", json!("lmm")),
        ("/executor/max_tokens", json!("many")),
        ("/mcp_servers/files/comand", json!("x")),
        ("/output_schema_options/max_retries", json!(11)),
        ("/output_schema_options/validation_mode", json!("loose")),
    ];
    for (pointer, value) in slips {
        let mut slipped = sound.clone();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        slipped.pointer_mut(parent).unwrap().as_object_mut().unwrap().insert(name.to_owned(), value);
        assert!(!schema.accepts(&slipped, &Meter::default()), "{pointer}");
    }
}
