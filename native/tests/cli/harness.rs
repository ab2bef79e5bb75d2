use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

/// A bundle as a small vault of the domain `finance` would give it.
pub(crate) const FINANCE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/finance.bundle.json"
);

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("no JSON: {e}\n{self:?}"))
    }

    /// Asserts that it went well and had nothing else to say.
    pub(crate) fn done(self) -> Self {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{self:?}");
        self
    }
}

/// The binary, in an environment that says nothing about colours.
pub(crate) fn concord(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_concord"));
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    command.args(args);
    command
}

pub(crate) fn finish(mut command: Command) -> Run {
    let output = command.output().expect("the binary runs");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    Run {
        code: output.status.code().expect("no signal ended it"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

pub(crate) fn run(args: &[&str]) -> Run {
    finish(concord(args))
}

pub(crate) fn run_with_stdin(args: &[&str], stdin: impl Into<Vec<u8>>) -> Run {
    let mut command = concord(args);
    command.write_stdin(stdin);
    finish(command)
}

/// A folder of a test's own, empty.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an old folder goes");
    }
    fs::create_dir_all(&folder).expect("a new folder comes");
    folder
}

pub(crate) fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    fs::write(&path, content).expect("a file can be written");
    path.to_str().expect("the path is UTF-8").to_owned()
}

pub(crate) fn finance() -> Value {
    let text = fs::read_to_string(FINANCE).expect("the fixture is there");
    serde_json::from_str(&text).expect("the fixture is JSON")
}

/// The document with the value at a JSON pointer replaced, or added to an object.
pub(crate) fn with(document: &Value, pointer: &str, value: Value) -> Value {
    let mut document = document.clone();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer has a slash");
    match document.pointer_mut(parent) {
        Some(Value::Object(object)) => {
            object.insert(key.to_owned(), value);
        }
        Some(Value::Array(list)) => list[key.parse::<usize>().expect("a position")] = value,
        _ => panic!("nothing at {parent}"),
    }
    document
}

/// The document without the key at a JSON pointer.
pub(crate) fn without(document: &Value, pointer: &str) -> Value {
    let mut document = document.clone();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer has a slash");
    match document.pointer_mut(parent) {
        Some(Value::Object(object)) => {
            object.remove(key).expect("the key is there");
        }
        Some(Value::Array(list)) => {
            list.remove(key.parse::<usize>().expect("a position"));
        }
        _ => panic!("nothing at {parent}"),
    }
    document
}
