//! `accord types`: generated from the files of a project, without a coordinator.

use crate::support::Folder;
use crate::templates::init;

#[test]
fn writes_types_of_the_project() {
    let folder = init("start");
    let ran = folder.run(&["types", "--lang", "ts"], "");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    for line in ["export type TicketTriageInput = {", "export const wordCount = {", "  words: number;"] {
        assert!(ran.stdout.contains(line), "{line}: {}", ran.stdout);
    }
    let ran = folder.run(&["types", "--lang", "rust", "word-count"], "");
    assert!(ran.stdout.contains("pub struct WordCountOutput {"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("TicketTriage"), "{}", ran.stdout);
}

#[test]
fn the_contract_hash_matches_agents_show() {
    let folder = init("start");
    let shown = folder.run(&["agents", "show", "word-count", "--json"], "").stdout;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let types = folder.run(&["types", "--lang", "python", "word-count"], "").stdout;
    let hash = shown.get("contract_hash").and_then(|hash| hash.as_str()).unwrap();
    assert!(types.contains(&format!("    contract=\"{hash}\",\n")), "{types}");
    let text = folder.run(&["agents", "show", "word-count"], "").stdout;
    assert!(text.contains(hash), "{text}");
}

#[test]
fn check_notices_a_change() {
    let folder = init("start");
    let arguments = ["types", "--lang", "ts", "--output", "agents.ts"];
    let ran = folder.run(&arguments, "");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), "wrote agents.ts (4 agents)\n"), "{ran:?}");
    let check: Vec<&str> = arguments.into_iter().chain(["--check"]).collect();
    assert_eq!(folder.run(&check, "").code, Some(0));
    folder.write("agents.ts", b"// another");
    let ran = folder.run(&check, "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("agents.ts does not match the agents"), "{ran:?}");
}

#[test]
fn an_unknown_agent_and_a_folder_without_project_are_errors() {
    let ran = init("start").run(&["types", "--lang", "ts", "word-counter"], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("word-counter"), "{ran:?}");
    let ran = Folder::with(&[]).run(&["types", "--lang", "ts"], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("not an Accord project"), "{ran:?}");
}
