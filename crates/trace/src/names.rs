//! The names of the OpenTelemetry semantic conventions for generative AI. They are still in development, so all of them are
//! here: <https://opentelemetry.io/docs/specs/semconv/gen-ai/>.

pub const OPERATION: &str = "gen_ai.operation.name";

/// Operations, which are also how the names of their spans begin.
pub const INVOKE_AGENT: &str = "invoke_agent";
pub const INVOKE_WORKFLOW: &str = "invoke_workflow";
pub const CHAT: &str = "chat";
pub const EXECUTE_TOOL: &str = "execute_tool";

pub const PROVIDER: &str = "gen_ai.provider.name";
pub const AGENT: &str = "gen_ai.agent.name";
pub const WORKFLOW: &str = "gen_ai.workflow.name";
/// The session.
pub const CONVERSATION: &str = "gen_ai.conversation.id";

pub const REQUEST_MODEL: &str = "gen_ai.request.model";
pub const RESPONSE_MODEL: &str = "gen_ai.response.model";
pub const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
/// A list of texts.
pub const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";

pub const TOOL: &str = "gen_ai.tool.name";
pub const TOOL_CALL: &str = "gen_ai.tool.call.id";
pub const TOOL_TYPE: &str = "gen_ai.tool.type";
/// The type of a tool that the agent runs itself.
pub const FUNCTION: &str = "function";

/// The event of a verdict.
pub const EVALUATION: &str = "gen_ai.evaluation.result";
pub const EVALUATION_NAME: &str = "gen_ai.evaluation.name";
pub const EVALUATION_LABEL: &str = "gen_ai.evaluation.score.label";
/// What is evaluated: whether the answer meets the contract.
pub const CONTRACT: &str = "contract";

/// Names of the general conventions.
pub const HTTP_STATUS: &str = "http.response.status_code";
pub const ERROR_TYPE: &str = "error.type";
pub const SERVER_ADDRESS: &str = "server.address";
pub const SERVER_PORT: &str = "server.port";

/// Our own.
pub const RUN: &str = "accord.run.id";
pub const WORKFLOW_RUN: &str = "accord.workflow_run.id";
pub const DELIVERY: &str = "accord.run.delivery";
pub const STATUS: &str = "accord.run.status";
pub const ATTEMPT: &str = "accord.attempt.number";
pub const STRATEGY: &str = "accord.attempt.strategy";
pub const OUTCOME: &str = "accord.attempt.outcome";

/// What the bridge to OpenTelemetry reads itself.
pub const STATUS_CODE: &str = "otel.status_code";
pub const STATUS_MESSAGE: &str = "otel.status_description";
