//! Finds duplicate keys in a JSON object. `serde_json` silently uses the last one.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::json;

/// Whether an object in this text, at any depth, has a key twice.
pub(super) fn has_duplicates(json: &str) -> bool {
    json::read_message::<Keys>(json).is_ok_and(|keys| keys.twice)
}

/// All that is looked at in a value.
struct Keys {
    twice: bool,
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KeysVisitor)
    }
}

struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    /// Numbers come here too, as objects with one key: that is how they stay as they are written.
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Keys, A::Error> {
        let (mut seen, mut twice) = (HashSet::new(), false);
        while let Some((key, value)) = members.next_entry::<String, Keys>()? {
            twice |= value.twice | !seen.insert(key);
        }
        Ok(Keys { twice })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Keys, A::Error> {
        let mut twice = false;
        while let Some(item) = items.next_element::<Keys>()? {
            twice |= item.twice;
        }
        Ok(Keys { twice })
    }

    fn visit_str<E>(self, _: &str) -> Result<Keys, E> {
        Ok(Keys { twice: false })
    }

    fn visit_bool<E>(self, _: bool) -> Result<Keys, E> {
        Ok(Keys { twice: false })
    }

    fn visit_unit<E>(self) -> Result<Keys, E> {
        Ok(Keys { twice: false })
    }

    fn visit_u64<E>(self, _: u64) -> Result<Keys, E> {
        Ok(Keys { twice: false })
    }

    fn visit_i64<E>(self, _: i64) -> Result<Keys, E> {
        Ok(Keys { twice: false })
    }

    fn visit_f64<E>(self, _: f64) -> Result<Keys, E> {
        Ok(Keys { twice: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_duplicate_keys_at_any_depth() {
        for json in [
            r#"{"n":1,"n":2}"#,
            r#"{"n":1,"n":1}"#,
            r#"[0,{"a":{"n":null,"m":true,"n":"x"}}]"#,
            r#"{"n":1,"\u006e":2}"#,
        ] {
            assert!(has_duplicates(json), "{json}");
        }
        for json in
            [r#"{"n":{"n":1.50},"m":[{"n":-1},{"n":1e400}]}"#, "1", "12345678901234567890.5", r#""n""#]
        {
            assert!(!has_duplicates(json), "{json}");
        }
    }
}
