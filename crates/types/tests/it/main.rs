//! The schemas in `tests/schemas`, as Rust types: `generated` is what the generator writes for them, so that it is compiled.
//! `tests/real/clients` does the same for TypeScript and Python.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test ends where something is missing, and says where"
)]

mod generated;

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn fixture(name: &str) -> Value {
    let text = std::fs::read_to_string(folder("schemas").join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Every conforming value is read and comes back equal; the others are rejected.
fn check<T: DeserializeOwned + Serialize>(name: &str) {
    let fixture = fixture(name);
    let all = |part: &str| fixture[part].as_array().unwrap().clone();
    assert!(!all("values").is_empty() && !all("rejects").is_empty(), "{name}");
    for value in all("values") {
        let read: T =
            serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{name}: {value}: {error}"));
        assert_eq!(serde_json::to_value(read).unwrap(), value, "{name}");
    }
    for value in all("rejects") {
        assert!(serde_json::from_value::<T>(value.clone()).is_err(), "{name}: {value}");
    }
}

macro_rules! schemas {
    ($($module:ident $name:literal $output:ident,)*) => {
        #[test]
        fn every_schema_is_checked() {
            let mut files: Vec<String> = std::fs::read_dir(folder("schemas"))
                .unwrap()
                .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
                .collect();
            files.sort();
            assert_eq!(files, [$($name),*]);
        }

        $(
            #[test]
            fn $module() {
                check::<generated::$module::$output>($name);
            }
        )*
    };
}

schemas! {
    changes "changes" ChangesOutput,
    conditions "conditions" ConditionsOutput,
    counts "counts" CountsOutput,
    document "document" DocumentOutput,
    findings "findings" FindingsOutput,
    geocode "geocode" GeocodeOutput,
    invoice "invoice" InvoiceOutput,
    levels "levels" LevelsOutput,
    names "names" NamesOutput,
    nothing "nothing" NothingOutput,
    nullable "nullable" NullableOutput,
    order "order" OrderOutput,
    pair "pair" PairOutput,
    person "person" PersonOutput,
    prices "prices" PricesOutput,
    review "review" ReviewOutput,
    shapes "shapes" ShapesOutput,
    stock "stock" StockOutput,
    tree "tree" TreeOutput,
    triage "triage" TriageOutput,
}
