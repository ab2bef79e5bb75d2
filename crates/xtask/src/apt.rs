//! Installing packages on Debian and its relatives, where we may.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{self, say};

/// Installs packages. The error says why it cannot be done, never asks anything.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    if process::on_path(&["apt-get"]).is_none() {
        bail!("this system has no apt-get");
    }
    let names = packages.join(" ");
    let root = may_act_as_root().with_context(|| {
        format!("neither root nor sudo without a password, which `apt-get install {names}` needs")
    })?;
    say(format!("installing {names} with apt-get"));
    // A list that is out of date in one place may still name the packages: let the
    // installation decide.
    if let Err(error) = process::run(root.apt_get().arg("update")) {
        say(format!(
            "{error:#}; going on with the package lists there are"
        ));
    }
    process::run(
        root.apt_get()
            .args(["install", "--yes", "--no-install-recommends"])
            .args(packages),
    )
}

enum Root {
    Already,
    BySudo,
}

fn may_act_as_root() -> Option<Root> {
    let user = process::read(Command::new("id").arg("-u")).ok()?;
    if user == "0" {
        return Some(Root::Already);
    }
    process::read(Command::new("sudo").args(["--non-interactive", "true"])).ok()?;
    Some(Root::BySudo)
}

impl Root {
    fn apt_get(&self) -> Command {
        let mut command = match self {
            Self::Already => Command::new("env"),
            Self::BySudo => {
                let mut sudo = Command::new("sudo");
                sudo.args(["--non-interactive", "env"]);
                sudo
            }
        };
        command.args([
            "DEBIAN_FRONTEND=noninteractive",
            "apt-get",
            "--quiet",
            "--option=DPkg::Lock::Timeout=300",
            "--option=Acquire::http::Timeout=30",
        ]);
        command
    }
}
