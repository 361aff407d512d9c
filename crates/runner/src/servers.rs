//! The MCP servers of a run, with everything filled in.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use accord_api::agent::{self, fill};
use accord_api::{LeaseId, RunId, RunToken};
use accord_executor::{McpServer, Reach};

/// Variables that blueprints refer to. `Debug` does not print the values.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Variables(Arc<BTreeMap<String, String>>);

impl Variables {
    /// These, by name.
    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(Arc::new(variables.into_iter().collect()))
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Variables({} of them)", self.0.len())
    }
}

/// Whose servers they are, and what they are filled in from.
pub(crate) struct Filling<'a> {
    pub(crate) coordinator_url: Option<&'a str>,
    pub(crate) variables: &'a Variables,
    pub(crate) run_id: &'a RunId,
    pub(crate) lease_id: &'a LeaseId,
}

impl Filling<'_> {
    /// The servers of a blueprint. The message says which one cannot be had, and why.
    pub(crate) fn servers(
        &self,
        named: &BTreeMap<String, agent::McpServer>,
    ) -> Result<Vec<McpServer>, String> {
        named.iter().map(|(name, server)| self.server(name, server)).collect()
    }

    fn server(&self, name: &str, server: &agent::McpServer) -> Result<McpServer, String> {
        let reach = match (&server.command, &server.url) {
            (Some(command), _) => Reach::Program {
                command: command.clone(),
                args: server.args.clone(),
                env: self.filled(name, &server.env)?,
            },
            (None, Some(url)) => {
                Reach::Address { url: url.clone(), headers: self.filled(name, &server.headers)? }
            }
            (None, None) if name == agent::McpServer::ACCORD => self.accord()?,
            (None, None) => return Err(format!("the MCP server '{name}' has neither a command nor a url")),
        };
        Ok(McpServer { name: name.to_owned(), reach })
    }

    /// The coordinator's own tools, on behalf of this run alone.
    fn accord(&self) -> Result<Reach, String> {
        let Some(url) = self.coordinator_url else {
            return Err(
                "this runner does not know the coordinator's address, which the MCP server 'accord' needs"
                    .to_owned(),
            );
        };
        let token = RunToken::new(self.run_id.clone(), self.lease_id.clone());
        let headers = BTreeMap::from([("authorization".to_owned(), format!("Bearer {}", token.expose()))]);
        Ok(Reach::Coordinator { url: format!("{}/mcp", url.trim_end_matches('/')), headers })
    }

    fn filled(
        &self,
        server: &str,
        values: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>, String> {
        let fill = |(name, value): (&String, &String)| {
            let filled = fill(value, |variable| self.variables.0.get(variable).cloned());
            filled.map(|filled| (name.clone(), filled)).map_err(|error| {
                format!("'{name}' of the MCP server '{server}' cannot be expanded: {error} in the runner's environment")
            })
        };
        values.iter().map(fill).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(yaml: &[(&str, agent::McpServer)], url: Option<&str>) -> Result<Vec<McpServer>, String> {
        let variables = Variables::new([("TOKEN".to_owned(), "t0p".to_owned())]);
        let named = yaml.iter().map(|(name, server)| ((*name).to_owned(), server.clone())).collect();
        let (run_id, lease_id) = (RunId::new("1"), LeaseId::new("2"));
        let filling =
            Filling { coordinator_url: url, variables: &variables, run_id: &run_id, lease_id: &lease_id };
        filling.servers(&named)
    }

    fn map(name: &str, value: &str) -> BTreeMap<String, String> {
        BTreeMap::from([(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn everything_is_filled_in() {
        let program = agent::McpServer {
            command: Some("serve".to_owned()),
            args: vec!["${TOKEN}".to_owned()],
            env: map("KEY", "${TOKEN}"),
            ..agent::McpServer::default()
        };
        let address = agent::McpServer {
            url: Some("https://x/mcp".to_owned()),
            headers: map("authorization", "Bearer ${TOKEN}"),
            ..agent::McpServer::default()
        };
        let named = [("a", program), ("accord", agent::McpServer::default()), ("b", address)];
        let expected = vec![
            McpServer {
                name: "a".to_owned(),
                reach: Reach::Program {
                    command: "serve".to_owned(),
                    args: vec!["${TOKEN}".to_owned()],
                    env: map("KEY", "t0p"),
                },
            },
            McpServer {
                name: "accord".to_owned(),
                reach: Reach::Coordinator {
                    url: "http://127.0.0.1:1/mcp".to_owned(),
                    headers: map("authorization", "Bearer run.run_1.lse_2"),
                },
            },
            McpServer {
                name: "b".to_owned(),
                reach: Reach::Address {
                    url: "https://x/mcp".to_owned(),
                    headers: map("authorization", "Bearer t0p"),
                },
            },
        ];
        assert_eq!(servers(&named, Some("http://127.0.0.1:1/")), Ok(expected));
    }

    #[test]
    fn missing_variables_are_named() {
        let program = agent::McpServer {
            command: Some("serve".to_owned()),
            env: map("KEY", "${GONE}"),
            ..agent::McpServer::default()
        };
        let message = "'KEY' of the MCP server 'a' cannot be expanded: environment variable GONE is not set in the runner's environment";
        assert_eq!(servers(&[("a", program)], None), Err(message.to_owned()));
        let missing = servers(&[("accord", agent::McpServer::default())], None).unwrap_err();
        assert!(missing.contains("the coordinator's address"), "{missing}");
        assert!(!format!("{:?}", Variables::new([("A".to_owned(), "secret".to_owned())])).contains("secret"));
    }
}
