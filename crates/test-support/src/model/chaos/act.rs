//! Turns a misbehaviour into the reply that shows it.

use serde_json::{Value, json};

use super::mangle;
use super::misbehaviour::Misbehaviour;
use crate::model::SUBMIT_TOOL;
use crate::model::random::Random;
use crate::model::reply::{DropPoint, Reply};
use crate::model::request::RecordedRequest;

const MANY: usize = 1 << 20;

/// Placeholder for a lone surrogate, which a Rust string cannot hold. It is replaced once the text
/// is complete.
const SURROGATE_MARK: &str = "half-a-pair";

pub(super) struct Scene<'a> {
    pub(super) request: &'a RecordedRequest,
    pub(super) schema: &'a Value,
    pub(super) good: Value,
    /// Another good answer, if the generator has one.
    pub(super) other: Value,
    /// A good answer that is the same for all requests of a marker.
    pub(super) lasting: Value,
}

impl Scene<'_> {
    pub(super) fn act(&self, misbehaviour: Option<Misbehaviour>, random: &mut Random) -> Reply {
        match misbehaviour {
            None => self.hand_in(&self.good),
            Some(misbehaviour) => self
                .fault(misbehaviour)
                .or_else(|| self.call(misbehaviour, random))
                .unwrap_or_else(|| self.say(misbehaviour, random)),
        }
    }

    /// Misbehaviour of the service, not of the model.
    fn fault(&self, misbehaviour: Misbehaviour) -> Option<Reply> {
        use Misbehaviour as M;
        let rate = "This request would exceed your rate limit of 50 requests per minute.";
        Some(match misbehaviour {
            M::Refused => Reply::refusal("I'm sorry, but I can't help with that."),
            M::Empty => Reply::empty(),
            M::SchemaRejected => {
                Reply::schema_rejected("'additionalProperties' is required to be supplied and to be false.")
            }
            M::BadRequest => Reply::error(400, "max_tokens: 999999 is more than this model can write"),
            M::Unauthorized => Reply::error(401, "invalid x-api-key"),
            M::RateLimited => Reply::error(429, rate),
            M::RateLimitedWithRetryAfter => Reply::error(429, rate).retry_after(0),
            M::ServerError => Reply::error(500, "Internal server error"),
            M::Unavailable => Reply::error(503, "The server is currently unavailable"),
            M::Overloaded => Reply::error(529, "Overloaded"),
            M::FailsMidway => Reply::fails_midway("Overloaded"),
            M::DroppedBeforeHeaders => self.hand_in(&self.good).dropped(DropPoint::BeforeHeaders),
            M::DroppedMidBody => self.hand_in(&self.good).dropped(DropPoint::MidBody),
            M::GarbageBody => {
                Reply::garbage("<html><body><h1>502 Bad Gateway</h1></body></html>\n\u{0}\u{1}")
            }
            M::EndlessStream => Reply::endless(),
            _ => return None,
        })
    }

    /// Misbehaviour with tools.
    fn call(&self, misbehaviour: Misbehaviour, random: &mut Random) -> Option<Reply> {
        use Misbehaviour as M;
        Some(match misbehaviour {
            M::ProseInsteadOfSubmit => Reply::text(self.good.to_string()),
            M::ClaimsToHaveSubmitted => Reply::text("All done, I have submitted the result."),
            M::SubmitInvalid => Reply::submit(&mangle::wrong_type(&self.good, random)),
            M::SubmitTwice => Reply::submit(&self.good).and_tool(SUBMIT_TOOL, &self.another()),
            M::UnknownTool => Reply::tool("look_up_the_answer", &json!({"question": "what was asked"})),
            M::ArgumentsNotJson => Reply::tool_text(SUBMIT_TOOL, format!("result = {}; submit()", self.good)),
            M::Truncated => {
                let (beginning, in_tool) =
                    (mangle::beginning(&self.good.to_string(), random), random.percent(50));
                self.put(beginning, in_tool).cut_off()
            }
            _ => return None,
        })
    }

    /// Misbehaviour of the text itself.
    fn say(&self, misbehaviour: Misbehaviour, random: &mut Random) -> Reply {
        use Misbehaviour as M;
        let good = &self.good;
        let in_tool = random.percent(50);
        match misbehaviour {
            M::SilentlyTruncated => self.put(mangle::beginning(&good.to_string(), random), in_tool),
            M::SchemaEcho => self.put(format!("{:#}", self.schema), in_tool),
            M::Fenced => Reply::text(fenced(good)),
            M::FenceInString => Reply::text(fenced(&self.with_text("```json\n{\"a\": 1}\n``` and ~~~"))),
            M::StringifiedList => self.put(mangle::stringified(good, random).to_string(), in_tool),
            M::DuplicateKeys => self.put(mangle::duplicate_keys(good), in_tool),
            M::TwoAnswers => {
                Reply::text(format!("One way to see it:\n{good}\nAnd another:\n{}\n", self.another()))
            }
            M::SameWrongAnswer => {
                let mut always_alike = Random::new(0);
                let wrong = mangle::missing_field(self.schema, &self.lasting, &mut always_alike);
                self.put(wrong.to_string(), false)
            }
            M::WrongEnum => self.put(mangle::wrong_enum(self.schema, good, random).to_string(), in_tool),
            M::MissingField => {
                self.put(mangle::missing_field(self.schema, good, random).to_string(), in_tool)
            }
            M::WrongType => self.put(mangle::wrong_type(good, random).to_string(), in_tool),
            M::ExtraField => self.put(mangle::extra_field(good).to_string(), in_tool),
            M::SurroundingText => Reply::text(format!(
                "Sure! Here is the result:\n\n{good}\n\nLet me know if {{anything}} is missing."
            )),
            M::ThinkOnly => Reply::text(format!("<think>The answer should be {good}</think>\nI am done.")),
            M::NulBytes if random.percent(50) => Reply::text(format!("\u{0}{good}\u{0}")),
            M::NulBytes => self.put(self.with_text("before\u{0}after").to_string(), in_tool),
            M::Emoji => Reply::text(format!(
                "\u{1f389} {} \u{1f469}\u{200d}\u{1f4bb}",
                self.with_text("fine \u{1f600}\u{1f1e9}\u{1f1ea}")
            )),
            M::LoneSurrogate => {
                let text =
                    self.with_text(SURROGATE_MARK).to_string().replace(SURROGATE_MARK, "\\ud83d and \\udc00");
                self.put(text, in_tool)
            }
            M::ManyBraces => Reply::text("{".repeat(MANY)),
            _ => Reply::text(
                "Thank you for asking! I had a close look, and everything seems to be in good order.",
            ),
        }
    }

    /// A value, submitted in the way the request expects.
    fn hand_in(&self, value: &Value) -> Reply {
        if self.request.offers_submit() { Reply::submit(value) } else { Reply::text(value.to_string()) }
    }

    /// A text, or the same text as arguments of the submit tool if there is one.
    fn put(&self, text: String, in_tool: bool) -> Reply {
        if in_tool && self.request.offers_submit() {
            Reply::tool_text(SUBMIT_TOOL, text)
        } else {
            Reply::text(text)
        }
    }

    /// A second answer that differs from the first.
    fn another(&self) -> Value {
        if self.other == self.good { mangle::differing(&self.good) } else { self.other.clone() }
    }

    /// The good answer with `text` in one of its strings, or `text` alone.
    fn with_text(&self, text: &str) -> Value {
        mangle::with_text(self.schema, &self.good, text).unwrap_or_else(|| json!(text))
    }
}

fn fenced(value: &Value) -> String {
    format!("Here is what you asked for:\n\n```json\n{value:#}\n```\n")
}
