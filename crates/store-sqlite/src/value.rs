//! Small values as columns.

use jiff::Timestamp;
use rusqlite::Row;
use serde::de::DeserializeOwned;
use serde::de::value::{Error, StrDeserializer};
use serde::{Deserialize, Serialize};

use crate::error::{DbError, DbResult};

/// A time as microseconds: what a column holds, and all that the store keeps of it.
pub(crate) fn micros(time: Timestamp) -> i64 {
    time.as_microsecond()
}

/// The time of a column.
pub(crate) fn time(micros: i64) -> DbResult<Timestamp> {
    Ok(Timestamp::from_microsecond(micros)?)
}

/// The time of a column that may be empty.
pub(crate) fn time_if(micros: Option<i64>) -> DbResult<Option<Timestamp>> {
    micros.map(time).transpose()
}

/// A text column, without a copy.
pub(crate) fn text<'a>(row: &'a Row<'_>, column: &str) -> rusqlite::Result<&'a str> {
    Ok(row.get_ref(column)?.as_str()?)
}

/// The state, kind or role of this name.
pub(crate) fn named<'de, T: Deserialize<'de>>(name: &'de str) -> DbResult<T> {
    let reader: StrDeserializer<'de, Error> = StrDeserializer::new(name);
    Ok(T::deserialize(reader)?)
}

/// A count as a column holds it. Columns are signed: what does not fit is more than there is of anything.
pub(crate) fn count(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// A count from a column.
pub(crate) fn counted<T: TryFrom<i64>>(number: i64) -> DbResult<T> {
    T::try_from(number).map_err(|_| crate::error::corrupt(format!("{number} is not a count")))
}

/// JSON text of something of ours.
pub(crate) fn json(value: &impl Serialize) -> DbResult<String> {
    // A failure here is a bug of ours and not a corrupt database.
    serde_json::to_string(value)
        .map_err(|error| DbError::Answer(accord_store::StoreError::Unavailable(error.to_string())))
}

/// Something of ours from JSON text.
pub(crate) fn from_json<T: DeserializeOwned>(text: &str) -> DbResult<T> {
    Ok(serde_json::from_str(text)?)
}
