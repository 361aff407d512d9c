//! The names by which runs are matched to runners. They are compared exactly, so a name that no
//! runner can have is rejected: a run that requires it would wait forever.

use accord_blueprint::{label_error as fault, unmeetable};
use accord_domain::demands::Demands;
use accord_domain::runner::Profile;

use crate::error::{Error, refuse};

/// Enough of a name to recognise it by.
const SHOWN: usize = 64;

/// Refuses what a request demands beside its agent, where no runner can meet it.
pub(crate) fn check_asked(demands: &Demands, project_dir: Option<&str>) -> Result<(), Error> {
    if let Some((field, name, fault)) = unmeetable(demands) {
        return Err(refused(&format!("additional_demands.{field}"), name, fault));
    }
    match project_dir.and_then(|folder| Some((folder, fault(folder)?))) {
        Some((folder, fault)) => Err(refused("project_dir", folder, fault)),
        None => Ok(()),
    }
}

/// Rejects names in a profile that no run can demand. An omitted host or folder is empty.
pub(super) fn check_profile(profile: &Profile) -> Result<(), Error> {
    let places = [("hostname", &profile.hostname), ("project_dir", &profile.project_dir)];
    let executors = profile.executor_types.iter().map(|name| ("executor_types", name));
    let tags = profile.tags.iter().map(|name| ("tags", name));
    let mut names = places.into_iter().filter(|place| !place.1.is_empty()).chain(executors).chain(tags);
    match names.find_map(|(field, name)| Some((field, name, fault(name)?))) {
        Some((field, name, fault)) => Err(refused(&format!("profile.{field}"), name, fault)),
        None => Ok(()),
    }
}

fn refused(field: &str, name: &str, fault: &str) -> Error {
    let shown: String = name.chars().take(SHOWN).collect();
    refuse(format!("{field}: invalid name {shown:?}: {fault}"))
}
