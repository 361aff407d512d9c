//! The setting `extract_json`: `true`, `false`, or a list out of `fence` and `prose`.

use std::fmt;
use std::str::FromStr;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

const EXPECTED: &str = "true, false, or a list of 'fence' and 'prose'";

/// Where in an answer the value may be, other than being all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExtractJson {
    /// In a code fence.
    pub fence: bool,
    /// In prose.
    pub prose: bool,
}

impl ExtractJson {
    /// `true`: in fences and in prose.
    pub const ALL: Self = Self { fence: true, prose: true };
    /// `false`: the answer is the value and nothing else.
    pub const NONE: Self = Self { fence: false, prose: false };

    fn with(self, item: ExtractFrom) -> Self {
        match item {
            ExtractFrom::Fence => Self { fence: true, ..self },
            ExtractFrom::Prose => Self { prose: true, ..self },
        }
    }
}

/// One item of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ExtractFrom {
    Fence,
    Prose,
}

/// An item that is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected 'fence' or 'prose', got '{0}'")]
pub struct UnknownExtractFrom(String);

impl FromStr for ExtractFrom {
    type Err = UnknownExtractFrom;

    fn from_str(text: &str) -> Result<Self, UnknownExtractFrom> {
        match text {
            "fence" => Ok(Self::Fence),
            "prose" => Ok(Self::Prose),
            other => Err(UnknownExtractFrom(other.to_owned())),
        }
    }
}

/// As it is written on a command line: `true`, `false`, or the items with commas between them.
impl FromStr for ExtractJson {
    type Err = UnknownExtractFrom;

    fn from_str(text: &str) -> Result<Self, UnknownExtractFrom> {
        match text {
            "true" => Ok(Self::ALL),
            "false" => Ok(Self::NONE),
            list => list
                .split(',')
                .map(str::trim)
                .map(str::parse)
                .try_fold(Self::NONE, |all, item| Ok(all.with(item?))),
        }
    }
}

/// The setting as it is written.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
enum Written {
    /// `true` for both, `false` for neither.
    Both(bool),
    /// Some of them.
    Listed(Vec<ExtractFrom>),
}

impl Serialize for ExtractJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = match (self.fence, self.prose) {
            (true, true) => Written::Both(true),
            (false, false) => Written::Both(false),
            (true, false) => Written::Listed(vec![ExtractFrom::Fence]),
            (false, true) => Written::Listed(vec![ExtractFrom::Prose]),
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ExtractJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = ExtractJson;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(EXPECTED)
    }

    fn visit_bool<E: Error>(self, both: bool) -> Result<ExtractJson, E> {
        Ok(if both { ExtractJson::ALL } else { ExtractJson::NONE })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<ExtractJson, A::Error> {
        let mut read = ExtractJson::NONE;
        while let Some(item) = items.next_element::<String>()? {
            read = read.with(item.parse().map_err(A::Error::custom)?);
        }
        Ok(read)
    }
}

impl PartialSchema for ExtractJson {
    fn schema() -> RefOr<Schema> {
        Written::schema()
    }
}

impl ToSchema for ExtractJson {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((ExtractFrom::name().into_owned(), ExtractFrom::schema()));
        Written::schemas(schemas);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_and_a_boolean_say_the_same() {
        let fence = ExtractJson { fence: true, prose: false };
        let prose = ExtractJson { fence: false, prose: true };
        for (written, read, again) in [
            (json!(true), ExtractJson::ALL, json!(true)),
            (json!(false), ExtractJson::NONE, json!(false)),
            (json!([]), ExtractJson::NONE, json!(false)),
            (json!(["fence"]), fence, json!(["fence"])),
            (json!(["prose"]), prose, json!(["prose"])),
            (json!(["prose", "fence", "prose"]), ExtractJson::ALL, json!(true)),
        ] {
            assert_eq!(serde_json::from_value::<ExtractJson>(written.clone()).unwrap(), read, "{written}");
            assert_eq!(serde_json::to_value(read).unwrap(), again);
        }
    }

    #[test]
    fn a_command_line_has_commas() {
        let fence = ExtractJson { fence: true, prose: false };
        for (text, read) in [
            ("true", Ok(ExtractJson::ALL)),
            ("false", Ok(ExtractJson::NONE)),
            ("fence", Ok(fence)),
            ("fence, prose", Ok(ExtractJson::ALL)),
            ("fence,table", Err(UnknownExtractFrom("table".to_owned()))),
        ] {
            assert_eq!(text.parse::<ExtractJson>(), read, "{text}");
        }
    }

    #[test]
    fn other_values_are_rejected() {
        for (written, expected) in [
            (json!(["fence", "table"]), "expected 'fence' or 'prose', got 'table'"),
            (json!("fence"), "expected true, false, or a list of 'fence' and 'prose'"),
            (json!(["fence", 1]), "expected a string"),
            (json!(1), "expected true, false, or a list of 'fence' and 'prose'"),
        ] {
            let error = serde_json::from_value::<ExtractJson>(written.clone()).unwrap_err().to_string();
            assert!(error.contains(expected), "{written}: {error}");
        }
    }
}
