//! What a run asks people, while the editor waits: a permission that the editor asks its user for, or a message with a link.

use std::collections::HashSet;
use std::convert::Infallible;
use std::time::Duration;

use accord_api::input_request::Purpose;
use accord_api::{AnswerInput, InputQuery, InputRequest, InputStatus, SessionId};
use accord_client::Client;
use agent_client_protocol::Client as Editor;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    SessionUpdate, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use serde_json::json;
use tokio::time::sleep;

use super::updates::says;

/// A person needs a second to look up; a look costs one request.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How many open requests are looked at.
const LOOKED_AT: u32 = 500;

/// The ids of the options.
const ALLOW: &str = "allow";
const REJECT: &str = "reject";

/// Whom the editor's user is asked for.
pub(super) struct Desk<'a> {
    pub(super) client: &'a Client,
    pub(super) editor: &'a ConnectionTo<Editor>,
    /// The session of the editor.
    pub(super) session: &'a str,
}

impl Desk<'_> {
    /// Has the requests of a session, and of those that it started, answered, until it is dropped. One that the editor cannot
    /// answer is told as a message, once.
    pub(super) async fn attend(&self, root: &SessionId, tell: impl Fn(SessionUpdate)) -> Infallible {
        let open = InputQuery {
            status: Some(InputStatus::Open),
            root_session_id: Some(root.clone()),
            limit: Some(LOOKED_AT),
            ..InputQuery::default()
        };
        let mut told = HashSet::new();
        loop {
            // An unreachable coordinator is reported by the code that follows the run.
            let found = self.client.inputs(&open).await.map(|page| page.items).unwrap_or_default();
            for request in found.into_iter().rev() {
                if !told.insert(request.id.clone()) {
                    continue;
                }
                let is_answered = match request.purpose {
                    Purpose::Approval => self.permit(&request).await,
                    Purpose::Question | Purpose::Correction | Purpose::Task => false,
                };
                if !is_answered {
                    tell(says(self.invitation(&request).await));
                }
            }
            sleep(LOOK_EVERY).await;
        }
    }

    /// Asks the editor's user about a tool call. False if there was no answer that counts.
    async fn permit(&self, request: &InputRequest) -> bool {
        let title = request.tool.as_ref().map_or(&request.message, |tool| &tool.name);
        let fields = ToolCallUpdateFields::new().title(title.clone()).status(ToolCallStatus::Pending);
        let fields = match &request.tool {
            Some(tool) => fields.raw_input(tool.arguments.clone()),
            None => fields,
        };
        let options = vec![
            PermissionOption::new(ALLOW, "Allow", PermissionOptionKind::AllowOnce),
            PermissionOption::new(REJECT, "Reject", PermissionOptionKind::RejectOnce),
        ];
        let call = ToolCallUpdate::new(request.call_id.clone(), fields);
        let asked = RequestPermissionRequest::new(self.session.to_owned(), call, options);
        let Ok(answered) = self.editor.send_request(asked).block_task().await else { return false };
        let RequestPermissionOutcome::Selected(selected) = answered.outcome else {
            // The prompt was cancelled, which stops the run.
            return true;
        };
        // The digest, so that what was shown is what is decided about.
        let answer = AnswerInput {
            answer: json!({"approve": selected.option_id.to_string() == ALLOW}),
            digest: Some(request.digest.clone()),
        };
        match self.client.answer_input(&request.id, &answer).await {
            Ok(_) => true,
            Err(error) => {
                tracing::warn!(input = %request.id, %error, "the answer of the editor was not accepted");
                false
            }
        }
    }

    /// Where the request can be answered: a link for a browser, or a command where none can be made.
    async fn invitation(&self, request: &InputRequest) -> String {
        let url = self.client.base_url().trim_end_matches('/');
        let place = match self.client.input_link(&request.id).await {
            Ok(link) => format!("{url}{}", link.path),
            Err(_) => format!("accord inputs show {} --coordinator {url}", request.id),
        };
        format!("A person has to answer before this continues: {}\n\n{place}\n", request.message)
    }
}
