use accord_contract::Meter;
use std::fs;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::super::Agents;
use super::{REVIEWER, problems, problems_of};
use crate::definition::DefinitionKind as _;

/// Loads a folder with a valid and a hostile agent; only the hostile one may be affected.
fn beside_a_sound_one(prepare: impl FnOnce(&TempDir, &std::path::Path)) -> Vec<String> {
    let outside = TempDir::new().unwrap();
    let folder = TempDir::new().unwrap();
    let sound = folder.path().join("reviewer");
    let hostile = folder.path().join("a");
    fs::create_dir_all(&sound).unwrap();
    fs::write(sound.join("agent.yaml"), REVIEWER).unwrap();
    prepare(&outside, &hostile);
    let files = Agents::load(folder.path(), &Meter::default());
    assert!(files.definitions["reviewer"].parsed.valid.is_some());
    let agent = &files.definitions["a"];
    assert!(agent.parsed.valid.is_none());
    problems(agent)
}

#[test]
fn rejects_hostile_yaml() {
    let mut bomb = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (this, before) in ('b'..='l').zip('a'..) {
        bomb.push_str(&format!("{this}: &{this} [{}]\n", vec![format!("*{before}"); 9].join(", ")));
    }
    let deep = |levels: usize| {
        let schema = format!("{}{{}}{}", "{\"not\": ".repeat(levels), "}".repeat(levels));
        format!("name: a\nexecutor: {{type: codex}}\noutput_schema: {schema}\n")
    };
    let texts = [
        "[".repeat(1024 * 1024),
        "{".repeat(1024 * 1024),
        "- ".repeat(512 * 1024),
        "a: ".repeat(300_000),
        bomb,
        deep(1_000),
        deep(129),
        "x".repeat(3 * 1024 * 1024),
        "name: a\0b\n".to_owned(),
        "a: &a *a\n".to_owned(),
        "--- 1\n--- 2\n".to_owned(),
        "!!python/object:os.system x\n".to_owned(),
        String::new(),
        "? [a, b]\n: c\n".to_owned(),
        ".nan".to_owned(),
    ];
    for text in &texts {
        let found = problems_of("agent.yaml", text);
        assert!(!found.is_empty(), "{:.60}", text);
    }
    let deepest = problems_of("agent.yaml", &deep(100));
    assert!(deepest.iter().all(|line| line.contains("warning")), "{deepest:?}");
}

#[test]
fn rejects_hostile_json() {
    for text in ["[".repeat(1024 * 1024), "{\"a\":".repeat(200_000), String::new(), "{}{}".to_owned()] {
        assert!(!problems_of("agent.json", &text).is_empty(), "{:.60}", text);
    }
}

#[test]
fn rejects_invalid_utf8_and_nul() {
    let found = beside_a_sound_one(|_, hostile| {
        fs::create_dir(hostile).unwrap();
        fs::write(hostile.join("agent.yaml"), b"name: \xff\xfe").unwrap();
    });
    assert_eq!(found, ["$: is not valid UTF-8 at byte 7"]);
}

#[test]
fn rejects_links_out_of_the_folder() {
    let to_file = beside_a_sound_one(|outside, hostile| {
        fs::create_dir(hostile).unwrap();
        fs::write(outside.path().join("secret"), "secret").unwrap();
        symlink(outside.path().join("secret"), hostile.join("agent.yaml")).unwrap();
    });
    let to_folder = beside_a_sound_one(|outside, hostile| {
        fs::write(outside.path().join("agent.yaml"), REVIEWER).unwrap();
        symlink(outside.path(), hostile).unwrap();
    });
    let to_prompt = beside_a_sound_one(|outside, hostile| {
        fs::create_dir(hostile).unwrap();
        fs::write(hostile.join("agent.yaml"), REVIEWER).unwrap();
        fs::write(outside.path().join("secret"), "secret").unwrap();
        symlink(outside.path().join("secret"), hostile.join("system-prompt.md")).unwrap();
    });
    for found in [to_file, to_folder, to_prompt] {
        assert_eq!(found, ["$: is a link that points outside the agents folder"]);
    }
    let to_itself = beside_a_sound_one(|_, hostile| symlink(hostile, hostile).unwrap());
    assert_eq!(to_itself.len(), 1);
}

#[test]
fn rejects_entries_that_are_not_files() {
    let pipe = beside_a_sound_one(|_, hostile| {
        fs::create_dir(hostile).unwrap();
        let made = std::process::Command::new("mkfifo").arg(hostile.join("agent.yaml")).status().unwrap();
        assert!(made.success());
    });
    let folder = beside_a_sound_one(|_, hostile| fs::create_dir_all(hostile.join("agent.yaml")).unwrap());
    assert_eq!([pipe, folder].concat(), ["$: is not a file"; 2]);
}

#[test]
fn a_missing_folder_has_no_agents() {
    let folder = TempDir::new().unwrap();
    assert!(Agents::load(&folder.path().join("none"), &Meter::default()).definitions.is_empty());
    fs::write(folder.path().join("file"), "").unwrap();
    assert!(Agents::load(&folder.path().join("file"), &Meter::default()).definitions.is_empty());
}
