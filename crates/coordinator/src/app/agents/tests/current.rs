//! A request for one agent reads its current files, even if the folder is not watched, as here.

use std::fs;

use accord_api::ErrorName;

use super::super::fixture::{Fixture, REVIEWER, reviewer};

async fn description(fixture: &Fixture) -> String {
    let view = fixture.get("/agents/reviewer").await.json();
    view["summary"]["description"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_saved_file_takes_effect_at_once() {
    let fixture = Fixture::new(&[("reviewer/agent.yaml", REVIEWER)]);
    let before = fixture.app.blueprints.catalog.usable("reviewer").await.unwrap();
    for text in ["One more", "Another"] {
        fixture
            .write("reviewer/agent.yaml", &REVIEWER.replace("summary", "verdict").replace("Reviews", text));
        let agent = fixture.app.blueprints.catalog.usable("reviewer").await.unwrap();
        assert_eq!(agent.blueprint.description, text);
        assert_ne!(agent.output.as_ref().unwrap().hash(), before.output.as_ref().unwrap().hash());
    }
    // Same size, replaced by renaming.
    let file = fixture.folder().join("reviewer/agent.yaml");
    fixture.write("reviewer/.new", &REVIEWER.replace("summary", "verdict").replace("Reviews", "Renamed"));
    fs::rename(fixture.folder().join("reviewer/.new"), file).unwrap();
    assert_eq!(description(&fixture).await, "Renamed");
}

#[tokio::test]
async fn a_changed_prompt_file_takes_effect_too() {
    let fixture = Fixture::new(&[("reviewer/agent.yaml", REVIEWER)]);
    let prompt = async || {
        let agent = fixture.app.blueprints.catalog.usable("reviewer").await.unwrap();
        agent.blueprint.system_prompt.clone()
    };
    assert_eq!(prompt().await, None);
    fixture.write("reviewer/system-prompt.md", "First");
    assert_eq!(prompt().await.as_deref(), Some("First"));
    fixture.write("reviewer/system-prompt.md", "Other");
    assert_eq!(prompt().await.as_deref(), Some("Other"));
    fs::remove_file(fixture.folder().join("reviewer/system-prompt.md")).unwrap();
    assert_eq!(prompt().await, None);
}

#[tokio::test]
async fn an_agent_comes_and_goes_with_its_folder() {
    let fixture = Fixture::new(&[]);
    let missing = fixture.app.blueprints.catalog.usable("reviewer").await.unwrap_err();
    assert_eq!(missing.name(), ErrorName::AgentNotFound);
    // The agents folder does not exist either.
    fixture.write("reviewer/agent.json", &reviewer("reviewer").to_string());
    assert_eq!(description(&fixture).await, "Reviews");
    let again = fixture.post("/agents", &reviewer("reviewer")).await;
    assert_eq!(again.error(), (409, "AgentExists".into()));
    fs::remove_dir_all(fixture.folder()).unwrap();
    assert_eq!(fixture.get("/agents/reviewer").await.error(), (404, "AgentNotFound".into()));
    // The agent in the store is visible now, and then hidden by the file.
    fixture.post("/agents", &reviewer("reviewer")).await;
    fixture.write("reviewer/agent.yaml", &REVIEWER.replace("Reviews", "In a file"));
    assert_eq!(description(&fixture).await, "In a file");
}

#[tokio::test]
async fn an_unreadable_file_is_invalid_until_it_is_readable() {
    let fixture = Fixture::new(&[("reviewer/agent.yaml", REVIEWER)]);
    let broken = async || fixture.app.blueprints.catalog.usable("reviewer").await.unwrap_err().name();
    for text in ["", "name: [", "name: reviewer\n", "\0"] {
        fixture.write("reviewer/agent.yaml", text);
        assert_eq!(broken().await, ErrorName::AgentBroken, "{text}");
    }
    fixture.write("reviewer/agent.yaml", REVIEWER);
    assert_eq!(description(&fixture).await, "Reviews");
    fs::rename(fixture.folder().join("reviewer/agent.yaml"), fixture.folder().join("reviewer.yaml")).unwrap();
    fs::remove_dir(fixture.folder().join("reviewer")).unwrap();
    assert_eq!(broken().await, ErrorName::AgentBroken);
    fs::remove_file(fixture.folder().join("reviewer.yaml")).unwrap();
    assert_eq!(broken().await, ErrorName::AgentNotFound);
}

#[tokio::test]
async fn a_name_does_not_lead_out_of_the_folder() {
    let fixture = Fixture::new(&[("inner/agent.yaml", &REVIEWER.replace("name: reviewer", "name: inner"))]);
    let outside = fixture.folder().join("../outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("agent.yaml"), REVIEWER).unwrap();
    for name in ["../outside", "..", ".", "", "inner/", "inner/.", "\0"] {
        let error = fixture.app.blueprints.catalog.usable(name).await.unwrap_err();
        assert_eq!(error.name(), ErrorName::AgentNotFound, "{name:?}");
    }
}
