//! The door: every request is looked up in the table of routes, and nothing that is not in it is let through.

use std::net::IpAddr;
use std::sync::Arc;

use accord_api::ErrorName;
use accord_domain::key::Role;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::routes::{Access, ROUTES};
use crate::app::App;
use crate::error::Error;

/// Lets a request through, with who asks, or answers it.
pub(super) async fn guard(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    match admit(&app, &mut request).await {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

async fn admit(app: &App, request: &mut Request) -> Result<(), Error> {
    let access = access(request)?;
    if access == Access::Open {
        return Ok(());
    }
    if app.keys.open().await? {
        refuse_strangers(app, request)?;
    }
    let caller = app.keys.caller(bearer(request.headers())?).await?;
    if !allows(caller.role, access) {
        let message =
            format!("a key with the role '{}' does not allow this; {}", caller.role, remedy(access));
        return Err(Error::new(ErrorName::Forbidden, message));
    }
    request.extensions_mut().insert(caller);
    Ok(())
}

/// Who may use the route that a request goes to.
fn access(request: &Request) -> Result<Access, Error> {
    let path = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let here: Vec<_> = ROUTES.iter().filter(|route| Some(route.path) == path).collect();
    if here.is_empty() {
        let message = format!("there is nothing at {}", request.uri().path());
        return Err(Error::new(ErrorName::RouteNotFound, message));
    }
    let method = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
    match here.iter().find(|route| route.method == method.as_str()) {
        Some(route) => Ok(route.access),
        None => {
            let methods: Vec<&str> = here.iter().map(|route| route.method).collect();
            let message =
                format!("{} does not take {method}; use {}", request.uri().path(), methods.join(", "));
            Err(Error::new(ErrorName::MethodNotAllowed, message))
        }
    }
}

fn allows(role: Role, access: Access) -> bool {
    match (role, access) {
        (_, Access::Open) | (Role::Admin, _) => true,
        (Role::Viewer, access) => access == Access::Read,
        (Role::Caller, access) => matches!(access, Access::Read | Access::Call),
        (Role::Runner, access) => access == Access::Run,
    }
}

fn remedy(access: Access) -> &'static str {
    match access {
        Access::Open => "nothing is needed",
        Access::Read => "use one of a viewer, caller or admin",
        Access::Call => "use one of a caller or admin",
        Access::Run => "use one of a runner or admin",
        Access::Administer => "use one of an admin",
    }
}

fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Error> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let wrong = || {
        let message = "the header Authorization must be 'Bearer KEY'";
        Error::new(ErrorName::Unauthorized, message)
    };
    let (scheme, key) = value.to_str().map_err(|_| wrong())?.split_once(' ').ok_or_else(wrong)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(wrong());
    }
    Ok(Some(key.trim()))
}

/// While everything is open, a page of another site must not be able to use it: neither by a name that leads to this
/// machine (the browser sends that name as the host) nor from its own address (the browser sends that as the origin).
fn refuse_strangers(app: &App, request: &Request) -> Result<(), Error> {
    let listen = app.keys.listen().map(|address| address.ip());
    let headers = request.headers();
    let text = |name: header::HeaderName| match headers.get(name) {
        Some(value) => Some(value.to_str().unwrap_or("?")),
        None => None,
    };
    let host = text(header::HOST).or_else(|| request.uri().authority().map(|authority| authority.as_str()));
    if let Some(host) = host.filter(|host| !is_here(host, listen)) {
        return Err(stranger("host", host));
    }
    if let Some(origin) = text(header::ORIGIN) {
        let address = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if !address.is_some_and(|address| is_here(address, listen)) {
            return Err(stranger("origin", origin));
        }
    }
    Ok(())
}

fn stranger(what: &str, value: &str) -> Error {
    let shown: String = value.chars().take(100).collect();
    let message = format!(
        "the {what} '{shown}' is not this machine; without keys only this machine is served: use http://localhost, \
         or make a key with 'accord keys create'"
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
mod tests {
    use super::*;

    #[test]
    fn roles_allow_what_they_say() {
        use Access::{Administer, Call, Open, Read, Run};
        let all = [Open, Read, Call, Run, Administer];
        let allowed = |role| all.map(|access| allows(role, access));
        assert_eq!(allowed(Role::Admin), [true, true, true, true, true]);
        assert_eq!(allowed(Role::Caller), [true, true, true, false, false]);
        assert_eq!(allowed(Role::Viewer), [true, true, false, false, false]);
        assert_eq!(allowed(Role::Runner), [true, false, false, true, false]);
    }

    #[test]
    fn this_machine_has_few_names() {
        for here in ["localhost", "LOCALHOST:8765", "127.0.0.1:1", "127.3.2.1", "[::1]:8765", "[::1]"] {
            assert!(is_here(here, None), "{here}");
        }
        for other in
            ["evil.example", "localhost.evil.example", "10.0.0.1", "", "[", "0.0.0.0", "127.0.0.1.nip.io:80"]
        {
            assert!(!is_here(other, None), "{other}");
        }
        assert!(is_here("10.0.0.1:8765", Some(IpAddr::from([10, 0, 0, 1]))));
    }
}
