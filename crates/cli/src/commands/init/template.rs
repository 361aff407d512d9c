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
    "cassettes/ticket-triage.json" <- "cassettes/ticket-triage.json",
    "cassettes/release-notes.json" <- "cassettes/release-notes.json",
    "cassettes/invoice-reader.json" <- "cassettes/invoice-reader.json",
    "inputs/ticket.json" <- "inputs/ticket.json",
    "inputs/release.json" <- "inputs/release.json",
    "inputs/letter.txt" <- "inputs/letter.txt",
    "schemas/task.schema.json" <- "schemas/task.schema.json",
};

/// What to type after it. The examples answer from a recording: other inputs than these were not recorded.
pub(super) const START_NEXT: &str = "  accord agents list
  accord run ticket-triage --params .accord/inputs/ticket.json     # right at the first try
  accord run release-notes --params .accord/inputs/release.json    # miscounts, is told so, corrects itself
  accord run invoice-reader - < .accord/inputs/letter.txt          # cannot keep its contract, and says so
  accord run word-count --param text=\"one two three\"             # a command, no model
  accord up                                                        # a coordinator and a runner that stay
";
