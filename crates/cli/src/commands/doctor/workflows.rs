//! Checks whether the project's workflows can run: with the agents in files and, if a coordinator
//! is running, with those in its store.

use accord_api::WorkflowView;
use accord_client::Client;

use super::agents::verdict;
use super::check::Check;
use crate::config::Config;
use crate::definitions;
use crate::view::text::counted;

const NAME: &str = "workflows";

/// No checks if there are no workflows: they are optional.
pub(super) async fn checks(config: &Config, coordinator: Option<&Client>) -> Vec<Check> {
    let mut workflows = definitions::of_project::<WorkflowView>(config);
    if workflows.is_empty() {
        return Vec::new();
    }
    let mut not_seen = "; agents in the database are found only while a coordinator runs";
    if let Some(client) = coordinator {
        not_seen = "";
        for workflow in &mut workflows {
            judged_there(workflow, client).await;
        }
    }
    let summaries: Vec<_> = workflows.into_iter().map(|workflow| workflow.summary).collect();
    let good = summaries.iter().filter(|workflow| workflow.valid).count() as u64;
    let mut checks = vec![Check::ok(NAME, format!("{} valid", counted(good, "workflow")))];
    checks.extend(summaries.iter().filter_map(|workflow| {
        let not_seen = if workflow.valid { "" } else { not_seen };
        let remedy = format!("run `accord workflows validate {}` for details{not_seen}", workflow.name);
        verdict(NAME, &workflow.name, workflow.valid, &workflow.problems, remedy)
    }));
    checks
}

/// The coordinator's opinion of a workflow with problems: it knows agents and workflows that are not in files.
async fn judged_there(workflow: &mut WorkflowView, client: &Client) {
    if workflow.summary.problems.is_empty() || !workflow.workflow.is_object() {
        return;
    }
    if let Ok(answer) = client.validate_workflow(&workflow.workflow).await {
        workflow.summary.valid = answer.valid;
        workflow.summary.problems = answer.problems;
    }
}
