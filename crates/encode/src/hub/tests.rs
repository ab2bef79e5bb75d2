//! Against a server on the loopback interface that misbehaves as told.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use sha2::{Digest, Sha256};

use super::*;
use crate::weights::hex;

const NAME: &str = "someone/tiny-model";

/// How the server treats the weights.
#[derive(Clone, Copy, Default)]
struct Manner {
    /// Sends so many bytes of the first answer, then hangs up.
    cut: Option<usize>,
    /// States this checksum.
    checksum: Checksum,
    /// Answers the hub's address with a redirection to another.
    redirect: bool,
}

#[derive(Clone, Copy, Default)]
enum Checksum {
    #[default]
    None,
    Right,
    Wrong,
}

/// The requests so far: path and range.
type Log = Mutex<Vec<(String, Option<usize>)>>;

struct Server {
    base: String,
    seen: Arc<Log>,
}

fn weights() -> Vec<u8> {
    (0..100_000_u32).map(|i| (i % 251) as u8).collect()
}

impl Server {
    fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let seen = Arc::<Log>::default();
        let log = Arc::clone(&seen);
        thread::spawn(move || {
            let mut cut = manner.cut;
            for stream in listener.incoming().flatten() {
                answer(&stream, manner, &mut cut, &log);
            }
        });
        Self { base, seen }
    }

    fn requests(&self, file: &str) -> Vec<Option<usize>> {
        let seen = self.seen.lock().expect("the log");
        seen.iter()
            .filter(|(path, _)| path.ends_with(file))
            .map(|(_, range)| *range)
            .collect()
    }
}

fn answer(mut stream: &TcpStream, manner: Manner, cut: &mut Option<usize>, log: &Log) {
    let mut lines = BufReader::new(stream)
        .lines()
        .map_while(std::io::Result::ok);
    let Some(first) = lines.next() else { return };
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let range = lines.take_while(|line| !line.is_empty()).find_map(|line| {
        line.to_lowercase()
            .strip_prefix("range: bytes=")?
            .strip_suffix('-')?
            .parse()
            .ok()
    });
    log.lock().expect("the log").push((path.clone(), range));
    let whole = match path.rsplit('/').next() {
        Some("config.json") if !path.contains("1_Pooling") => b"{}".to_vec(),
        Some("tokenizer.json") => b"{\"version\": \"1.0\"}".to_vec(),
        Some("model.safetensors") => weights(),
        _ => Vec::new(),
    };
    let mut head = String::new();
    if path.ends_with("safetensors") {
        let digest = match manner.checksum {
            Checksum::None => None,
            Checksum::Right => Some(hex(&Sha256::digest(&whole))),
            Checksum::Wrong => Some("0".repeat(64)),
        };
        // The hub states it on the redirection; a plain server on the answer.
        if let Some(digest) = digest.filter(|_| !manner.redirect || !path.starts_with("/cdn")) {
            head += &format!("x-linked-etag: \"{digest}\"\r\n");
        }
        if manner.redirect && !path.starts_with("/cdn") {
            let _ = write!(
                stream,
                "HTTP/1.1 302 Found\r\n{head}location: /cdn{path}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
            return;
        }
    }
    let from = range.unwrap_or(0).min(whole.len());
    let status = match (whole.is_empty() || path.contains("absent"), range) {
        (true, _) => "404 Not Found",
        (false, Some(_)) => "206 Partial Content",
        (false, None) => "200 OK",
    };
    let body = &whole[from..];
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\n{head}content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let end = if path.ends_with("safetensors") {
        cut.take().unwrap_or(body.len()).min(body.len())
    } else {
        body.len()
    };
    let _ = stream.write_all(&body[..end]);
}

fn fetch(server: &Server, cache: &Path) -> Result<Located> {
    Hub::at(&server.base, cache).resolve(NAME, &mut |_| {})
}

#[test]
fn a_model_is_fetched_once_and_then_used_offline() {
    for redirect in [false, true] {
        let server = Server::start(Manner {
            checksum: Checksum::Right,
            redirect,
            ..Manner::default()
        });
        let cache = tempfile::tempdir().expect("a folder");
        let mut last = 0;
        let hub = Hub::at(&server.base, cache.path());
        let located = hub
            .resolve(NAME, &mut |progress| {
                if progress.file == "model.safetensors" {
                    last = progress.done;
                    assert_eq!(progress.total, Some(100_000));
                }
            })
            .expect("a model");
        assert_eq!((last, located.name.as_str()), (100_000, NAME));
        let file = located.folder.join("model.safetensors");
        assert_eq!(std::fs::read(file).expect("the weights"), weights());
        assert!(!located.folder.join("modules.json").exists());
        let again = hub.offline(true).resolve(NAME, &mut |_| {});
        assert_eq!(again, Ok(located));
        assert_eq!(server.requests("tokenizer.json").len(), 1);
    }
}

#[test]
fn a_download_that_breaks_off_is_taken_up_where_it_stopped() {
    let server = Server::start(Manner {
        cut: Some(40_000),
        checksum: Checksum::Right,
        redirect: false,
    });
    let cache = tempfile::tempdir().expect("a folder");
    let located = fetch(&server, cache.path()).expect("a model");
    let file = located.folder.join("model.safetensors");
    assert_eq!(std::fs::read(file).expect("the weights"), weights());
    assert_eq!(server.requests("model.safetensors"), [None, Some(40_000)]);
}

#[test]
fn a_part_from_an_earlier_run_is_taken_up_and_one_of_another_file_is_not() {
    for (part, requests) in [
        (weights()[..70_000].to_vec(), vec![Some(70_000)]),
        (vec![9; 70_000], vec![Some(70_000), None]),
    ] {
        let server = Server::start(Manner {
            checksum: Checksum::Right,
            ..Manner::default()
        });
        let cache = tempfile::tempdir().expect("a folder");
        let folder = cache.path().join("models").join(NAME).join("main");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("model.safetensors.part"), part).expect("a part");
        fetch(&server, cache.path()).expect("a model");
        let file = folder.join("model.safetensors");
        assert_eq!(std::fs::read(file).expect("the weights"), weights());
        assert_eq!(server.requests("model.safetensors"), requests);
    }
}

#[test]
fn a_wrong_checksum_is_refused_and_nothing_is_left() {
    let server = Server::start(Manner {
        checksum: Checksum::Wrong,
        ..Manner::default()
    });
    let cache = tempfile::tempdir().expect("a folder");
    let error = fetch(&server, cache.path()).expect_err("refused");
    assert_eq!(error.fault, Fault::Network);
    assert!(error.message.contains("arrived damaged"), "{error}");
    let folder = cache.path().join("models").join(NAME).join("main");
    assert!(!folder.join("model.safetensors").exists());
    assert!(!folder.join("model.safetensors.part").exists());
}

#[test]
fn a_model_that_the_hub_does_not_have_is_named() {
    let server = Server::start(Manner::default());
    let cache = tempfile::tempdir().expect("a folder");
    let error = Hub::at(&server.base, cache.path())
        .resolve("someone/absent", &mut |_| {})
        .expect_err("refused");
    assert_eq!(error.fault, Fault::Model);
    assert!(error.message.contains("someone/absent"), "{error}");
    assert!(error.message.contains("give its folder"), "{error}");
}

#[test]
fn no_network_is_said_with_what_to_do() {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let base = format!("http://{}", free.local_addr().expect("an address"));
    drop(free);
    let cache = tempfile::tempdir().expect("a folder");
    let hub = Hub::at(&base, cache.path());
    let error = hub.resolve(NAME, &mut |_| {}).expect_err("refused");
    assert_eq!(error.fault, Fault::Network);
    assert!(
        error.message.contains(NAME) && error.message.contains("HF_ENDPOINT"),
        "{error}"
    );
    let error = hub
        .offline(true)
        .resolve(NAME, &mut |_| {})
        .expect_err("refused");
    assert!(error.message.contains("downloads are off"), "{error}");
}

#[test]
fn a_folder_is_a_model_and_no_name_leads_out_of_the_cache() {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::at("http://127.0.0.1:9", folder.path()).offline(true);
    let path = folder.path().to_string_lossy().into_owned();
    let located = hub.resolve(&path, &mut |_| {}).expect("a folder");
    assert_eq!(located.folder, folder.path());
    for name in [
        "../../etc",
        "no-such-folder",
        "a/b/c",
        "../x",
        "a/..",
        "",
        "/",
    ] {
        if Path::new(name).is_dir() {
            continue;
        }
        let error = hub.resolve(name, &mut |_| {}).expect_err("refused");
        assert_eq!(error.fault, Fault::Model, "{name}");
    }
    let error = hub
        .with_revision("../x")
        .resolve(NAME, &mut |_| {})
        .expect_err("refused");
    assert!(error.message.contains("no revision"));
}
