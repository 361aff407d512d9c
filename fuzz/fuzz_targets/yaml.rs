//! Any agent file is read as an agent or has reported problems.

#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

/// One folder with one agent, rewritten each time: the public API only reads files.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("accord-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("a")).expect("a folder for an agent");
    folder
});

fuzz_target!(|bytes: &[u8]| {
    std::fs::write(FOLDER.join("a/agent.yaml"), bytes).expect("a file for an agent");
    let agents = accord_blueprint::agents_in(&FOLDER, &[]);
    assert_eq!(agents.len(), 1);
    for agent in agents {
        let summary = agent.summary;
        assert!(summary.valid || summary.problems.iter().all(|problem| !problem.message.is_empty()));
    }
});
