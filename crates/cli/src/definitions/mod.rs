//! Agents and workflows, in files and in the database: everything that is the same for both.

mod files;
mod push;

use std::path::{Path, PathBuf};

use accord_api::{
    AgentSummary, AgentView, ErrorName, Page, PageQuery, Problem as Finding, Source, WorkflowSummary,
    WorkflowView,
};
use accord_client::{Client, ClientError};
use serde::Serialize;
use serde_json::json;

pub(crate) use files::{folder_in, in_folder, of_project, relative, validate};
pub(crate) use push::{Pushed, not_saved, push};

use crate::call::{CallArguments, ListingArguments};
use crate::config::Config;
use crate::connection;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::meter::meter;
use crate::paging;
use crate::view::{agent, text, workflow};
use crate::{output, project, runtime};

/// What lists show of both.
pub(crate) struct Summary<'a> {
    name: &'a str,
    source: Source,
    valid: bool,
    problems: &'a [Finding],
}

/// An agent or a workflow as the API shows it.
pub(crate) trait Definition: Clone {
    /// As lists show it.
    type Listed: Clone + Serialize;

    const NOUN: &'static str;
    const EXISTS: ErrorName;
    /// Follows the message for an empty list.
    const NONE_LISTED: &'static str;
    /// The hint for an unknown name if the project has none.
    const NONE_KNOWN: &'static str;
    /// The hint if the project has none.
    const HOW_TO_CREATE: &'static str;

    /// The folder with the files of a project.
    fn folder(config: &Config) -> PathBuf;
    fn load(folder: &Path, config: &Config) -> Vec<Self>;
    /// The one that a path names.
    fn at(path: &Path, config: &Config) -> Result<Self, Problem>;
    fn has_tags(listed: &Self::Listed, tags: &[String]) -> bool;

    fn listed(&self) -> &Self::Listed;
    fn summary(listed: &Self::Listed) -> Summary<'_>;
    fn table(all: &[Self::Listed]) -> String;
    fn hash(&self) -> &str;
    /// The file it is defined in, and its problems, which have the same file.
    fn file(&mut self) -> (&mut Option<String>, &mut [Finding]);

    async fn page(
        client: &Client,
        tags: &[String],
        page: &PageQuery,
    ) -> Result<Page<Self::Listed>, ClientError>;
    async fn get(client: &Client, name: &str) -> Result<Self, ClientError>;
    async fn create(&self, client: &Client) -> Result<Self, ClientError>;
    /// Replaces the one with this hash.
    async fn replace(&self, client: &Client, hash: &str) -> Result<Self, ClientError>;
    async fn delete(client: &Client, name: &str) -> Result<(), ClientError>;
}

macro_rules! same_for_both {
    ($listed:ident, $document:ident, $table:path, $folder:ident, $at:path, $get:ident, $create:ident, $put:ident, $delete:ident) => {
        type Listed = $listed;

        fn folder(config: &Config) -> PathBuf {
            config.$folder()
        }

        fn at(path: &Path, config: &Config) -> Result<Self, Problem> {
            $at(path, config)
        }

        fn listed(&self) -> &$listed {
            &self.summary
        }

        fn summary($listed { name, source, valid, problems, .. }: &$listed) -> Summary<'_> {
            Summary { name, source: *source, valid: *valid, problems }
        }

        fn table(all: &[$listed]) -> String {
            $table(all)
        }

        fn hash(&self) -> &str {
            &self.hash
        }

        fn file(&mut self) -> (&mut Option<String>, &mut [Finding]) {
            (&mut self.file, &mut self.summary.problems)
        }

        async fn get(client: &Client, name: &str) -> Result<Self, ClientError> {
            client.$get(name).await
        }

        async fn create(&self, client: &Client) -> Result<Self, ClientError> {
            client.$create(&self.$document).await
        }

        async fn replace(&self, client: &Client, hash: &str) -> Result<Self, ClientError> {
            client.$put(&self.summary.name, &self.$document, Some(hash)).await
        }

        async fn delete(client: &Client, name: &str) -> Result<(), ClientError> {
            client.$delete(name).await
        }
    };
}

impl Definition for AgentView {
    const NOUN: &'static str = "agent";
    const EXISTS: ErrorName = ErrorName::AgentExists;
    const NONE_LISTED: &'static str = " Create one with `accord agents new NAME`.";
    const NONE_KNOWN: &'static str = "there are no agents; create one with `accord agents new NAME`";
    const HOW_TO_CREATE: &'static str = "create one with `accord agents new NAME`";

    same_for_both!(
        AgentSummary,
        blueprint,
        agent::list,
        agents_dir,
        files::agent_at,
        agent,
        create_agent,
        put_agent,
        delete_agent
    );

    fn load(folder: &Path, config: &Config) -> Vec<Self> {
        accord_blueprint::agents_in(folder, &config.provider_names(), &meter())
    }

    fn has_tags(listed: &AgentSummary, tags: &[String]) -> bool {
        tags.iter().all(|tag| listed.tags.contains(tag))
    }

    async fn page(
        client: &Client,
        tags: &[String],
        page: &PageQuery,
    ) -> Result<Page<AgentSummary>, ClientError> {
        client.agents(tags, page).await
    }
}

impl Definition for WorkflowView {
    const NOUN: &'static str = "workflow";
    const EXISTS: ErrorName = ErrorName::WorkflowExists;
    const NONE_LISTED: &'static str = "";
    const NONE_KNOWN: &'static str = "there are no workflows";
    const HOW_TO_CREATE: &'static str = "a workflow is a file NAME.yaml or NAME.json in that folder";

    same_for_both!(
        WorkflowSummary,
        workflow,
        workflow::list,
        workflows_dir,
        files::workflow_at,
        workflow,
        create_workflow,
        put_workflow,
        delete_workflow
    );

    fn load(folder: &Path, config: &Config) -> Vec<Self> {
        accord_blueprint::workflows_in(folder, &config.agents_dir(), &config.provider_names(), &meter())
    }

    fn has_tags(_: &WorkflowSummary, _: &[String]) -> bool {
        true
    }

    async fn page(
        client: &Client,
        _: &[String],
        page: &PageQuery,
    ) -> Result<Page<WorkflowSummary>, ClientError> {
        client.workflows(page).await
    }
}

/// Lists those of the coordinator that runs for this project; if none runs, those in the files of the project.
pub(crate) fn list<D: Definition>(listing: &ListingArguments, tags: &[String]) -> Result<Exit, Failure> {
    let ListingArguments { paging, call: CallArguments { json, connection } } = listing;
    let config = connection.config(Vec::new())?;
    let (page, place) = runtime::block_on(async {
        let Some(client) = &connection::running(&config).await? else {
            if let Some(problem) = project::missing(&config.project) {
                return Err(problem.into());
            }
            let all = of_project::<D>(&config).into_iter().map(|each| each.listed().clone());
            let items = all.filter(|listed| D::has_tags(listed, tags)).collect();
            return Ok((Page::new(items, None), D::folder(&config).display().to_string()));
        };
        let page = paging.gather(|page| async move { D::page(client, tags, &page).await }).await?;
        Ok((page, format!("the coordinator at {}", client.base_url().trim_end_matches('/'))))
    })?;
    let none = format!("No {}s found in {place}.{}", D::NOUN, D::NONE_LISTED);
    let exit = paging::show(&page, *json, &none, D::table)?;
    let invalid = page.items.iter().filter(|listed| !D::summary(listed).valid).count() as u64;
    // `agents list` warns with --json too.
    if invalid > 0 && !(*json && D::NOUN == WorkflowView::NOUN) {
        let invalid = text::counted(invalid, &format!("invalid {}", D::NOUN));
        output::message(&format!("warning: {invalid}; run `accord {}s validate` for details\n", D::NOUN));
    }
    Ok(exit)
}

/// Removes one from the database. One in a file is removed by its owner.
pub(crate) fn remove<D: Definition>(call: &CallArguments, name: &str) -> Result<Exit, Failure> {
    call.connection.ask(async |client| {
        let mut found = D::get(client, name).await?;
        if D::summary(found.listed()).source == Source::File {
            let (noun, file) = (D::NOUN, found.file().0.take());
            let file = file.unwrap_or_else(|| "a file of the coordinator".to_owned());
            let problem = Problem::new(format!("{noun} '{name}' is defined in {file}, not in the database"));
            return Err(problem.hint(format!("delete the file to remove the {noun}")).into());
        }
        Ok(D::delete(client, name).await?)
    })?;
    report_removed(name, call.json)
}

/// Reports something that was removed by its name.
pub(crate) fn report_removed(name: &str, json: bool) -> Result<Exit, Failure> {
    if json {
        output::json(&json!({"name": name, "removed": true}))?;
    } else {
        output::message(&format!("removed {name}\n"));
    }
    Ok(Exit::Success)
}
