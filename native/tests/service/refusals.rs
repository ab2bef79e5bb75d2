//! What must not be let in, and does not bring the service down.

use std::io::{Read as _, Write as _};
use std::thread;
use std::time::{Duration, Instant};

use crate::server::{Server, TestVault};

fn vault() -> TestVault {
    TestVault::of(&[
        ("a.md", "# Apples\n\nApples are red or green.\n"),
        ("b/c.md", "# Pears\n\nSee [[a]].\n"),
    ])
}

#[test]
fn a_name_or_a_page_of_another_site_is_refused() {
    let vault = vault();
    let server = Server::start(&vault, &[]);
    let port = server.address.port();
    let get = |headers: &str| {
        server.raw(
            format!("GET /v1/domains HTTP/1.1\r\n{headers}connection: close\r\n\r\n").as_bytes(),
        )
    };
    for host in [
        "evil.example",
        "127.0.0.1.evil.example",
        "evil.example:8617",
    ] {
        let answer = get(&format!("host: {host}\r\n"));
        assert!(
            answer.starts_with("HTTP/1.1 403 ") && answer.contains("forbidden_host"),
            "{host}: {answer}"
        );
    }
    let answer = get("");
    assert!(
        answer.starts_with("HTTP/1.1 403 ") || answer.starts_with("HTTP/1.1 400 "),
        "{answer}"
    );
    for origin in ["http://evil.example", "null", "http://localhost:1"] {
        let answer = get(&format!("host: 127.0.0.1:{port}\r\norigin: {origin}\r\n"));
        assert!(
            answer.starts_with("HTTP/1.1 403 ") && answer.contains("forbidden_origin"),
            "{origin}: {answer}"
        );
    }
    let answer = get(&format!(
        "host: 127.0.0.1:{port}\r\nsec-fetch-site: cross-site\r\n"
    ));
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    let answer = get(&format!(
        "host: 127.0.0.1:{port}\r\norigin: http://127.0.0.1:{port}\r\n"
    ));
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[test]
fn nothing_outside_the_index_can_be_read() {
    let vault = vault();
    let folder = vault.folder.path();
    std::fs::write(folder.join("secret.txt"), "the secret").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", folder.join("link.md")).unwrap();
    let server = Server::start(&vault, &[]);
    for path in [
        "../a.md",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e/%2e%2e/etc/passwd",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "a.md%00.txt",
        "b/../../a.md",
        "b/..%2f..%2f..%2fetc/passwd",
        "secret.txt",
        "link.md",
        ".concord/token",
        ".concord/default.db",
        "..%5c..%5cetc",
        "%252e%252e/etc/passwd",
        "b//c.md",
        "nothing.md",
    ] {
        let request = format!(
            "GET /v1/vault/node/{path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
        );
        let answer = server.raw(request.as_bytes());
        let refused = answer.starts_with("HTTP/1.1 400 ") || answer.starts_with("HTTP/1.1 404 ");
        assert!(refused, "{path}: {answer}");
        assert!(
            !answer.contains("root:") && !answer.contains("the secret"),
            "{path}"
        );
    }
    assert_eq!(server.get("/v1/vault/node/b/c.md").status, 200);
    // A note that became a link out of the vault after it was indexed.
    #[cfg(unix)]
    {
        std::fs::remove_file(folder.join("a.md")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.join("a.md")).unwrap();
        let answered = server.get("/v1/vault/node/a.md");
        assert_eq!(
            (answered.status, answered.code().as_str()),
            (404, "not_found")
        );
    }
}

#[test]
fn what_is_too_much_is_refused_with_its_status() {
    let vault = vault();
    let server = Server::start(&vault, &[]);
    for (k, status) in [
        ("200", 200),
        ("201", 400),
        ("1000000000", 400),
        ("0", 400),
        ("-1", 400),
    ] {
        assert_eq!(
            server.get(&format!("/v1/vault/search?q=a&k={k}")).status,
            status,
            "k={k}"
        );
    }
    let refused = server.get("/v1/vault/traverse/a.md?depth=99");
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (400, "bad_request")
    );
    let large = vec![b' '; (4 << 20) + 1];
    let head = format!(
        "POST /v1/vault/verify HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        large.len()
    );
    let mut stream = server.connect();
    stream.write_all(head.as_bytes()).unwrap();
    // It may answer and close before it has read all.
    let _ = stream.write_all(&large);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(
        String::from_utf8_lossy(&answer).starts_with("HTTP/1.1 413 "),
        "{}",
        answer.len()
    );
    let malformed = server.ask("POST", "/v1/vault/verify", &[], b"{\"citations\": 7}");
    assert_eq!(
        (malformed.status, malformed.code().as_str()),
        (400, "bad_request")
    );
    let method = server.ask("DELETE", "/v1/vault/search", &[], b"");
    assert_eq!(
        (method.status, method.code().as_str()),
        (405, "method_not_allowed")
    );
    assert_eq!(server.get("/v1/nothing").code(), "not_found");
    assert_eq!(server.get("/v1/domains").status, 200);
}

#[test]
fn clients_that_say_nothing_keep_nobody_out() {
    let vault = vault();
    let server = Server::start(&vault, &[]);
    // A head that never ends, a body that never comes, and a thousand that do not even begin.
    let mut slow = server.connect();
    slow.write_all(b"GET /v1/domains HTTP/1.1\r\nhost: localhost\r\nx-slow: ")
        .unwrap();
    let mut bodiless = server.connect();
    bodiless
        .write_all(
            b"POST /v1/vault/verify HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n",
        )
        .unwrap();
    let silent: Vec<_> = (0..1_000)
        .filter_map(|_| {
            std::net::TcpStream::connect_timeout(&server.address, Duration::from_secs(5)).ok()
        })
        .collect();
    assert!(silent.len() > 600, "only {} could connect", silent.len());
    // Past the limit a new one is told so at once.
    let told =
        server.raw(b"GET /v1/domains HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    assert!(
        told.starts_with("HTTP/1.1 503 ") && told.contains("too_many"),
        "{told}"
    );
    // The silent lose their places, and the service answers while they still hold their ends.
    let started = Instant::now();
    let answered = loop {
        let answer =
            server.raw(b"GET /v1/domains HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        if answer.starts_with("HTTP/1.1 200 ") || started.elapsed() > Duration::from_secs(40) {
            break answer;
        }
        thread::sleep(Duration::from_millis(200));
    };
    assert!(answered.starts_with("HTTP/1.1 200 "), "{answered}");
    let mut answer = String::new();
    let _ = slow.read_to_string(&mut answer);
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 408 "),
        "{answer}"
    );
    let mut answer = String::new();
    let _ = bodiless.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 504 "), "{answer}");
    drop(silent);
}

#[test]
fn beyond_loopback_everything_takes_the_token() {
    let vault = vault();
    let server = Server::start(&vault, &["--bind", "0.0.0.0"]);
    let near = format!("127.0.0.1:{}", server.address.port());
    assert_eq!(
        server.address.to_string(),
        near,
        "an address that can be opened is announced"
    );
    assert_eq!(server.get("/v1/domains").code(), "unauthorised");
    let token = format!("Bearer {}", vault.token());
    assert_eq!(
        server
            .ask("GET", "/v1/domains", &[("authorization", &token)], b"")
            .status,
        200
    );
}

#[cfg(unix)]
#[test]
fn told_to_end_it_answers_what_is_under_way() {
    let vault = vault();
    let mut server = Server::start(&vault, &[]);
    let mut stream = server.connect();
    stream
        .write_all(b"GET /v1/domains HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .unwrap();
    thread::sleep(Duration::from_millis(100));
    let killed = std::process::Command::new("kill")
        .args(["-TERM", &server.pid().to_string()])
        .status();
    assert!(killed.unwrap().success());
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert_eq!(server.wait(), Some(0));
}
