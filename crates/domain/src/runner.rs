//! Runners, which claim runs.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::demands::Demands;
use crate::id::RunnerId;

/// How a tag begins whose runner is there for one command alone: it takes only runs that demand this tag.
pub const OWN_TAG: &str = "accord-run-";

/// Description of a runner.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// The host's name.
    pub hostname: String,
    /// Project folder.
    pub project_dir: String,
    /// Executor types.
    pub executor_types: BTreeSet<String>,
    /// Executor types that cannot be re-prompted in the same session: the coordinator enforces their
    /// contract by resuming the session.
    pub held_executor_types: BTreeSet<String>,
    /// Tags.
    pub tags: BTreeSet<String>,
    /// Maximum concurrent runs.
    pub concurrency: u32,
    /// Its version.
    pub version: String,
}

impl Profile {
    /// Whether this runner can do what is demanded, and may.
    pub fn meets(&self, demands: &Demands) -> bool {
        let mut own_tags = self.tags.iter().filter(|tag| tag.starts_with(OWN_TAG));
        let is =
            |wanted: &Option<String>, value: &String| wanted.as_ref().is_none_or(|wanted| wanted == value);
        is(&demands.hostname, &self.hostname)
            && is(&demands.project_dir, &self.project_dir)
            && demands.executor_type.as_ref().is_none_or(|wanted| self.executor_types.contains(wanted))
            && demands.tags.is_subset(&self.tags)
            && own_tags.all(|tag| demands.tags.contains(tag))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runner {
    pub id: RunnerId,
    /// Description sent by the runner.
    pub profile: Profile,
    pub registered_at: Timestamp,
    /// Time of the last heartbeat.
    pub seen_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_demand_counts() {
        let set = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect();
        let runner = Profile {
            hostname: "h".into(),
            project_dir: "/p".into(),
            executor_types: set(&["llm"]),
            tags: set(&["gpu", "eu"]),
            ..Profile::default()
        };
        let none = Demands::default();
        assert!(runner.meets(&none));
        assert!(runner.meets(&Demands { tags: set(&["gpu"]), ..none.clone() }));
        assert!(!runner.meets(&Demands { tags: set(&["gpu", "us"]), ..none.clone() }));
        assert!(!runner.meets(&Demands { hostname: Some("H".into()), ..none.clone() }));
        assert!(!runner.meets(&Demands { project_dir: Some("/q".into()), ..none.clone() }));
        assert!(!runner.meets(&Demands { executor_type: Some("codex".into()), ..none.clone() }));
        assert!(runner.meets(&Demands { executor_type: Some("llm".into()), ..none }));
    }

    #[test]
    fn a_runner_of_a_command_executes_only_its_own_runs() {
        let set = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect();
        let runner = Profile { tags: set(&["gpu", "accord-run-7-x"]), ..Profile::default() };
        for (tags, expected) in [
            (set(&[]), false),
            (set(&["gpu"]), false),
            (set(&["accord-run-8-x"]), false),
            (set(&["accord-run-7-x"]), true),
            (set(&["gpu", "accord-run-7-x"]), true),
        ] {
            let demands = Demands { tags, ..Demands::default() };
            assert_eq!(runner.meets(&demands), expected, "{demands:?}");
        }
    }
}
