//! Authorization: the row of a request in the table of routes says who may use it.

use std::net::IpAddr;

use accord_api::{ErrorName, RunToken};
use accord_domain::id::{RunId, SessionId, WorkflowRunId};
use accord_domain::key::Role;
use accord_trace::TraceParent;
use axum::RequestExt as _;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, header};
use jiff::SignedDuration;
use serde_json::json;

use super::extract::Id;
use super::metrics::METRICS;
use super::route::{Access, Route, Scope};
use crate::app::{App, Caller, CallingRun, Denial, FRESH, Refusal};
use crate::connections::peer;
use crate::error::Error;

/// Authorizes a request, and adds its caller.
pub(super) async fn admit(app: &App, route: &Route, request: &mut Request) -> Result<(), Error> {
    let access = route.access;
    if access == Access::Open {
        return Ok(());
    }
    // Metrics are needed most when the store is unavailable: keys that were valid then stay valid for them.
    let age = if route.path == METRICS { app.keys.age_without_store().await } else { FRESH };
    if app.keys.open(age).await? {
        refuse_strangers(app, request)?;
    }
    let address = peer(request).map(|address| address.ip());
    let caller = authenticated(app, request.headers(), address, age).await;
    let mut caller = caller.map_err(|refusal| app.keys.refused(address, refusal))?;
    if !allows(caller.role, access) {
        let allowed = roles(access);
        let message = format!(
            "role '{}' is not allowed to do this; use a key with role {}",
            caller.role,
            either(&allowed)
        );
        let details = json!({"role": caller.role, "allowed_roles": allowed});
        return Err(Error::new(ErrorName::Forbidden, message).with_details(details));
    }
    if let Some(acting) = &caller.run {
        confine(app, acting, request, route).await?;
    }
    caller.traceparent = accord_trace::current().or(traceparent(request));
    request.extensions_mut().insert(caller);
    Ok(())
}

/// The trace that a request belongs to.
pub(super) fn traceparent(request: &Request) -> Option<TraceParent> {
    TraceParent::read(request.headers().get(accord_trace::HEADER)?.to_str().ok())
}

/// An answer that may take long, unless the access of the caller is revoked first.
pub(super) async fn while_admitted<T>(
    app: &App,
    caller: &Caller,
    answer: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    tokio::select! {
        // Once access is revoked, send nothing, even if the answer is ready.
        biased;
        error = app.keys.withdrawn(caller) => Err(error),
        answered = answer => answered,
    }
}

/// The end of what a request has created; `None` if it cannot be returned, which does not undo the creation: a repeated request
/// may find the run removed, and a caller that does not read its answers gets no large ones.
pub(super) async fn end_of_created<T>(
    app: &App,
    caller: &Caller,
    end: impl Future<Output = Result<T, Error>>,
) -> Result<Option<T>, Error> {
    match while_admitted(app, caller, end).await {
        Ok(end) => Ok(Some(end)),
        Err(error) => match error.name() {
            ErrorName::RunNotFound
            | ErrorName::WorkflowRunNotFound
            | ErrorName::UnreadAnswers
            | ErrorName::Overloaded => Ok(None),
            _ => Err(error),
        },
    }
}

async fn authenticated(
    app: &App,
    headers: &HeaderMap,
    address: Option<IpAddr>,
    age: SignedDuration,
) -> Result<Caller, Refusal> {
    let presented = bearer(headers).map_err(|error| Refusal::new(Denial::Malformed, error))?;
    match presented {
        // Where everything is open, too: a run stays what it is.
        Some(token) if RunToken::is_meant(token) => match app.lineage.caller(token).await {
            Err(error) if error.name() == ErrorName::Unauthorized => {
                Err(Refusal::new(Denial::RunToken, error))
            }
            acting => Ok(acting?),
        },
        key => app.keys.caller(key, address, age).await,
    }
}

/// Restricts a run token to what the run has started. The id is read from the path exactly as the
/// handler reads it, so that the checked id is the used one; an invalid id is not found, as for
/// every caller.
async fn confine(app: &App, acting: &CallingRun, request: &mut Request, route: &Route) -> Result<(), Error> {
    match route.scope {
        None => {
            let message = format!(
                "{} {} cannot be called with a run token; a run token can only start and follow children",
                route.method, route.path
            );
            Err(Error::new(ErrorName::Forbidden, message))
        }
        Some(Scope::Free) => Ok(()),
        Some(Scope::Session) => {
            let Id(session_id) = request.extract_parts::<Id<SessionId>>().await?;
            app.lineage.check_descent(acting, &session_id).await
        }
        Some(Scope::Run) => {
            let Id(run_id) = request.extract_parts::<Id<RunId>>().await?;
            app.lineage.check_run_descent(acting, &run_id).await
        }
        Some(Scope::WorkflowRun) => {
            let Id(id) = request.extract_parts::<Id<WorkflowRunId>>().await?;
            app.lineage.check_workflow_descent(acting, &id).await
        }
    }
}

fn allows(role: Role, access: Access) -> bool {
    match (role, access) {
        (_, Access::Open | Access::Known) | (Role::Admin, _) => true,
        (Role::Viewer, access) => access == Access::Read,
        (Role::Caller, access) => matches!(access, Access::Read | Access::Call),
        (Role::Runner, access) => access == Access::Run,
    }
}

/// The roles that `allows` lets through.
fn roles(access: Access) -> Vec<Role> {
    let all = [Role::Viewer, Role::Caller, Role::Runner, Role::Admin];
    all.into_iter().filter(|role| allows(*role, access)).collect()
}

/// `viewer, caller or admin`.
fn either(roles: &[Role]) -> String {
    let names: Vec<String> = roles.iter().map(Role::to_string).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Error> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let wrong = || {
        let message = "expected the header 'Authorization: Bearer KEY'";
        Error::new(ErrorName::Unauthorized, message)
    };
    let (scheme, key) = value.to_str().map_err(|_| wrong())?.split_once(' ').ok_or_else(wrong)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(wrong());
    }
    Ok(Some(key.trim()))
}

/// While everything is open, a page of another site must not be able to use it: neither by a name that leads to this
/// machine (the browser sends that name as the host) nor from its own address (the browser sends that as the origin). Nor
/// must a page of this machine that is not ours change anything, or another machine by a proxy on this one.
fn refuse_strangers(app: &App, request: &Request) -> Result<(), Error> {
    let listen = app.keys.listen().map(|address| address.ip());
    let headers = request.headers();
    let text = |name: HeaderName| match headers.get(name) {
        Some(value) => Some(value.to_str().unwrap_or("?")),
        None => None,
    };
    let (host, address) = (text(header::HOST), request.uri().authority().map(|authority| authority.as_str()));
    if let Some(host) = [host, address].into_iter().flatten().find(|host| !is_here(host, listen)) {
        return Err(stranger("host", host));
    }
    let origin = text(header::ORIGIN);
    let origin_address = origin.map(address_of);
    if !origin_address.is_none_or(|address| address.is_some_and(|address| is_here(address, listen))) {
        return Err(stranger("origin", origin.unwrap_or_default()));
    }
    if !request.method().is_safe() {
        let site = headers.get("sec-fetch-site").map(|site| site.to_str().unwrap_or("?"));
        refuse_other_pages(site, origin_address.flatten(), host.or(address))?;
    }
    FORWARDED.iter().try_for_each(|name| {
        let values = headers.get_all(*name).iter().map(|value| value.to_str().unwrap_or("?"));
        match values.flat_map(|value| value.split(',')).find(|from| !is_forwarded_here(from.trim(), listen)) {
            Some(from) => Err(forwarded(name, from.trim())),
            None => Ok(()),
        }
    })
}

/// The host and port of an origin.
fn address_of(origin: &str) -> Option<&str> {
    origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))
}

/// A page that this machine serves at another port is another site all the same: it may not change anything here, with a body or
/// without. Browsers say whose page asks, older ones only at which address it is; programs say neither.
fn refuse_other_pages(site: Option<&str>, origin: Option<&str>, host: Option<&str>) -> Result<(), Error> {
    let is_our_page = match (site, origin) {
        (Some(site), _) => matches!(site, "same-origin" | "none"),
        (None, Some(origin)) => host.is_some_and(|host| host.eq_ignore_ascii_case(origin)),
        (None, None) => true,
    };
    if is_our_page {
        return Ok(());
    }
    let shown: String = origin.unwrap_or("another site").chars().take(100).collect();
    let message = format!(
        "cross-origin request from {shown} rejected; use the dashboard, or create a key with 'accord keys create' and send it as 'Authorization: Bearer KEY'"
    );
    Err(Error::new(ErrorName::Forbidden, message))
}

/// What proxies add, each with whom or what it was asked for. To a proxy on this machine everybody looks like this machine.
const FORWARDED: [&str; 4] = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/// Whether a proxy says that this machine asked. In these headers an IPv6 address may lack
/// brackets.
fn is_forwarded_here(from: &str, listen: Option<IpAddr>) -> bool {
    is_here(from, listen) || from.parse().is_ok_and(|address: IpAddr| address.to_canonical().is_loopback())
}

fn forwarded(name: &str, from: &str) -> Error {
    let shown: String = from.chars().take(100).collect();
    let message = format!(
        "the request came through a proxy ({name}: {shown}); without API keys only local requests are served: create a key with 'accord keys create --role admin', and send it as 'Authorization: Bearer KEY'"
    );
    Error::new(ErrorName::Forbidden, message)
}

fn stranger(what: &str, value: &str) -> Error {
    let shown: String = value.chars().take(100).collect();
    let message = format!(
        "the {what} '{shown}' is not this machine; without API keys only local requests are served: use http://localhost, or create a key with 'accord keys create'"
    );
    Error::new(ErrorName::Forbidden, message)
}

/// Whether `host` or `host:port` is this machine.
fn is_here(host: &str, listen: Option<IpAddr>) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    if name.eq_ignore_ascii_case("localhost") {
        return true;
    }
    match name.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback() || Some(address) == listen,
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests;
