//! MCP servers, as the protocol takes them. They go in by stdin, secrets included.

use agent_client_protocol::v1::schema::{
    EnvVariable, HttpHeader, McpCapabilities, McpServer as Server, McpServerHttp, McpServerStdio,
};

use crate::mcp_server::{McpServer, Reach};

/// The servers, or the name of one that this agent cannot reach.
pub(super) fn servers<'a>(
    servers: impl Iterator<Item = &'a McpServer>,
    capabilities: &McpCapabilities,
) -> Result<Vec<Server>, String> {
    let server = |server: &McpServer| {
        let name = server.name.clone();
        match &server.reach {
            Reach::Program { command, args, env } => {
                let env = env.iter().map(|(name, value)| EnvVariable::new(name, value)).collect();
                Ok(Server::Stdio(McpServerStdio::new(name, command).args(args.clone()).env(env)))
            }
            Reach::Address { url, headers } | Reach::Coordinator { url, headers } if capabilities.http => {
                let headers = headers.iter().map(|(name, value)| HttpHeader::new(name, value)).collect();
                Ok(Server::Http(McpServerHttp::new(name, url).headers(headers)))
            }
            Reach::Address { .. } | Reach::Coordinator { .. } => Err(name),
        }
    };
    servers.map(server).collect()
}
