//! Where an agent finds the tools of others.

use std::collections::BTreeMap;
use std::fmt;

/// An MCP server that an agent may use, with everything filled in: what is secret is here in plain, and shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct McpServer {
    /// The name that the blueprint gives it.
    pub name: String,
    pub reach: Reach,
}

#[derive(Clone, PartialEq, Eq)]
pub enum Reach {
    /// A program that communicates over its stdin and stdout.
    Program { command: String, args: Vec<String>, env: BTreeMap<String, String> },
    /// A URL, used with streamable HTTP.
    Address { url: String, headers: BTreeMap<String, String> },
    /// The same, of the run's own coordinator. What it did not answer is asked again until the run ends: its tools do a call with
    /// the same key once.
    Coordinator { url: String, headers: BTreeMap<String, String> },
}

impl fmt::Debug for McpServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = match &self.reach {
            Reach::Program { command, .. } => command,
            Reach::Address { url, .. } | Reach::Coordinator { url, .. } => url,
        };
        write!(formatter, "McpServer({} at {at})", self.name)
    }
}
