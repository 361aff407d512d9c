//! What the evaluator knows when it evaluates a rule.

use std::sync::{Arc, LazyLock};

use cel::common::types::{
    BOOL_TYPE, BYTES_TYPE, DOUBLE_TYPE, DYN_TYPE, INT_TYPE, LIST_TYPE, MAP_TYPE, NULL_TYPE, STRING_TYPE,
    TYPE_TYPE, UINT_TYPE,
};
use cel::{DeclarationError, Env};

use super::{functions, meter};

/// The most arguments of a function.
const MOST_ARGUMENTS: usize = 4;

/// The types, the functions and the metering functions. The evaluator's own functions are not in it.
static ENVIRONMENT: LazyLock<Option<Arc<Env>>> = LazyLock::new(|| made_environment().ok().map(Arc::new));

pub(super) fn environment() -> Option<Arc<Env>> {
    ENVIRONMENT.clone()
}

fn made_environment() -> Result<Env, DeclarationError> {
    let mut environment = Env::default();
    for named in [
        BOOL_TYPE,
        BYTES_TYPE,
        DOUBLE_TYPE,
        INT_TYPE,
        LIST_TYPE,
        MAP_TYPE,
        NULL_TYPE,
        STRING_TYPE,
        TYPE_TYPE,
        UINT_TYPE,
    ] {
        environment.add_type(named)?;
    }
    environment.add_overload(meter::CHARGE, "charge_one", vec![DYN_TYPE], meter::charge)?;
    environment.add_overload(meter::CHARGE, "charge_two", vec![DYN_TYPE, DYN_TYPE], meter::charge)?;
    for arguments in 1..=MOST_ARGUMENTS {
        let types = (0..=arguments).map(|_| DYN_TYPE).collect();
        environment.add_overload(meter::CALL, &format!("call_{arguments}"), types, functions::call)?;
    }
    Ok(environment)
}
