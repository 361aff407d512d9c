//! Checks the MCP servers of a blueprint.

use accord_contract::JsonPath;
use accord_domain::agent::{Blueprint, Executor, McpServer, fill};

use super::program::is_variable;
use super::url;
use crate::finding::Findings;

/// The name of a server is a prefix of the names of its tools, which providers limit to 64 characters.
const MAX_NAME_LENGTH: usize = 32;

/// Servers are processes and connections of every run.
const MAX_SERVERS: usize = 16;

pub(super) fn check(blueprint: &Blueprint, executor_is_known: bool, findings: &mut Findings) {
    let all = JsonPath::root().key("mcp_servers");
    if blueprint.mcp_servers.len() > MAX_SERVERS {
        findings.error(
            all.clone(),
            format!("expected at most {MAX_SERVERS} servers, got {}", blueprint.mcp_servers.len()),
        );
    }
    if executor_is_known
        && !blueprint.mcp_servers.is_empty()
        && matches!(blueprint.executor, Executor::Process(_))
    {
        findings.error(
            all.clone(),
            "a process executor does not support MCP servers; remove them, or use another executor",
        );
    }
    for (name, server) in &blueprint.mcp_servers {
        one(name, server, &all.key(name), findings);
    }
}

fn one(name: &str, server: &McpServer, at: &JsonPath, findings: &mut Findings) {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if name.is_empty() || name.len() > MAX_NAME_LENGTH || !name.bytes().all(plain) {
        let message =
            format!("expected a server name of 1 to {MAX_NAME_LENGTH} letters, digits, '-' and '_'");
        findings.error(at.clone(), message);
    }
    if name == McpServer::ACCORD {
        if *server != McpServer::default() {
            let message = "'accord' is the coordinator itself and has no settings: write 'accord: {}', or use another name for your own server";
            findings.error(at.clone(), message);
        }
        return;
    }
    match (&server.command, &server.url) {
        // The invalid field that was removed may be the required one.
        (None, None) if findings.has_error_beneath(at) => {}
        (None, None) => {
            findings.error(at.clone(), "an MCP server requires a 'command' or a 'url'");
        }
        (Some(_), Some(_)) => {
            findings.error(at.key("url"), "set 'command' or 'url', not both");
        }
        (Some(command), None) => program(command, server, at, findings),
        (None, Some(url)) => remote(url, server, at, findings),
    }
    for (field, values) in [("env", &server.env), ("headers", &server.headers)] {
        for (key, value) in values {
            if let Err(error) = fill(value, |_| Some(String::new())) {
                findings.error(at.key(field).key(key), error.to_string());
            }
        }
    }
}

fn program(command: &str, server: &McpServer, at: &JsonPath, findings: &mut Findings) {
    if command.trim().is_empty() {
        findings.error(at.key("command"), "the command is empty");
    }
    if !server.headers.is_empty() {
        findings.error(at.key("headers"), "a server with a 'command' has no headers; use 'env' or 'args'");
    }
    for (index, argument) in server.args.iter().enumerate() {
        warn_if_not_expanded(argument, at.key("args").index(index), findings);
    }
    for (name, _) in server.env.iter().filter(|(name, _)| !is_variable(name)) {
        findings.error(at.key("env").key(name), "invalid environment variable name");
    }
}

fn remote(url: &str, server: &McpServer, at: &JsonPath, findings: &mut Findings) {
    if let Some(message) = url::url_error(url) {
        findings.error(at.key("url"), message);
    }
    warn_if_not_expanded(url, at.key("url"), findings);
    for (field, is_given) in [("args", !server.args.is_empty()), ("env", !server.env.is_empty())] {
        if is_given {
            findings.error(
                at.key(field),
                "a server with a 'url' is not started by Accord; it supports only 'headers'",
            );
        }
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    for name in server.headers.keys().filter(|name| name.is_empty() || !name.bytes().all(plain)) {
        findings.error(at.key("headers").key(name), "invalid header name");
    }
}

fn warn_if_not_expanded(text: &str, place: JsonPath, findings: &mut Findings) {
    if text.contains("${") {
        findings.warning(place, "'${…}' is expanded only in 'env' and 'headers', not here");
    }
}
