//! A deserializer that rejects lists in place of objects, and duplicate keys.
//!
//! `serde_json` reads a list into a struct, field by field, and keeps the last of two fields with
//! the same name. Both hide mistakes, so both are errors here, at any depth, in the same pass.
//! Structs reject duplicate fields themselves.
//!
//! Not covered: raw JSON, which is read where it is validated, and tagged enums, which `serde`
//! reads through its own buffer.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::value::{BorrowedStrDeserializer, StringDeserializer};
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::scan::Checked;

/// Characters of a duplicate key that an error shows.
const MAX_SHOWN_NAME: usize = 100;

/// Reads a whole text. A duplicate key is an error of the data, not of the syntax.
pub fn read_strictly<T: DeserializeOwned>(text: &Checked<impl AsRef<[u8]>>) -> serde_json::Result<T> {
    let mut deserializer = serde_json::Deserializer::from_slice(text.bytes());
    let value = T::deserialize(Strict(&mut deserializer))?;
    deserializer.end().map(|()| value)
}

/// Reads a whole text as `serde_json` does: of two members with the same name the last counts.
pub fn read_leniently<T: DeserializeOwned>(text: &Checked<impl AsRef<[u8]>>) -> serde_json::Result<T> {
    serde_json::from_slice(text.bytes())
}

/// Makes another deserializer strict.
#[derive(Debug)]
pub struct Strict<D>(pub D);

macro_rules! forward_scalars {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method(visitor)
        })*
    };
}

macro_rules! forward_containers {
    ($($method:ident($($name:ident: $type:ty),*) $keys:expr;)*) => {
        $(fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method($($name,)* Within { visitor, keys: $keys })
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<D> {
    type Error = D::Error;

    forward_scalars! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
        deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit
        deserialize_identifier deserialize_ignored_any
    }

    forward_containers! {
        deserialize_any() Keys::Check;
        deserialize_map() Keys::Check;
        deserialize_option() Keys::Check;
        deserialize_seq() Keys::Check;
        deserialize_tuple(length: usize) Keys::Check;
        deserialize_tuple_struct(name: &'static str, length: usize) Keys::Check;
        // Raw JSON is read as a newtype struct.
        deserialize_newtype_struct(name: &'static str) Keys::CheckedByVisitor;
    }

    /// Reads a struct as a map, so that a list is refused.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Within { visitor, keys: Keys::CheckedByVisitor })
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_unit_struct(name, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keys {
    Check,
    /// Structs check for duplicate fields themselves.
    CheckedByVisitor,
}

/// Passes a value on to another visitor and makes everything inside of it strict.
struct Within<V> {
    visitor: V,
    keys: Keys,
}

macro_rules! forward_visits {
    ($($method:ident: $type:ty,)*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.visitor.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Within<V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(formatter)
    }

    forward_visits! {
        visit_bool: bool,
        visit_i64: i64,
        visit_i128: i128,
        visit_u64: u64,
        visit_u128: u128,
        visit_f64: f64,
        visit_str: &str,
        visit_borrowed_str: &'de str,
        visit_string: String,
        visit_bytes: &[u8],
        visit_borrowed_bytes: &'de [u8],
        visit_byte_buf: Vec<u8>,
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_unit()
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.visitor.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_some(Strict(deserializer))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_newtype_struct(Strict(deserializer))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_seq(Items(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<V::Value, A::Error> {
        let names = (self.keys == Keys::Check).then(Names::default);
        self.visitor.visit_map(Entries { entries, names })
    }
}

struct Inner<S>(S);

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Inner<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Strict(deserializer))
    }
}

struct Items<A>(A);

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Items<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(Inner(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

struct Entries<'de, A> {
    entries: A,
    /// The names so far, if they are checked here.
    names: Option<Names<'de>>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Entries<'de, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let Some(names) = &mut self.names else { return self.entries.next_key_seed(seed) };
        let Some(name) = self.entries.next_key_seed(Name)? else { return Ok(None) };
        if !names.add(name.clone()) {
            let shown: String = name.chars().take(MAX_SHOWN_NAME).collect();
            return Err(Error::custom(format_args!("duplicate key {shown:?}; give it once")));
        }
        match name {
            Cow::Borrowed(name) => seed.deserialize(BorrowedStrDeserializer::new(name)),
            Cow::Owned(name) => seed.deserialize(StringDeserializer::new(name)),
        }
        .map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.entries.next_value_seed(Inner(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.entries.size_hint()
    }
}

/// Up to this many names, comparing is faster than hashing.
const FEW: usize = 16;

#[derive(Default)]
struct Names<'de> {
    few: Vec<Cow<'de, str>>,
    more: HashSet<Cow<'de, str>>,
}

impl<'de> Names<'de> {
    /// Adds a name; `false` if it was there already.
    fn add(&mut self, name: Cow<'de, str>) -> bool {
        if self.few.contains(&name) {
            return false;
        }
        if self.few.len() == FEW {
            return self.more.insert(name);
        }
        self.few.push(name);
        true
    }
}

/// Reads a name, without a copy if possible.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(name.to_owned()))
    }

    fn visit_string<E: Error>(self, name: String) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(name))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::Value;
    use serde_json::value::RawValue;

    use super::*;

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Outer {
        inner: Option<Inside>,
        list: Vec<Inside>,
        by_name: BTreeMap<String, Inside>,
        free: Value,
        raw: Option<Box<RawValue>>,
    }

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Inside {
        count: u32,
    }

    fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
        read_strictly(&Checked::new(text, crate::Limits::WHOLE).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn other_documents_are_read_like_by_serde_json() {
        let text = r#"{"inner": {"count": 1}, "list": [{"count": 2}], "by_name": {"a": {}, "b": {}},
            "free": {"a": [1, 2.50, -3e400, "\u00e4", null, true, {"a": 1, "\u00e4": {"a": 2}}]}, "raw": [ 1,  {"a":1} ]}"#;
        let (strict, usual): (Outer, Outer) = (read(text).unwrap(), serde_json::from_str(text).unwrap());
        assert_eq!(format!("{strict:?}"), format!("{usual:?}"));
        let whole: Value = read(text).unwrap();
        assert_eq!(whole, serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(whole.to_string(), serde_json::from_str::<Value>(text).unwrap().to_string());
    }

    #[test]
    fn rejects_lists_in_place_of_objects() {
        for text in ["[]", r#"{"inner": [1]}"#, r#"{"list": [[1]]}"#, r#"{"by_name": {"a": [1]}}"#] {
            assert!(serde_json::from_str::<Outer>(text).is_ok(), "{text}");
            let error = read::<Outer>(text).unwrap_err();
            assert!(error.starts_with("invalid type: sequence, expected struct "), "{text}: {error}");
        }
    }

    #[test]
    fn rejects_duplicates_among_many_keys() {
        let many = |last: &str| {
            let members: Vec<String> = (0..40).map(|number| format!("\"k{number}\": 1")).collect();
            read::<Value>(&format!("{{{}, \"{last}\": 1}}", members.join(", ")))
        };
        assert!(many("k40").is_ok());
        for twice in ["k0", "k15", "k16", "k39"] {
            assert!(many(twice).unwrap_err().contains("duplicate key"), "{twice}");
        }
    }

    #[test]
    fn rejects_duplicate_keys() {
        for text in [
            r#"{"free": {"k": 1, "k": 1}}"#,
            r#"{"free": [{"x": {"a": 1, "k": 1, "b": 2, "k": 1}}]}"#,
            r#"{"free": {"k": 1, "\u006b": 1}}"#,
            r#"{"by_name": {"k": {}, "k": {}}}"#,
        ] {
            assert!(serde_json::from_str::<Outer>(text).is_ok(), "{text}");
            let error = read::<Outer>(text).unwrap_err();
            assert!(error.starts_with("duplicate key \"k\"; give it once at line 1 "), "{text}: {error}");
        }
    }
}
