//! Who may ask.
//!
//! A page of any site can make a browser send requests to this machine, and a name of any site can
//! be made to lead here (DNS rebinding). So a request must name a host that this service was told
//! it has, and one that a browser sends from a page must come from a page of this service. Whatever
//! changes something takes the token, and so does everything once the service listens beyond
//! loopback.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, Uri};

use crate::refusal::{Code, Refusal};

/// What a request is checked against.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    /// Names by which this service may be called, besides those of loopback.
    hosts: Vec<String>,
    token: blake3::Hash,
    /// Whether reading takes the token too.
    reading_takes_token: bool,
}

impl Guard {
    /// For a service that listens on an address and may be called by some further names.
    pub(crate) fn new(address: SocketAddr, hosts: &[String], token: &str) -> Self {
        let mut hosts: Vec<String> = hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        if !address.ip().is_unspecified() {
            hosts.push(address.ip().to_string());
        }
        Self {
            hosts,
            token: blake3::hash(token.as_bytes()),
            reading_takes_token: !address.ip().is_loopback(),
        }
    }

    /// Refuses what does not come from where it should.
    pub(crate) fn check_origin(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        // HTTP/2 puts it into the address.
        let host = host.or_else(|| uri.authority().map(|authority| authority.as_str()));
        if !host.is_some_and(|host| self.knows(host)) {
            let named = host.unwrap_or("nothing");
            let message =
                format!("the request is for {named:?}, which is not a name of this service");
            return Err(Refusal::new(Code::ForbiddenHost, message)
                .hint("call it by its loopback address, or start it with --allow-host"));
        }
        let from_elsewhere = match headers.get(ORIGIN).map(|origin| origin.to_str()) {
            None => headers
                .get("sec-fetch-site")
                .is_some_and(|site| site == "cross-site" || site == "same-site"),
            Some(Err(_)) => true,
            Some(Ok(origin)) => {
                let authority = origin.split_once("://").map(|(_, authority)| authority);
                authority != host
            }
        };
        if from_elsewhere {
            let message = "the request comes from a page of another site";
            return Err(Refusal::new(Code::ForbiddenOrigin, message));
        }
        Ok(())
    }

    /// Refuses what takes the token and does not have it.
    pub(crate) fn check_token(&self, writes: bool, headers: &HeaderMap) -> Result<(), Refusal> {
        if !writes && !self.reading_takes_token {
            return Ok(());
        }
        let given = headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| value.strip_prefix("Bearer "));
        // Hashes are compared in constant time.
        if given.is_some_and(|token| blake3::hash(token.as_bytes()) == self.token) {
            return Ok(());
        }
        Err(
            Refusal::new(Code::Unauthorised, "this takes the service's token")
                .hint("send it as `Authorization: Bearer …`; `concord serve` says where it lies"),
        )
    }

    /// Whether a `Host` header names this service, on whatever port.
    fn knows(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            // The colons of a bare IPv6 address are not before a port.
            Some((name, port))
                if port.bytes().all(|byte| byte.is_ascii_digit())
                    && (name.ends_with(']') || !name.contains(':')) =>
            {
                name
            }
            _ => host,
        };
        let name = name.trim_start_matches('[').trim_end_matches(']');
        let name = name.to_ascii_lowercase();
        name == "localhost"
            || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
            || self.hosts.contains(&name)
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |&(name, value): &(&'static str, &str)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_str(value).unwrap(),
            )
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn only_its_own_names_and_pages_are_let_in() {
        let guard = Guard::new("127.0.0.1:80".parse().unwrap(), &["Vault.lan".into()], "t");
        let check = |pairs: &[(&'static str, &str)], expected: Option<Code>| {
            let found = guard.check_origin(&Uri::from_static("/"), &headers(pairs));
            assert_eq!(
                found.err().map(|refusal| refusal.code),
                expected,
                "{pairs:?}"
            );
        };
        for host in [
            "127.0.0.1",
            "127.0.0.1:8617",
            "localhost:1",
            "LOCALHOST",
            "[::1]:80",
            "vault.lan",
        ] {
            check(&[("host", host)], None);
        }
        for host in [
            "evil.example",
            "evil.example:8617",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "",
            ":",
            "[",
            "127.0.0.1@evil.example",
            "10.0.0.1",
            "vault.lan.",
            "localhost:80:80",
        ] {
            check(&[("host", host)], Some(Code::ForbiddenHost));
        }
        check(&[], Some(Code::ForbiddenHost));
        let host = ("host", "localhost:8617");
        check(&[host, ("origin", "http://localhost:8617")], None);
        for origin in [
            "http://evil.example",
            "http://localhost:9999",
            "null",
            "http://127.0.0.1:8617",
            "localhost:8617",
            "http://localhost:8617.evil.example",
        ] {
            check(&[host, ("origin", origin)], Some(Code::ForbiddenOrigin));
        }
        check(
            &[host, ("sec-fetch-site", "cross-site")],
            Some(Code::ForbiddenOrigin),
        );
        check(
            &[host, ("sec-fetch-site", "same-site")],
            Some(Code::ForbiddenOrigin),
        );
        check(&[host, ("sec-fetch-site", "same-origin")], None);
        check(&[host, ("sec-fetch-site", "none")], None);
    }

    #[test]
    fn writing_takes_the_token_and_beyond_loopback_so_does_reading() {
        let near = Guard::new("127.0.0.1:80".parse().unwrap(), &[], "secret");
        let far = Guard::new("0.0.0.0:80".parse().unwrap(), &[], "secret");
        let with = |value: &str| headers(&[("authorization", value)]);
        assert!(near.check_token(false, &HeaderMap::new()).is_ok());
        assert!(far.check_token(false, &HeaderMap::new()).is_err());
        for guard in [&near, &far] {
            assert!(guard.check_token(true, &with("Bearer secret")).is_ok());
            for wrong in [
                "Bearer",
                "Bearer ",
                "Bearer secre",
                "bearer secret",
                "secret",
                "Basic secret",
            ] {
                let code = guard.check_token(true, &with(wrong)).unwrap_err().code;
                assert_eq!(code, Code::Unauthorised, "{wrong}");
            }
        }
    }
}
