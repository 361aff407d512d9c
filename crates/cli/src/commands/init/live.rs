//! A template's agent with a live model instead of its recording.
//!
//! A recorded agent has the line `executor: { type: replay, … }`. The comment above it, if there is one, ends with the lines
//! that a live agent has instead, each after `#   `.

use super::models::Model;

const RECORDED: &str = "executor: { type: replay";

/// The blueprint with this model; unchanged if it plays no recording.
pub(super) fn with_model(blueprint: &str, model: &Model) -> String {
    match model.executor() {
        Some(executor) => with_executor(blueprint, &executor, model.takes_tools()),
        None => blueprint.to_owned(),
    }
}

/// Whether a file is a template's blueprint with some model, and nothing else was changed.
pub(super) fn is_untouched(file: &str, blueprint: &str) -> bool {
    let executor = file.lines().find_map(|line| line.strip_prefix("executor: "));
    let is_made_with = |executor: &str| {
        [true, false].into_iter().any(|takes_tools| with_executor(blueprint, executor, takes_tools) == file)
    };
    file == blueprint || executor.is_some_and(is_made_with)
}

fn with_executor(blueprint: &str, executor: &str, takes_tools: bool) -> String {
    let lines: Vec<&str> = blueprint.lines().collect();
    let Some(at) = lines.iter().position(|line| line.starts_with(RECORDED)) else {
        return blueprint.to_owned();
    };
    let (before, after) = lines.split_at(at);
    let is_comment = |line: &&&str| line.starts_with('#');
    let comment = before.iter().rev().take_while(is_comment).count();
    let (before, comment) = before.split_at(at - comment);
    let live = comment.iter().filter_map(|line| line.strip_prefix("#   "));
    let live = live.filter(|line| !line.starts_with("executor:") && takes_tools);
    let executor = format!("executor: {executor}");
    let all = before.iter().copied().chain([executor.as_str()]).chain(live);
    let all: Vec<&str> = all.chain(after.iter().skip(1).copied()).collect();
    all.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENT: &str = "# Reviews.\nname: a\n\n# Replays a recorded model, or\n#   executor: { type: llm }\n#   tools: [read_file]\nexecutor: { type: replay, cassette: a.json }\n\ntype: autonomous\n";

    #[test]
    fn the_comment_about_the_recording_is_replaced() {
        let model: Model = "openai/m".parse().unwrap();
        assert_eq!(
            with_model(AGENT, &model),
            "# Reviews.\nname: a\n\nexecutor: { type: llm, provider: openai, model: \"m\" }\ntools: [read_file]\n\ntype: autonomous\n"
        );
        let cli = with_model(AGENT, &Model::ClaudeCode);
        assert_eq!(cli, "# Reviews.\nname: a\n\nexecutor: { type: claude-code }\n\ntype: autonomous\n");
        assert_eq!(with_model(AGENT, &Model::Recorded), AGENT);
        assert_eq!(with_model("executor: { type: command }\n", &model), "executor: { type: command }\n");
    }
}
