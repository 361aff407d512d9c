//! Which crate may use which. The tables are ARCHITECTURE.md as data.

use super::Finding;
use super::manifest::{self, Manifest};
use super::repository::Repository;

/// Every crate of ours and those of our crates that it may use. An unlisted crate is rejected until
/// its place is decided.
const DIRECTIONS: &[(&str, &[&str])] = &[
    ("accord-json", &[]),
    ("accord-sse", &[]),
    ("accord-trace", &[]),
    ("accord-types", &["accord-json"]),
    ("accord-domain", &["accord-json"]),
    ("accord-contract", &["accord-json"]),
    // The providers and executors are one table that everyone reads.
    ("accord-executor", &["accord-json", "accord-domain", "accord-sse", "accord-trace"]),
    // Conditions and checks of a workflow are the CEL of invariants: one set of limits, one evaluator.
    ("accord-workflow", &["accord-domain", "accord-contract"]),
    ("accord-api", &["accord-json", "accord-domain"]),
    // Files of agents and workflows are checked like requests, and their problems are those of the API.
    (
        "accord-blueprint",
        &["accord-json", "accord-api", "accord-domain", "accord-contract", "accord-workflow"],
    ),
    ("accord-store", &["accord-domain"]),
    ("accord-store-sqlite", &["accord-store", "accord-domain"]),
    ("accord-store-postgres", &["accord-store", "accord-domain"]),
    ("accord-client", &["accord-api", "accord-sse", "accord-trace"]),
    (
        "accord-coordinator",
        &[
            "accord-json",
            "accord-api",
            "accord-blueprint",
            "accord-store",
            "accord-domain",
            "accord-contract",
            "accord-workflow",
            "accord-trace",
        ],
    ),
    ("accord-runner", &["accord-client", "accord-executor", "accord-contract", "accord-api", "accord-trace"]),
    ("accord-mcp", &["accord-client", "accord-contract", "accord-api", "accord-trace"]),
    ("accord-cli", SHIPPED),
    ("accord-corpus", &["accord-contract"]),
    ("accord-test-support", SHIPPED),
    ("bench", SHIPPED),
    ("xtask", SHIPPED),
    (
        "accord-fuzz",
        &[
            "accord-blueprint",
            "accord-contract",
            "accord-coordinator",
            "accord-store-sqlite",
            "accord-workflow",
        ],
    ),
];

/// What the binary is made of.
const SHIPPED: &[&str] = &[
    "accord-json",
    "accord-domain",
    "accord-contract",
    "accord-executor",
    "accord-workflow",
    "accord-api",
    "accord-sse",
    "accord-trace",
    "accord-types",
    "accord-blueprint",
    "accord-store",
    "accord-store-sqlite",
    "accord-store-postgres",
    "accord-client",
    "accord-coordinator",
    "accord-runner",
    "accord-mcp",
];

/// Crates for tests: a dev-dependency of anybody, a dependency only of each other and of the tools.
const FOR_TESTS: &[&str] = &["accord-corpus", "accord-test-support"];
const TOOLS: &[&str] = &["accord-fuzz", "bench", "xtask"];

/// Crates of others that have one home.
const HOMES: &[(&str, &[&str])] = &[
    ("sqlx", &["accord-store-postgres"]),
    ("rusqlite", &["accord-store-sqlite"]),
    ("axum", &["accord-coordinator", "accord-test-support"]),
    ("reqwest", &["accord-client", "accord-executor"]),
    ("rmcp", &["accord-mcp", "accord-executor"]),
    ("agent-client-protocol", &["accord-cli", "accord-executor"]),
    ("clap", &["accord-cli"]),
];

/// Crates that decide and never act.
pub(super) const PURE: &[&str] =
    &["accord-json", "accord-sse", "accord-types", "accord-domain", "accord-contract", "accord-workflow"];
const ACTING: &[&str] = &["tokio", "axum", "sqlx", "reqwest", "rand", "getrandom"];

/// Our crates use each other only as the table says.
pub(super) fn directions(repository: &Repository) -> Vec<Finding> {
    manifest::all(repository).iter().flat_map(directions_of).collect()
}

fn directions_of(manifest: &Manifest<'_>) -> Vec<Finding> {
    const RULE: &str = "dependency direction";
    let Some((_, allowed)) = DIRECTIONS.iter().find(|(name, _)| *name == manifest.name) else {
        let remedy = format!("say in xtask/src/tidy/dependencies.rs what {} may use", manifest.name);
        return vec![Finding::new(&manifest.file.path, 1, RULE, remedy)];
    };
    let is_tool = TOOLS.contains(&manifest.name.as_str()) || FOR_TESTS.contains(&manifest.name.as_str());
    let mut findings = Vec::new();
    for dependency in manifest.dependencies() {
        let name = dependency.name.as_str();
        if !DIRECTIONS.iter().any(|(ours, _)| *ours == name) && !name.starts_with("accord-") {
            continue;
        }
        let test_crate = FOR_TESTS.contains(&name);
        // Tests may set up what the crate itself does not know: a real store under the coordinator, say.
        if allowed.contains(&name) || dependency.for_tests || test_crate && is_tool {
            continue;
        }
        let remedy = if test_crate {
            format!("{name} is for tests: make it a dev-dependency")
        } else {
            format!("{} may not use {name}; see ARCHITECTURE.md", manifest.name)
        };
        findings.push(Finding::new(&manifest.file.path, manifest.line_of(name), RULE, remedy));
    }
    findings
}

/// Crates with one home are used only there.
pub(super) fn placement(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in manifest::all(repository) {
        for dependency in manifest.dependencies() {
            let home = HOMES.iter().find(|(name, _)| *name == dependency.name);
            let Some((name, home)) = home.filter(|(_, home)| !home.contains(&manifest.name.as_str())) else {
                continue;
            };
            let remedy = format!("{name} may be used only by {}", home.join(", "));
            let line = manifest.line_of(name);
            findings.push(Finding::new(&manifest.file.path, line, "one home for a dependency", remedy));
        }
    }
    findings
}

/// Pure crates depend on nothing that acts.
pub(super) fn purity(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in manifest::all(repository).iter().filter(|each| PURE.contains(&each.name.as_str())) {
        for dependency in manifest.dependencies().iter().filter(|each| !each.for_tests) {
            if ACTING.contains(&dependency.name.as_str()) {
                let remedy = format!("{} is pure; {} acts on the world", manifest.name, dependency.name);
                let line = manifest.line_of(&dependency.name);
                findings.push(Finding::new(&manifest.file.path, line, "pure crate", remedy));
            }
        }
    }
    findings
}

/// Every crate of the workspace takes the workspace's lints.
pub(super) fn lints(repository: &Repository) -> Vec<Finding> {
    let inherits = |manifest: &Manifest<'_>| {
        let lints = manifest.table.get("lints").and_then(|lints| lints.get("workspace"));
        lints.and_then(toml::Value::as_bool) == Some(true)
    };
    // The fuzz crate is not a member of the workspace, so it cannot inherit from it.
    let members =
        manifest::all(repository).into_iter().filter(|manifest| !manifest.file.path.starts_with("fuzz/"));
    members
        .filter(|manifest| !inherits(manifest))
        .map(|manifest| {
            Finding::new(&manifest.file.path, 1, "workspace lints", "add [lints] with workspace = true")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(name: &str, rest: &str) -> Repository {
        let text = format!("[package]\nname = \"{name}\"\n{rest}");
        Repository::of(&[("crates/x/Cargo.toml", &text)])
    }

    fn remedies(findings: Vec<Finding>) -> Vec<String> {
        findings.into_iter().map(|finding| format!("{}: {}", finding.line, finding.remedy)).collect()
    }

    #[test]
    fn a_wrong_direction_is_rejected() {
        let repository =
            repository("accord-contract", "[dependencies]\naccord-store.workspace = true\nserde = \"1\"\n");
        let expected = ["4: accord-contract may not use accord-store; see ARCHITECTURE.md"];
        assert_eq!(remedies(directions(&repository)), expected);
    }

    #[test]
    fn an_allowed_direction_is_accepted() {
        let repository = repository("accord-runner", "[dependencies]\naccord-contract.workspace = true\n");
        assert_eq!(directions(&repository), []);
    }

    #[test]
    fn an_unlisted_crate_is_rejected() {
        let expected = ["1: say in xtask/src/tidy/dependencies.rs what accord-new may use"];
        assert_eq!(remedies(directions(&repository("accord-new", ""))), expected);
    }

    #[test]
    fn test_crates_are_dev_dependencies() {
        let development = repository("accord-cli", "[dev-dependencies]\naccord-corpus = \"1\"\n");
        assert_eq!(directions(&development), []);
        let shipped = repository("accord-cli", "[dependencies]\naccord-corpus = \"1\"\n");
        let expected = ["4: accord-corpus is for tests: make it a dev-dependency"];
        assert_eq!(remedies(directions(&shipped)), expected);
        assert_eq!(directions(&repository("bench", "[dependencies]\naccord-corpus = \"1\"\n")), []);
    }

    #[test]
    fn a_dependency_in_the_wrong_crate_is_rejected() {
        let wrong = repository("accord-runner", "[dependencies]\nsqlx = \"0.9\"\n");
        let expected = ["4: sqlx may be used only by accord-store-postgres"];
        assert_eq!(remedies(placement(&wrong)), expected);
        assert_eq!(placement(&repository("accord-store-postgres", "[dependencies]\nsqlx = \"0.9\"\n")), []);
    }

    #[test]
    fn a_pure_crate_with_side_effects_is_rejected() {
        let wrong = repository("accord-domain", "[dependencies]\ntokio = \"1\"\n");
        assert_eq!(remedies(purity(&wrong)), ["4: accord-domain is pure; tokio acts on the world"]);
        assert_eq!(purity(&repository("accord-runner", "[dependencies]\ntokio = \"1\"\n")), []);
    }

    #[test]
    fn missing_lints_are_rejected() {
        assert_eq!(lints(&repository("xtask", "")).len(), 1);
        assert_eq!(lints(&repository("xtask", "[lints]\nworkspace = true\n")), []);
    }
}
