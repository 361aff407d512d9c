use std::fs;
use std::sync::Arc;
use std::time::Duration;

use accord_blueprint::Agents;
use tokio_util::sync::CancellationToken;

use super::super::fixture::{Fixture, REVIEWER};
use crate::app::watch;

/// Far longer than anything here takes: only a failure takes this long.
const PATIENCE: Duration = Duration::from_secs(20);

async fn until(fixture: &Fixture, names: &[&str]) {
    let mut looks = tokio::time::interval(Duration::from_millis(10));
    let reached = async {
        loop {
            looks.tick().await;
            let files = fixture.app.blueprints.catalog.files();
            if files.definitions.keys().map(String::as_str).eq(names.iter().copied()) {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, reached).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_are_noticed_wherever_they_happen() {
    let fixture = Fixture::new(&[]);
    let stop = CancellationToken::new();
    let watching = tokio::spawn(watch::<Agents>(Arc::clone(&fixture.app.blueprints), stop.clone()));
    // The folder does not exist yet.
    fixture.write("reviewer/agent.yaml", REVIEWER);
    until(&fixture, &["reviewer"]).await;
    fixture.write("other/agent.yaml", &REVIEWER.replace("name: reviewer", "name: other"));
    until(&fixture, &["other", "reviewer"]).await;
    fs::remove_dir_all(fixture.folder()).unwrap();
    until(&fixture, &[]).await;
    fixture.write("again/agent.yaml", &REVIEWER.replace("name: reviewer", "name: again"));
    until(&fixture, &["again"]).await;
    stop.cancel();
    tokio::time::timeout(PATIENCE, watching).await.unwrap().unwrap();
}
