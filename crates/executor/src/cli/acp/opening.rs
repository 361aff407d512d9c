//! From a command to an open session: greet, log in, begin or resume, choose the model.

use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    ClientCapabilities, Implementation, InitializeRequest, LoadSessionRequest, NewSessionRequest,
    ResumeSessionRequest,
};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::turn::{Delivery, Turn};

use super::super::rpc::RpcError;
use super::super::{ACP, excerpt};
use super::Launcher;
use super::agent::{Agent, Interruption, OpenSession};
use super::conversation::{Conversation, is_id};
use super::model::ModelChoice;
use super::rpc::AUTH_REQUIRED;
use super::servers::servers;

/// How long it may take to greet. Agents of npm take a few seconds, and some fetch themselves first.
const TIME_TO_GREET: Duration = Duration::from_secs(120);

impl Agent {
    /// Starts the agent, greets it and logs in where the settings say how.
    pub(super) async fn start(launcher: &Launcher) -> Result<Self, Interruption> {
        let mut command = launcher.context.command(&[]);
        command.args(&launcher.context.settings.args);
        let live = launcher.context.spawn(command).await;
        let live = live.map_err(|error| Interruption::process(launcher.context.not_started(&error)))?;
        let mut agent = Self::new(live);
        let client = Implementation::new("accord", env!("CARGO_PKG_VERSION")).title("Accord".to_owned());
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::new())
            .client_info(client);
        let Ok(greeted) = timeout(TIME_TO_GREET, agent.call("initialize", &hello)).await else {
            let seconds = TIME_TO_GREET.as_secs();
            return Err(Interruption::process(format!(
                "{} was started but did not respond within {seconds} seconds; does this command speak ACP?",
                ACP.title
            )));
        };
        let greeted = greeted?.map_err(|error| {
            Interruption::process(format!("{} does not speak ACP: {}", ACP.title, error.message))
        })?;
        agent.greeting = serde_json::from_value(greeted).map_err(|error| {
            Interruption::process(format!("{} sent an invalid greeting: {error}", ACP.title))
        })?;
        if agent.greeting.protocol_version != ProtocolVersion::V1 {
            let version = agent.greeting.protocol_version;
            let text = format!("{} speaks version {version} of the protocol, expected 1", ACP.title);
            return Err(Interruption::process(text));
        }
        if let Some(method) = &launcher.auth_method {
            let params = json!({"methodId": method});
            if let Err(error) = agent.call("authenticate", &params).await? {
                let text = format!("{} refused to log in by '{method}': {}", ACP.title, error.message);
                return Err(Interruption::process(text));
            }
        }
        Ok(agent)
    }

    pub(super) fn can_resume(&self) -> bool {
        let capabilities = &self.greeting.agent_capabilities;
        capabilities.load_session || capabilities.session_capabilities.resume.is_some()
    }

    /// Opens the session, if it is not open yet: resumes the one of the conversation, or begins a new one.
    pub(super) async fn open(
        &mut self,
        launcher: &Launcher,
        turn: &Turn,
        conversation: &mut Option<Conversation>,
    ) -> Result<(), Interruption> {
        if self.session.is_some() {
            return Ok(());
        }
        let inbox = launcher.context.inbox(&turn.delivery).map_err(Interruption::Turn)?;
        let capabilities = &self.greeting.agent_capabilities;
        let servers = servers(launcher.context.servers(inbox.as_ref()), &capabilities.mcp_capabilities);
        let servers = servers.map_err(|name| {
            Interruption::turn(format!(
                "{} supports MCP servers that are programs only: it cannot use '{name}', which is a URL",
                ACP.title
            ))
        })?;
        let folder = launcher.context.folder.clone();
        let past = conversation.as_ref().filter(|past| past.begun).map(|past| past.session_id.clone());
        let opened = match past.clone() {
            None => self.call("session/new", &NewSessionRequest::new(folder).mcp_servers(servers)).await?,
            Some(id) if capabilities.session_capabilities.resume.is_some() => {
                let request = ResumeSessionRequest::new(id, folder).mcp_servers(servers);
                self.call("session/resume", &request).await?
            }
            Some(id) if capabilities.load_session => {
                let request = LoadSessionRequest::new(id, folder).mcp_servers(servers);
                self.call("session/load", &request).await?
            }
            Some(_) => {
                let text = format!("{} cannot continue an earlier session; start a new session", ACP.title);
                return Err(Interruption::turn(text));
            }
        };
        let opened = opened.map_err(|error| self.not_opened(&error, past.as_deref()))?;
        let id = match past {
            Some(id) => id,
            None => {
                let id = opened.get("sessionId").and_then(Value::as_str).unwrap_or_default();
                if !is_id(id) {
                    let text = format!("{} reported an invalid session id: '{}'", ACP.title, excerpt(id));
                    return Err(Interruption::process(text));
                }
                *conversation = Some(Conversation::new(id.to_owned()));
                id.to_owned()
            }
        };
        let offered = match &turn.delivery {
            Delivery::Tool { schema, .. } => Some(schema.clone()),
            Delivery::Text | Delivery::Object | Delivery::Native { .. } => None,
        };
        self.session = Some(OpenSession { id, model: ModelChoice::read(&opened), offered, inbox });
        Ok(())
    }

    /// Why a session could not be opened. One that is not there is never begun anew in disguise.
    fn not_opened(&self, error: &RpcError, past: Option<&str>) -> Interruption {
        if error.code == AUTH_REQUIRED {
            return Interruption::process(self.not_logged_in(error));
        }
        Interruption::process(match past {
            Some(id) => format!(
                "the conversation of this session cannot be continued: {} could not open its session '{id}': {}; \
                 start a new session",
                ACP.title, error.message
            ),
            None => format!("{} could not open a session: {}", ACP.title, error.message),
        })
    }

    pub(super) fn not_logged_in(&self, error: &RpcError) -> String {
        let methods = self.greeting.auth_methods.iter().map(|method| format!("'{}'", method.id()));
        let methods = methods.collect::<Vec<_>>().join(", ");
        let remedy = match methods.as_str() {
            "" => "log in with the agent's own command".to_owned(),
            methods => {
                format!("log in with the agent's own command, or set `auth_method` to one of {methods}")
            }
        };
        format!("{} is not logged in ({}): {remedy}", ACP.title, error.message)
    }

    /// Chooses the model of the turn, where one is named.
    pub(super) async fn choose_model(&mut self, model: Option<&str>) -> Result<(), Interruption> {
        let (Some(session), Some(model)) = (&self.session, model) else { return Ok(()) };
        if session.model.current() == Some(model) {
            return Ok(());
        }
        let Some((method, params)) = session.model.request(&session.id, model) else {
            let text = format!("{} offers no choice of models; remove 'model'", ACP.title);
            return Err(Interruption::turn(text));
        };
        if let Err(error) = self.call(method, &params).await? {
            let text = format!("{} refused the model '{model}': {}", ACP.title, error.message);
            return Err(Interruption::turn(text));
        }
        if let Some(session) = &mut self.session {
            session.model.chosen(model);
        }
        Ok(())
    }
}
