//! Values of the domain as columns, and back.

use accord_store::StoreError;
use jiff::Timestamp;
use serde::de::value::Error as NameError;
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A time as microseconds: finer than that, PostgreSQL's own times do not go either.
pub(crate) fn micros(time: Timestamp) -> i64 {
    time.as_microsecond()
}

/// The time of a column.
pub(crate) fn time(micros: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_microsecond(micros).map_err(|error| StoreError::Corrupt(error.to_string()))
}

/// A time as it will be read again, so that what is returned is what is stored.
pub(crate) fn whole(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(micros(time)).unwrap_or(time)
}

/// The value of a closed set by its name.
pub(crate) fn named<'a, T: Deserialize<'a>>(name: &'a str) -> Result<T, StoreError> {
    let result: Result<T, NameError> = T::deserialize(name.into_deserializer());
    result.map_err(|error| StoreError::Corrupt(error.to_string()))
}

/// A value as JSON text.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Corrupt(error.to_string()))
}

/// The value of a JSON text. It goes by way of a [`Value`], which keeps every digit of a number.
pub(crate) fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    let value: Value = serde_json::from_str(text).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    serde_json::from_value(value).map_err(|error| StoreError::Corrupt(error.to_string()))
}

/// A count as PostgreSQL can hold it. Nothing that is counted comes near the limit.
pub(crate) fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A count as it was stored.
pub(crate) fn counted<T: TryFrom<i64>>(number: i64) -> Result<T, StoreError> {
    T::try_from(number).map_err(|_| StoreError::Corrupt(format!("{number} is not a count")))
}

/// An id as it was stored.
pub(crate) fn id<T: std::str::FromStr>(text: &str) -> Result<T, StoreError>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error: T::Err| StoreError::Corrupt(error.to_string()))
}

#[cfg(test)]
mod tests {
    use accord_domain::attempt::Outcome;
    use accord_domain::run::Status;

    use super::*;

    #[test]
    fn names_round_trip() {
        assert_eq!(named::<Status>(Status::Stopping.as_str()).unwrap(), Status::Stopping);
        assert_eq!(named::<Outcome>(Outcome::NoJson.as_str()).unwrap(), Outcome::NoJson);
        assert!(named::<Status>("asleep").is_err());
    }

    #[test]
    fn a_time_is_kept_to_the_microsecond() {
        let fine = Timestamp::from_nanosecond(1_800_000_000_123_456_789).unwrap();
        assert_eq!(time(micros(fine)).unwrap(), whole(fine));
        assert_eq!(whole(fine).as_nanosecond(), 1_800_000_000_123_456_000);
    }
}
