//! The state of one rendering: its remaining budget, and the spelling of the numbers that it read.
//!
//! Templates treat numbers as values without a spelling. The spelling is stored here by number, so
//! that a number that is only inserted into a text keeps its digits. A computed number takes the
//! spelling of an equal number that was read, if any. There is no clock: the same rendering always
//! costs the same.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use accord_contract::Decimal;
use minijinja::value::{Object, ObjectRepr};
use minijinja::{Error, ErrorKind, State, Value as Rendered};
use serde_json::Number;

use crate::limits::{MAX_RENDERED_BYTES, TEMPLATE_WORK};

/// What filters and the formatter find it by: no template can write this name.
pub(super) const NAME: &str = " rendering";

/// This many bytes of text cost as much as one value.
const BYTES_A_UNIT: u64 = 64;

/// Whether texts of agents are marked as such where they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    /// In a prompt: a text must not be taken for what the prompt says.
    Agents,
    None,
}

#[derive(Debug)]
pub(super) struct Rendering {
    left: AtomicU64,
    /// The bytes that were written, to the text or to what `{% set %}` and `{% filter %}` keep of it.
    written: AtomicU64,
    quoting: Quoting,
    /// The numbers that were looked up, by the bits of their doubles.
    spellings: Mutex<HashMap<u64, Number>>,
}

impl Object for Rendering {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }
}

impl Rendering {
    pub(super) fn new(quoting: Quoting) -> Arc<Self> {
        Arc::new(Self {
            left: AtomicU64::new(TEMPLATE_WORK),
            written: AtomicU64::new(0),
            quoting,
            spellings: Mutex::default(),
        })
    }

    pub(super) fn quoting(&self) -> Quoting {
        self.quoting
    }

    pub(super) fn write(&self, bytes: usize) -> Result<(), Error> {
        let written = self.written.fetch_add(bytes as u64, Ordering::Relaxed).saturating_add(bytes as u64);
        match written <= MAX_RENDERED_BYTES as u64 {
            true => self.spend_bytes(bytes),
            false => Err(Error::new(ErrorKind::InvalidOperation, super::too_long())),
        }
    }

    /// What a text of a length costs.
    pub(super) fn units_of(bytes: usize) -> u64 {
        1 + bytes as u64 / BYTES_A_UNIT
    }

    pub(super) fn of(state: &State<'_, '_>) -> Result<Arc<Self>, Error> {
        let found = state.lookup(NAME).and_then(|value| value.downcast_object());
        found.ok_or_else(|| Error::new(ErrorKind::InvalidOperation, "nothing is rendered"))
    }

    /// Charges for some values. Once the budget is exceeded, every further charge fails.
    pub(super) fn spend(&self, values: u64) -> Result<(), Error> {
        let pay = |left: u64| Some(left.saturating_sub(values));
        let before = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, pay);
        match before.is_ok_and(|before| before >= values) {
            true => Ok(()),
            false => Err(Error::new(
                ErrorKind::OutOfFuel,
                format!("it processes more than {TEMPLATE_WORK} values; do less in loops and filters"),
            )),
        }
    }

    pub(super) fn spend_bytes(&self, bytes: usize) -> Result<(), Error> {
        self.spend(Self::units_of(bytes))
    }

    pub(super) fn number(&self, number: &Number) -> Rendered {
        let text = number.as_str();
        if let Ok(whole) = text.parse::<i64>() {
            return Rendered::from(whole);
        }
        if let Ok(whole) = text.parse::<i128>() {
            return Rendered::from(whole);
        }
        match text.parse::<f64>() {
            Ok(float) if float.is_finite() && self.remember(float, number) => Rendered::from(float),
            _ => Rendered::from_object(Exact(number.clone())),
        }
    }

    /// Whether a double can represent a number: not if it represents another one already, whose digits would be lost.
    fn remember(&self, float: f64, number: &Number) -> bool {
        let mut spellings = self.spellings.lock().unwrap_or_else(PoisonError::into_inner);
        let known = spellings.get(&float.to_bits());
        if known
            .is_some_and(|known| known != number && Decimal::of_number(known) != Decimal::of_number(number))
        {
            return false;
        }
        spellings.insert(float.to_bits(), number.clone());
        true
    }

    /// How a number was written, where it is a double that was looked up.
    pub(super) fn written(&self, value: &Rendered) -> Option<Number> {
        if !value.is_number() || value.is_integer() {
            return None;
        }
        let float = f64::try_from(value.clone()).ok()?;
        self.spellings.lock().unwrap_or_else(PoisonError::into_inner).get(&float.to_bits()).cloned()
    }
}

/// A number that no double can represent. It can only be inserted, not computed with.
#[derive(Debug)]
pub(super) struct Exact(pub(super) Number);

impl Object for Exact {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn render(self: &Arc<Self>, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}", self.0)
    }
}
