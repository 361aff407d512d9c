//! The files of templates, by where they go inside `.accord`. A file that is added to a template's folder is added here.

macro_rules! files {
    ($folder:literal: $($path:literal <- $source:literal,)*) => {
        &[$(($path, include_str!(concat!("../../../templates/", $folder, "/", $source))),)*]
    };
}

/// The starter project.
pub(super) const START: &[(&str, &str)] = files! { "start":
    "config.toml" <- "config.toml",
    ".gitignore" <- "gitignore",
    "agents/ticket-triage/agent.yaml" <- "agents/ticket-triage/agent.yaml",
    "agents/ticket-triage/system-prompt.md" <- "agents/ticket-triage/system-prompt.md",
    "agents/release-notes/agent.yaml" <- "agents/release-notes/agent.yaml",
    "agents/invoice-reader/agent.yaml" <- "agents/invoice-reader/agent.yaml",
    "agents/word-count/agent.yaml" <- "agents/word-count/agent.yaml",
    "schemas/task.schema.json" <- "schemas/task.schema.json",
};

/// What to type after it.
pub(super) const START_NEXT: &str = "  accord agents list
  accord run word-count --param text=\"one two three\"
  accord run ticket-triage --param ticket=\"Nobody can log in since this morning\"
  accord up
";
