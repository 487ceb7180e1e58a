//! Who may ask: the checks before every request, and the headers of every answer.
//!
//! A page of another site can make a browser send requests here. It cannot choose `Host` and `Origin`, so these are
//! compared with what this server is called; a name that somebody points at this address is refused as well. Where a
//! browser sends no `Origin` it tells by `Sec-Fetch-Site` whether its own page asks.

use super::App;
use super::answer::refuse;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Scripts, styles and connections of this server alone.
const POLICY: &str = "default-src 'self'; img-src 'self' data: blob:; worker-src 'self' blob:; object-src 'none'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer.
const HEADERS: [(HeaderName, &str); 4] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// What the server is called, and the token it wants.
pub struct Guard {
    addresses: Vec<SocketAddr>,
    token: Option<String>,
}

impl Guard {
    /// For a server that listens on these addresses.
    pub fn new(addresses: Vec<SocketAddr>, token: Option<String>) -> Self {
        Self { addresses, token }
    }

    /// Whether a `host:port` is this server.
    fn is_own(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<axum::http::uri::Authority>() else { return false };
        if authority.as_str().contains('@') {
            return false;
        }
        let port = authority.port_u16().unwrap_or(80);
        let name = authority.host().trim_matches(['[', ']']).to_ascii_lowercase();
        let address: Option<IpAddr> = name.parse().ok();
        self.addresses.iter().filter(|own| own.port() == port).any(|own| match address {
            // A literal address cannot be pointed elsewhere: where all are listened to, any of them is this server.
            Some(address) => address == own.ip() || own.ip().is_unspecified(),
            None => name == "localhost" && (own.ip().is_loopback() || own.ip().is_unspecified()),
        })
    }

    /// Why a request is not for this server.
    fn objection(&self, headers: &HeaderMap, uri: &Uri) -> Option<String> {
        let needs_origin = uri.path() == "/ws";
        let text = |value: &HeaderValue| value.to_str().unwrap_or_default().to_owned();
        for name in [header::HOST, header::ORIGIN] {
            if headers.get_all(&name).iter().count() > 1 {
                return Some(format!("the header `{name}` came more than once: send it once"));
            }
        }
        let host = headers.get(header::HOST).map(text).or_else(|| uri.authority().map(ToString::to_string));
        let host = host.unwrap_or_default();
        let own = self.addresses.first().map(ToString::to_string).unwrap_or_default();
        // Of a request that names its server twice, both names must be ours.
        if uri.authority().is_some_and(|named| !self.is_own(named.as_str())) || !self.is_own(&host) {
            return Some(format!("this server is not called '{}': open http://{own}", clean(&host)));
        }
        match headers.get(header::ORIGIN).map(text) {
            Some(origin) if !origin.strip_prefix("http://").is_some_and(|host| self.is_own(host)) => {
                Some(format!("pages of '{}' may not ask this server: open http://{own}", clean(&origin)))
            }
            None if needs_origin => Some(format!(
                "the header `Origin` is missing: a connection to /ws sends Origin: http://{own}"
            )),
            // A link may lead to the page from anywhere; nothing else is fetched by pages of others, be they of this
            // machine or not.
            _ if is_foreign(headers) && !(uri.path() == "/" && is_visit(headers)) => {
                Some(format!("pages of others may not ask this server: open http://{own}"))
            }
            _ => None,
        }
    }

    /// The name of the cookie: hosts have cookies in common, ports do not tell them apart.
    fn cookie(&self) -> String {
        format!("flexline-{}", self.addresses.first().map_or(0, SocketAddr::port))
    }

    fn token_of(uri: &Uri) -> Option<&str> {
        uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
    }

    /// The page without the token that its address carries, where it does: it goes into a cookie, so that it stays in no
    /// history and on no screen.
    fn without_token(uri: &Uri) -> Option<String> {
        Self::token_of(uri).filter(|_| uri.path() == "/")?;
        let rest = uri.query()?.split('&').filter(|pair| !pair.starts_with("token="));
        let query = rest.collect::<Vec<_>>().join("&");
        Some(if query.is_empty() { "/".into() } else { format!("/?{query}") })
    }

    fn is_allowed(&self, headers: &HeaderMap, uri: &Uri) -> bool {
        let Some(token) = &self.token else { return true };
        let prefix = format!("{}=", self.cookie());
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let given = cookies.flat_map(|all| all.split(';')).filter_map(|one| one.trim().strip_prefix(&prefix));
        Self::token_of(uri).into_iter().chain(given).any(|given| same(given.as_bytes(), token.as_bytes()))
    }
}

/// Whether two texts are the same, in a time that does not tell how much of them is.
fn same(a: &[u8], b: &[u8]) -> bool {
    let difference = a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b));
    std::hint::black_box(difference) == 0 && a.len() == b.len()
}

/// Whether a browser says that a page of somebody else asks; other ports of this machine are somebody else.
fn is_foreign(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    site.is_some_and(|site| site != b"same-origin" && site != b"none")
}

/// Whether a browser goes to a page to show it, as a whole.
fn is_visit(headers: &HeaderMap) -> bool {
    let is = |name: &str, value: &[u8]| headers.get(name).is_some_and(|own| own.as_bytes() == value);
    is("sec-fetch-mode", b"navigate") && is("sec-fetch-dest", b"document")
}

/// A text of a stranger, fit to be shown.
fn clean(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_graphic()).take(100).collect()
}

/// Lets through who may ask, and puts the headers on the answer.
pub async fn check(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let (headers, uri) = (request.headers(), request.uri());
    let path = uri.path();
    let is_socket = path == "/ws";
    let objection = app.guard.objection(headers, uri);
    let allowed = app.guard.is_allowed(headers, uri);
    let wants_cookie =
        objection.is_none() && allowed && app.guard.token.is_some() && Guard::token_of(uri).is_some();
    let plain = Guard::without_token(uri).filter(|_| wants_cookie && request.method() == Method::GET);
    let mut response = match objection {
        Some(message) => refuse(StatusCode::FORBIDDEN, &message),
        None if !allowed && (is_socket || path.starts_with("/api/")) => {
            let message = "the token is missing or wrong: open the address that `flexline studio` printed";
            refuse(StatusCode::UNAUTHORIZED, message)
        }
        None => match plain {
            Some(to) => Redirect::to(&to).into_response(),
            None => next.run(request).await,
        },
    };
    if wants_cookie {
        let token = app.guard.token.as_deref().unwrap_or_default();
        let cookie = format!("{}={token}; HttpOnly; SameSite=Strict; Path=/", app.guard.cookie());
        if let Ok(value) = HeaderValue::from_str(&cookie) {
            response.headers_mut().append(header::SET_COOKIE, value);
        }
    }
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_are_ours() {
        let guard = Guard::new(vec!["127.0.0.1:4173".parse().unwrap(), "[::1]:4173".parse().unwrap()], None);
        for good in ["localhost:4173", "LOCALHOST:4173", "127.0.0.1:4173", "[::1]:4173"] {
            assert!(guard.is_own(good), "{good}");
        }
        let bad = [
            "",
            "localhost",
            "localhost:80",
            "evil.example:4173",
            "127.0.0.1.evil.example:4173",
            "127.0.0.2:4173",
            "localhost:4173@evil.example",
            "me@localhost:4173",
            "localhost:41730",
            "0.0.0.0:4173",
            "null",
        ];
        for bad in bad {
            assert!(!guard.is_own(bad), "{bad}");
        }
        let all = Guard::new(vec!["0.0.0.0:9000".parse().unwrap()], Some("t".into()));
        assert!(
            all.is_own("192.168.1.7:9000") && all.is_own("localhost:9000") && !all.is_own("box.lan:9000")
        );
    }

    #[test]
    fn tokens_are_compared_whole() {
        assert!(same(b"abc", b"abc"));
        assert!(
            !same(b"abc", b"abd") && !same(b"ab", b"abc") && !same(b"abcd", b"abc") && !same(b"", b"abc")
        );
    }
}
