//! Whether the workflows of the project's files can be run.

use super::Check;
use super::agents::verdict;
use crate::commands::workflow::workflows_in;
use crate::config::Config;
use crate::view::words::counted;

const NAME: &str = "workflows";

/// Nothing, where there are none: nobody needs one.
pub(super) async fn checks(config: &Config) -> Vec<Check> {
    let Ok(workflows) = workflows_in(config, config.workflows_dir()).await else {
        let remedy = "accord workflow validate says why";
        return vec![Check::fail(NAME, "they cannot be examined", remedy)];
    };
    let summaries: Vec<_> = workflows.into_iter().map(|workflow| workflow.summary).collect();
    if summaries.is_empty() {
        return Vec::new();
    }
    let good = summaries.iter().filter(|workflow| workflow.valid).count() as u64;
    let mut checks = vec![Check::ok(NAME, format!("{} can be run", counted(good, "workflow")))];
    checks.extend(summaries.iter().filter_map(|workflow| {
        let remedy = format!("accord workflow validate {} says where", workflow.name);
        verdict(NAME, &workflow.name, workflow.valid, &workflow.problems, remedy)
    }));
    checks
}
