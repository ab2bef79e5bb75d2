use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::harness::{command, concord, vault_of};

/// The most memory that a process ever had, in KiB, while it runs to its end.
#[cfg(target_os = "linux")]
fn peak_memory(child: &mut Child) -> u64 {
    let file = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(&file).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        peak = peak.max(now.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    peak
}

fn write(vault: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = vault.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn whatever_a_vault_holds_is_reported_and_the_rest_is_indexed_in_bounded_memory() {
    const EVIL: &str = "evil\n\u{1b}[31mname\u{202e}.md";
    let folder = tempfile::tempdir().unwrap();
    let vault = vault_of(folder.path(), &[("good.md", "A good note about herons.\n")]);
    write(
        &vault,
        "yaml.md",
        "---\ntitle: [open\n---\nIts body counts.\n",
    );
    write(&vault, "binary.md", b"MZ\x00\x01\x02");
    write(&vault, "latin1.md", b"caf\xe9");
    write(&vault, "large.md", "word ".repeat(10 << 20));
    let links: String = (0..100_000).map(|i| format!("[[note {i}]] ")).collect();
    write(&vault, "links.md", links);
    write(&vault, "quotes.md", ">".repeat(10_000) + " deep\n");
    write(&vault, "lists.md", "- ".repeat(10_000) + "deep\n");
    write(
        &vault,
        "brackets.md",
        "[".repeat(10_000) + "![".repeat(10_000).as_str(),
    );
    write(&vault, "🙂.md", "An emoji for a name.\n");
    write(
        &vault,
        EVIL,
        "---\ntitle: [open\n---\nA name that steers.\n",
    );
    write(&vault, "one/same.md", "One.\n");
    write(&vault, "two/same.md", "Two, see [[same]].\n");
    std::os::unix::fs::symlink(&vault, vault.join("loop")).unwrap();
    std::os::unix::fs::symlink("round.md", vault.join("round.md")).unwrap();
    std::os::unix::fs::symlink("good.md", vault.join("link.md")).unwrap();

    let mut child = command(&["index", "--words-only"], &vault)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let peak = peak_memory(&mut child);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!((1..300 << 10).contains(&peak), "it took {} MiB", peak >> 10);
    assert!(said.contains("latin1.md: byte 3 is not UTF-8"), "{said}");

    let status = concord(&["status", "--json"], &vault).done();
    let json = status.json();
    let files = json[0]["files"].as_array().unwrap();
    let check = |path: &str, fate: &str, reason: &str| {
        let file = files.iter().find(|file| file["path"] == path);
        let file = file.unwrap_or_else(|| panic!("{path:?} is not there"));
        assert_eq!(file["fate"], fate, "{path:?}");
        let found = file["reason"].as_str().unwrap_or_default();
        assert!(found.contains(reason), "{path:?}: {found}");
    };
    for path in [
        "good.md",
        "yaml.md",
        "links.md",
        "quotes.md",
        "lists.md",
        "brackets.md",
        "🙂.md",
        EVIL,
        "one/same.md",
        "two/same.md",
    ] {
        check(path, "indexed", "");
    }
    check("binary.md", "skipped", "NUL");
    check("large.md", "skipped", "larger than 16 MiB");
    check("link.md", "skipped", "symbolic link");
    check("round.md", "skipped", "symbolic link");
    check("latin1.md", "failed", "UTF-8");
    assert_eq!(files.len(), 15, "{json}");

    // A name cannot forge a line, nor steer the terminal.
    let shown = concord(&["status"], &vault).done().stdout;
    let line = shown.lines().find(|line| line.contains("evil")).unwrap();
    assert!(line.contains("evil \u{fffd}[31mname\u{fffd}.md"), "{line}");
    assert!(!status.stdout.contains(['\u{1b}', '\u{202e}']));
}
