//! Workflow files, examined without a coordinator: against the agents of the project, and a store that is empty.

use std::path::PathBuf;
use std::sync::Arc;

use accord_api::WorkflowView;
use accord_coordinator::{App, Settings, System};
use accord_store_sqlite::SqliteStore;

use crate::config::Config;
use crate::failure::{Failure, Problem};
use crate::local_agents;

/// Every workflow of a folder with its problems, by name, with paths relative to the current folder.
pub(crate) async fn workflows_in(config: &Config, folder: PathBuf) -> Result<Vec<WorkflowView>, Failure> {
    let problem = |error: String| Problem::new(format!("cannot validate the workflows: {error}"));
    let store = SqliteStore::in_memory().map_err(|error| problem(error.to_string()))?;
    let settings = Settings {
        agents_dir: Some(config.agents_dir()),
        workflows_dir: Some(folder),
        providers: config.provider_names(),
        ..Settings::default()
    };
    let app = App::new(Arc::new(store), Arc::new(System), settings);
    let mut views = app.examine_workflows().await.map_err(|error| problem(error.to_string()))?;
    for view in &mut views {
        local_agents::seen_from_here(&mut view.file, &mut view.summary.problems);
    }
    Ok(views)
}
