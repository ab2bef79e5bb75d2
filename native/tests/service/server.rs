//! The real program on a vault of its own, and how to ask it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use assert_cmd::cargo::CommandCargoExt as _;
use serde_json::Value;
use tempfile::TempDir;

/// The program, with nothing of the tester's environment that it listens to.
pub(crate) fn concord(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("concord").unwrap();
    command
        .args(arguments)
        .env_remove("DOMAIN")
        .env_remove("CONCORD_VAULT")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command
}

/// Runs it to the end; it must succeed.
pub(crate) fn run(arguments: &[&str]) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = concord(arguments).output().unwrap();
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{arguments:?}: {stderr}");
    String::from_utf8(stdout).unwrap()
}

/// A vault that vanishes, indexed.
pub(crate) struct TestVault {
    pub(crate) folder: TempDir,
}

impl TestVault {
    /// Of these notes.
    pub(crate) fn of(notes: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        for (path, text) in notes {
            let file = folder.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let vault = Self { folder };
        run(&["index", vault.path()]);
        vault
    }

    pub(crate) fn path(&self) -> &str {
        self.folder.path().to_str().unwrap()
    }

    pub(crate) fn token(&self) -> String {
        fs::read_to_string(self.folder.path().join(".concord/token")).unwrap()
    }
}

/// A copy of the sample vault, indexed once for all tests.
pub(crate) fn sample() -> &'static TestVault {
    static SAMPLE: OnceLock<TestVault> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let folder = TempDir::new().unwrap();
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-vault"),
            folder.path(),
        );
        let vault = TestVault { folder };
        run(&["index", vault.path()]);
        vault
    })
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target: PathBuf = to.join(entry.file_name());
        if entry.file_name() == ".concord" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A service under way; ended with the test.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    agent: ureq::Agent,
}

/// What came back.
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) headers: ureq::http::HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answered {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&self.body)))
    }

    /// The stable name of why it was refused.
    pub(crate) fn code(&self) -> String {
        let json = self.json();
        let error = &json["error"];
        assert!(
            error["message"].is_string() && error["request_id"].is_string(),
            "{json}"
        );
        error["code"].as_str().unwrap().to_owned()
    }
}

impl Server {
    pub(crate) fn start(vault: &TestVault, arguments: &[&str]) -> Self {
        Self::start_by(concord(&["serve", vault.path()]).args(arguments))
    }

    /// By a command of one's own; `--port` is chosen here unless it is in the command.
    pub(crate) fn start_by(command: &mut Command) -> Self {
        if !command.get_args().any(|argument| argument == "--port") {
            command.args(["--port", "0"]);
        }
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = loop {
            let line = lines.next().expect("it ended before it served").unwrap();
            if let Some((_, rest)) = line.split_once(" at http://") {
                break rest.split('/').next().unwrap().parse().unwrap();
            }
        };
        // What it says later must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(60)))
            .build();
        Self {
            child,
            address,
            agent: config.new_agent(),
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn get(&self, path: &str) -> Answered {
        self.ask("GET", path, &[], b"")
    }

    /// The JSON of an answer that must come.
    pub(crate) fn json(&self, path: &str) -> Value {
        let answered = self.get(path);
        assert_eq!(
            answered.status,
            200,
            "{path}: {}",
            String::from_utf8_lossy(&answered.body)
        );
        answered.json()
    }

    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answered {
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(self.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = if body.is_empty() && method == "GET" {
            self.agent.run(request.body(()).unwrap())
        } else {
            self.agent.run(request.body(body.to_vec()).unwrap())
        };
        let mut answer = answer.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        Answered {
            status: answer.status().as_u16(),
            headers: answer.headers().clone(),
            body: answer
                .body_mut()
                .with_config()
                .limit(1 << 30)
                .read_to_vec()
                .unwrap(),
        }
    }

    /// Sends bytes as they are and reads what comes, to the end.
    pub(crate) fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(bytes).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        stream
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it at once.
    pub(crate) fn kill(mut self) -> SocketAddr {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.address
    }

    /// Waits for it to end by itself.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Text as it stands in the query of an address.
pub(crate) fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
