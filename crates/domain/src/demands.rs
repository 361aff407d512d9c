//! The requirements of a run for its runner.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Runner requirements: all that are set must be met.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Demands {
    /// The host must have this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    /// The runner must work on this folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_dir: Option<String>,
    /// The runner must have this executor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executor_type: Option<String>,
    /// The runner must have all of these tags.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub tags: BTreeSet<String>,
}

/// Two demands that no runner can meet together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the agent requires {field} '{ours}', so '{theirs}' cannot be required as well")]
pub struct Clash {
    pub field: &'static str,
    pub ours: String,
    /// What was asked beside it.
    pub theirs: String,
}

impl Demands {
    /// Both demands together. What the first asks is never relaxed: asking something else of the same kind is a clash.
    pub fn and(&self, other: &Demands) -> Result<Demands, Clash> {
        let mut tags = self.tags.clone();
        tags.extend(other.tags.iter().cloned());
        Ok(Demands {
            hostname: both("hostname", &self.hostname, &other.hostname)?,
            project_dir: both("project_dir", &self.project_dir, &other.project_dir)?,
            executor_type: both("executor_type", &self.executor_type, &other.executor_type)?,
            tags,
        })
    }
}

fn both(
    field: &'static str,
    ours: &Option<String>,
    theirs: &Option<String>,
) -> Result<Option<String>, Clash> {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) if ours != theirs => {
            Err(Clash { field, ours: ours.clone(), theirs: theirs.clone() })
        }
        (ours, theirs) => Ok(ours.clone().or_else(|| theirs.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tagged(tags: &[&str]) -> Demands {
        Demands { tags: tags.iter().map(|&tag| tag.to_owned()).collect(), ..Demands::default() }
    }

    #[test]
    fn demands_are_merged() {
        let host = Demands { hostname: Some("a".into()), ..tagged(&["x"]) };
        let expected = Demands { hostname: Some("a".into()), ..tagged(&["x", "y"]) };
        assert_eq!(host.and(&tagged(&["y"])), Ok(expected));
    }

    #[test]
    fn a_demand_is_never_relaxed() {
        let a = Demands { hostname: Some("a".into()), ..Demands::default() };
        let b = Demands { hostname: Some("b".into()), ..Demands::default() };
        assert!(a.and(&b).is_err());
        assert_eq!(a.and(&a), Ok(a.clone()));
    }
}
