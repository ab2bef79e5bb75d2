//! One file over HTTP: resumed, checked, put in place whole.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::http::{HeaderMap, Response};
use ureq::{Agent, Body};

use crate::error::{Error, Fault, Result};
use crate::weights::sha256;

/// Redirections that are followed.
const REDIRECTIONS: usize = 5;

/// Attempts that bring nothing new before giving up.
const ATTEMPTS: usize = 3;

/// Why there is no file.
pub(super) enum Failure {
    /// The server has none, or does not give it to us.
    Missing,
    /// Anything else.
    Other(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

pub(super) struct Fetcher {
    agent: Agent,
}

/// What the server says about a file.
#[derive(Default)]
struct Stated {
    sha256: Option<String>,
    total: Option<u64>,
}

impl Fetcher {
    pub(super) fn new() -> Self {
        // Redirections are followed by hand: the hub states the checksum on the first answer.
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(Duration::from_secs(15)))
            .timeout_recv_response(Some(Duration::from_secs(30)))
            .timeout_recv_body(Some(Duration::from_secs(600)))
            .build();
        Self {
            agent: config.new_agent(),
        }
    }

    /// Fetches `url` to `place`, taking up a `.part` that is there.
    pub(super) fn fetch(
        &self,
        url: &str,
        place: &Path,
        progress: &mut dyn FnMut(u64, Option<u64>),
    ) -> Result<(), Failure> {
        let part = part_of(place);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(|error| Error::io(folder, &error))?;
        }
        let mut idle = 0;
        let mut fresh = size(&part) == 0;
        loop {
            let before = size(&part);
            match self.append(url, &part, progress) {
                Ok(stated) => match check(&part, &stated, url) {
                    Ok(()) => break,
                    // The rest of another version's file: once more, from the start.
                    Err(_) if !fresh => {
                        fresh = true;
                        fs::remove_file(&part).map_err(|error| Error::io(&part, &error))?;
                    }
                    Err(error) => {
                        fs::remove_file(&part).map_err(|error| Error::io(&part, &error))?;
                        return Err(error.into());
                    }
                },
                Err(Failure::Other(error)) if error.fault == Fault::Network => {
                    idle = if size(&part) > before { 0 } else { idle + 1 };
                    if idle == ATTEMPTS {
                        return Err(error.into());
                    }
                }
                Err(failure) => return Err(failure),
            }
        }
        fs::rename(&part, place).map_err(|error| Error::io(place, &error))?;
        Ok(())
    }

    /// Appends to `part` what it lacks.
    fn append(
        &self,
        url: &str,
        part: &Path,
        progress: &mut dyn FnMut(u64, Option<u64>),
    ) -> Result<Stated, Failure> {
        let have = size(part);
        let (mut response, mut stated) = self.get(url, have)?;
        let io = |error: std::io::Error| Failure::Other(Error::io(part, &error));
        let mut options = OpenOptions::new();
        options.create(true);
        let mut file: File = match response.status().as_u16() {
            // All of it is here: the server has nothing beyond.
            416 if have > 0 => return Ok(stated),
            206 if have > 0 => options.append(true).open(part).map_err(io)?,
            200 => options.write(true).truncate(true).open(part).map_err(io)?,
            401 | 403 | 404 => return Err(Failure::Missing),
            status => {
                return Err(network(url, format!("the server answered {status}")).into());
            }
        };
        let mut done = if response.status().as_u16() == 206 {
            have
        } else {
            0
        };
        let length = header(response.headers(), "content-length").and_then(|n| n.parse().ok());
        stated.total = stated.total.or(length.map(|length: u64| done + length));
        progress(done, stated.total);
        let mut body = response.body_mut().as_reader();
        let mut buffer = vec![0; 1 << 16];
        loop {
            let count = body
                .read(&mut buffer)
                .map_err(|error| network(url, format!("the connection broke off ({error})")))?;
            if count == 0 {
                break;
            }
            file.write_all(&buffer[..count]).map_err(io)?;
            done += count as u64;
            progress(done, stated.total);
        }
        file.sync_all().map_err(io)?;
        match stated.total {
            Some(total) if done < total => Err(network(
                url,
                format!("the connection broke off at {done} of {total} bytes"),
            )
            .into()),
            _ => Ok(stated),
        }
    }

    /// The last answer of a chain of redirections, and what was stated on the way.
    fn get(&self, url: &str, from: u64) -> Result<(Response<Body>, Stated)> {
        let mut stated = Stated::default();
        let mut url = url.to_owned();
        for _ in 0..=REDIRECTIONS {
            let mut request = self.agent.get(&url).header("accept-encoding", "identity");
            if from > 0 {
                request = request.header("range", format!("bytes={from}-"));
            }
            let response = request
                .call()
                .map_err(|error| network(&url, format!("no answer ({error})")))?;
            let headers = response.headers();
            stated.sha256 = stated.sha256.or_else(|| {
                ["x-linked-etag", "etag"]
                    .into_iter()
                    .filter_map(|name| header(headers, name))
                    .map(|tag| {
                        tag.trim_start_matches("W/")
                            .trim_matches('"')
                            .to_lowercase()
                    })
                    .find(|tag| tag.len() == 64 && tag.bytes().all(|b| b.is_ascii_hexdigit()))
            });
            stated.total = stated
                .total
                .or_else(|| header(headers, "x-linked-size")?.parse().ok());
            if !response.status().is_redirection() {
                return Ok((response, stated));
            }
            let to = header(headers, "location")
                .ok_or_else(|| network(&url, "a redirection to nowhere"))?;
            url = absolute(&url, to);
        }
        Err(network(&url, "too many redirections"))
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Where a redirection leads: another address, or a path on the same server.
fn absolute(url: &str, to: &str) -> String {
    let host_end = url
        .find("://")
        .and_then(|scheme| Some(scheme + 3 + url[scheme + 3..].find('/')?));
    match host_end {
        Some(end) if to.starts_with('/') => format!("{}{to}", &url[..end]),
        _ => to.to_owned(),
    }
}

fn check(part: &Path, stated: &Stated, url: &str) -> Result<()> {
    if let Some(expected) = &stated.sha256 {
        let found = sha256(part)?;
        if found != *expected {
            return Err(Fault::Network.because(format!(
                "{url} arrived damaged (SHA-256 {found}, and the server states {expected})"
            )));
        }
    }
    match stated.total {
        Some(total) if size(part) != total => Err(Fault::Network.because(format!(
            "{url} arrived with {} bytes, and the server states {total}",
            size(part)
        ))),
        _ => Ok(()),
    }
}

fn network(url: &str, what: impl Into<String>) -> Error {
    Fault::Network.because(format!("{url}: {}", what.into()))
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

fn part_of(place: &Path) -> PathBuf {
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    place.with_file_name(name)
}
