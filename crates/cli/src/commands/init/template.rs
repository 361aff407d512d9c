//! The files of templates, by where they go inside `.accord`. A file that is added to a template's folder is added here.

/// A file: its path inside `.accord`, and its content.
pub(super) type File = (&'static str, &'static str);

macro_rules! files {
    ($folder:literal: $($path:literal <- $source:literal,)*) => {
        &[$(($path, include_str!(concat!("../../../templates/", $folder, "/", $source))),)*]
    };
    ($folder:literal: $($path:literal,)*) => {
        &[$(($path, include_str!(concat!("../../../templates/", $folder, "/", $path))),)*]
    };
}

/// The files of every project.
pub(super) const COMMON: &[File] = files! { "common":
    "config.toml" <- "config.toml",
    ".gitignore" <- "gitignore",
};

/// The starter project.
pub(super) const START: &[File] = files! { "start":
    "agents/ticket-triage/agent.yaml",
    "agents/ticket-triage/system-prompt.md",
    "agents/release-notes/agent.yaml",
    "agents/invoice-reader/agent.yaml",
    "agents/word-count/agent.yaml",
    "cassettes/ticket-triage.json",
    "cassettes/release-notes.json",
    "cassettes/invoice-reader.json",
    "inputs/ticket.json",
    "inputs/release.json",
    "inputs/letter.txt",
    "schemas/task.schema.json",
    "workflows/ticket-intake.yaml",
};

/// What to type after it. The examples answer from a recording: other inputs than these were not recorded.
pub(super) const START_NEXT: &str = "  accord agents list
  accord run ticket-triage --params .accord/inputs/ticket.json            # correct on the first try
  accord run release-notes --params .accord/inputs/release.json           # miscounts, gets the error back, corrects it
  accord run invoice-reader - < .accord/inputs/letter.txt                 # cannot meet its contract: exit code 2
  accord run word-count --param text=\"one two three\"                      # runs a command, no model
  accord workflows run ticket-intake --input .accord/inputs/ticket.json   # two agents in parallel, results merged
  accord up                                                               # coordinator, runner and dashboard
";

/// What to type after it if the agents have a model.
pub(super) const START_LIVE_NEXT: &str = "  accord agents list
  accord run ticket-triage --param ticket=\"Nobody can log in since nine\"    # your own text works too
  accord prompt ticket-triage --param ticket=\"Nobody can log in\"           # what the model is sent
  accord run invoice-reader - < .accord/inputs/letter.txt                   # has no amount: must fail, not guess
  accord run word-count --param text=\"one two three\"                        # runs a command, no model
  accord workflows run ticket-intake --input .accord/inputs/ticket.json     # two agents in parallel, results merged
  accord up                                                                 # coordinator, runner and dashboard
";

/// Three specialists and a writer on one findings schema.
pub(super) const CODE_REVIEW: &[File] = files! { "code-review":
    "agents/security/agent.yaml",
    "agents/security/system-prompt.md",
    "agents/correctness/agent.yaml",
    "agents/correctness/system-prompt.md",
    "agents/conventions/agent.yaml",
    "agents/conventions/system-prompt.md",
    "agents/writer/agent.yaml",
    "agents/writer/system-prompt.md",
    "cassettes/security.json",
    "cassettes/correctness.json",
    "cassettes/conventions.json",
    "cassettes/writer.json",
    "inputs/change.diff",
    "inputs/change.json",
    "inputs/change.txt",
    "schemas/findings.schema.json",
    "workflows/code-review.yaml",
};

/// What to type after it.
pub(super) const CODE_REVIEW_NEXT: &str = "  accord agents list
  accord workflows validate
  accord review --diff .accord/inputs/change.diff                       # two contradictions; the writer hides one at first
  accord workflows run code-review --input .accord/inputs/change.json   # the same workflow, with every node
  accord run security - < .accord/inputs/change.txt                     # a single reviewer
  accord review                                                         # your own changes, once the agents have a model
";

/// The agents of a small team, and a workflow that plans over them.
pub(super) const TEAM: &[File] = files! { "team":
    "agents/orchestrator/agent.yaml",
    "agents/orchestrator/system-prompt.md",
    "agents/researcher/agent.yaml",
    "agents/researcher/system-prompt.md",
    "agents/implementer/agent.yaml",
    "agents/implementer/system-prompt.md",
    "agents/reviewer/agent.yaml",
    "agents/reviewer/system-prompt.md",
    "agents/tester/agent.yaml",
    "agents/tester/system-prompt.md",
    "cassettes/orchestrator.json",
    "cassettes/researcher.json",
    "cassettes/implementer.json",
    "cassettes/reviewer.json",
    "cassettes/tester.json",
    "inputs/researcher.txt",
    "inputs/implementer.txt",
    "inputs/reviewer.txt",
    "inputs/tester.txt",
    "inputs/task.json",
    "inputs/task.txt",
    "workflows/team.yaml",
};

/// What to type after it.
pub(super) const TEAM_NEXT: &str = "  accord agents list
  accord workflows run team --input .accord/inputs/task.json                 # the orchestrator plans, the others work
  accord run --task - --planner orchestrator < .accord/inputs/task.txt       # the same without a workflow file
  accord run researcher - < .accord/inputs/researcher.txt
  accord run implementer - < .accord/inputs/implementer.txt
  accord run reviewer - < .accord/inputs/reviewer.txt      # approves despite a blocker, gets the error back, corrects it
  accord run tester - < .accord/inputs/tester.txt
";

/// A workflow with a person in it, and a person as an agent. The agent that drafts is that of the starter project.
pub(super) const APPROVAL: &[File] = &[
    (
        "agents/release-notes/agent.yaml",
        include_str!("../../../templates/start/agents/release-notes/agent.yaml"),
    ),
    ("cassettes/release-notes.json", include_str!("../../../templates/start/cassettes/release-notes.json")),
    ("inputs/release.json", include_str!("../../../templates/start/inputs/release.json")),
    ("agents/editor/agent.yaml", include_str!("../../../templates/approval/agents/editor/agent.yaml")),
    ("workflows/release.yaml", include_str!("../../../templates/approval/workflows/release.yaml")),
];

/// What to type after it.
pub(super) const APPROVAL_NEXT: &str = "  accord up                                                            # coordinator, runner and dashboard
  accord workflows run release --input .accord/inputs/release.json     # in another terminal: drafts, then waits for you
  accord inputs list                                                   # what you are asked
  accord inputs answer inp_… --value '{\"approve\": true}'              # refused: the headline is missing
  accord inputs answer inp_… --value '{\"approve\": true, \"headline\": \"A dark theme\"}'
  accord inputs link inp_…                                             # or a link to a form, for somebody else
";
