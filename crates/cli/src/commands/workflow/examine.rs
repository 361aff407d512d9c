//! Workflow files, examined without a coordinator: against the agents of the project, and a store that is empty.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use accord_api::WorkflowView;
use accord_coordinator::{App, Settings, System};
use accord_store_sqlite::SqliteStore;

use crate::config::Config;
use crate::failure::{Failure, Problem};

/// Every workflow of a folder with its verdict, by name. Files are named from where the user stands.
pub(crate) async fn workflows_in(config: &Config, folder: PathBuf) -> Result<Vec<WorkflowView>, Failure> {
    let problem = |error: String| Problem::new(format!("the workflows cannot be examined: {error}"));
    let store = SqliteStore::in_memory().map_err(|error| problem(error.to_string()))?;
    let settings = Settings {
        agents_dir: Some(config.agents_dir()),
        workflows_dir: Some(folder),
        providers: config.provider_names(),
        ..Settings::default()
    };
    let app = App::new(Arc::new(store), Arc::new(System), settings);
    let mut views = app.examine_workflows().await.map_err(|error| problem(error.to_string()))?;
    if let Ok(here) = std::env::current_dir() {
        for view in &mut views {
            shorten(&mut view.file, &here);
            view.summary.problems.iter_mut().for_each(|problem| shorten(&mut problem.file, &here));
        }
    }
    Ok(views)
}

fn shorten(file: &mut Option<String>, here: &Path) {
    let inside = file.as_deref().and_then(|file| Path::new(file).strip_prefix(here).ok());
    if let Some(inside) = inside.map(|path| path.display().to_string()) {
        *file = Some(inside);
    }
}
