//! The real binary, and vaults that it may be run on.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use assert_cmd::cargo::CommandCargoExt as _;
use concord_cache::Cache;

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Asserts that it went well.
    #[track_caller]
    pub(crate) fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Asserts that it did not, in this way, and that standard error says so.
    #[track_caller]
    pub(crate) fn refused(self, code: i32, parts: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        for part in parts {
            assert!(self.stderr.contains(part), "{part}: {self:?}");
        }
        self
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("no JSON: {e}\n{self:?}"))
    }
}

pub(crate) fn command(arguments: &[&str], vault: &Path) -> Command {
    let mut command = Command::cargo_bin("concord").unwrap();
    command
        .args(arguments)
        .arg(vault)
        .env_remove("DOMAIN")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command
}

pub(crate) fn concord(arguments: &[&str], vault: &Path) -> Run {
    finish(command(arguments, vault))
}

pub(crate) fn finish(mut command: Command) -> Run {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// A new vault with these files.
pub(crate) fn vault_of(folder: &Path, files: &[(&str, &str)]) -> PathBuf {
    let vault = folder.join("vault");
    fs::create_dir_all(&vault).unwrap();
    for (path, text) in files {
        let path = vault.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    vault
}

/// A copy of the sample vault that a test may change.
pub(crate) fn sample(folder: &Path) -> PathBuf {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name() == ".concord" {
                continue;
            }
            let target = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                copy(&entry.path(), &target);
            } else {
                fs::copy(entry.path(), target).unwrap();
            }
        }
    }
    let vault = folder.join("vault");
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-vault"),
        &vault,
    );
    vault
}

pub(crate) fn dump(vault: &Path, domain: &str) -> String {
    let cache = Cache::reader(&vault.join(".concord").join(format!("{domain}.db"))).unwrap();
    cache.dump().unwrap()
}

/// Says aloud that a test was left out.
#[cfg(unix)]
#[allow(clippy::print_stderr, reason = "a test that is left out must say so")]
pub(crate) fn skipped(why: &str) {
    eprintln!("LEFT OUT: {why}");
}

/// How to run the binary as somebody whom permissions bind: as oneself, or for root, whom they do
/// not, as nobody. `folder` must be the test's own; the binary is put there, where nobody finds it.
#[cfg(unix)]
pub(crate) fn unprivileged(folder: &Path) -> Option<impl Fn(&[&str], &Path) -> Command> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    const NOBODY: &str = "65534";
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    let is_root = fs::metadata(folder).unwrap().uid() == 0;
    let own = folder.join("concord");
    if is_root {
        fs::copy(command(&[], folder).get_program(), &own).unwrap();
        let probe = Command::new("setpriv")
            .args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"])
            .arg(&own)
            .arg("--version")
            .output();
        if !probe.is_ok_and(|output| output.status.success()) {
            return None;
        }
    }
    Some(move |arguments: &[&str], vault: &Path| {
        if !is_root {
            return command(arguments, vault);
        }
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"])
            .arg(&own)
            .args(arguments)
            .arg(vault)
            .env_remove("DOMAIN")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
        command
    })
}
