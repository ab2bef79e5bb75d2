use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::harness::{FINANCE, finance, folder, run, write};
use crate::replay::receipt;

/// The digest covers every number of the profile, so the same digest means the same profile.
#[test]
fn a_printed_profile_ranks_as_the_one_it_was_printed_from() {
    let folder = folder("round-trip");
    let digest = |profile: &str| {
        let args = ["rank", "--bundle", FINANCE, "--profile", profile, "--json"];
        run(&args).done().json()["digest"].clone()
    };
    let check = |name: &str, profile: &str| {
        for (ending, flag) in [("yaml", None), ("json", Some("--json"))] {
            let mut args = vec!["profile", profile, "--domain", "finance"];
            args.extend(flag);
            let printed = run(&args).done().stdout;
            let file = write(&folder, &format!("{name}.printed.{ending}"), printed);
            assert_eq!(digest(&file), digest(profile), "{name}.{ending}");
        }
    };
    check("vault", "vault");
    check("balanced", "balanced");
    let patches = [
        (
            "odd-numbers",
            "graph: {alpha: 0.1, tolerance: 1.0e-9, beta: 0.30000000000000004}",
        ),
        ("a-leg-less", "fuse: {weights: {lexical: null, other: 3}}"),
        ("a-quoted-name", "name: \"12: '\\\"é\\n\""),
        (
            "maps",
            "{extends: vault, signals: {severity: 0.1}, decay: {kind_overrides: {Filings: null}}}",
        ),
        (
            "options",
            "{diversity: {max_per_note: 2}, traverse: {fast: {quality_floor: null}}}",
        ),
    ];
    for (name, patch) in patches {
        check(name, &write(&folder, &format!("{name}.yaml"), patch));
    }
}

#[test]
fn a_profile_of_a_domain_has_its_numbers() {
    let lexical = |args: &[&str]| {
        let args = [&["profile"], args, &["--json"]].concat();
        run(&args).done().json()["fuse"]["weights"]["lexical"].clone()
    };
    assert_eq!(lexical(&[]), 0.4);
    assert_eq!(lexical(&["vault"]), 0.05);
    assert_eq!(lexical(&["vault", "--domain", "finance"]), 0.5);
    let yaml = run(&["profile"]).done().stdout;
    assert!(yaml.starts_with('#'), "{yaml}");
    assert!(
        yaml.contains("\nname: balanced\nlimit: 10\n"),
        "in the order of declaration: {yaml}"
    );
}

#[test]
fn a_schema_names_every_key_of_its_document() {
    let receipt = receipt("schema");
    let check = |name: &str, document: &Value| {
        let schema = run(&["schema", name]).done().json();
        assert_eq!(
            schema["$schema"],
            "https://json-schema.org/draft/2020-12/schema"
        );
        let keys = |value: &Value| -> BTreeSet<String> {
            value.as_object().expect(name).keys().cloned().collect()
        };
        assert_eq!(keys(&schema["properties"]), keys(document), "{name}");
        assert_eq!(schema["additionalProperties"], false, "{name}");
    };
    check("bundle", &finance());
    check("receipt", &receipt);
    check("profile", &receipt["profile"]);
    check("ranking", &receipt["ranking"]);
    check(
        "quotation",
        &serde_json::json!({ "quote": null, "chunk": null }),
    );
}

#[test]
fn the_version_names_the_product_and_the_core() {
    let version = run(&["--version"]).done().stdout;
    let (product, core) = (env!("CARGO_PKG_VERSION"), concord_core::VERSION);
    assert_eq!(version, format!("concord {product} (core {core})\n"));
}

#[test]
fn help_lists_commands_and_exit_codes() {
    let help = run(&["--help"]).done().stdout;
    for words in [
        "rank",
        "replay",
        "verify",
        "profile",
        "schema",
        "Exit codes:",
        "NO_COLOR",
    ] {
        assert!(help.contains(words), "{words}\n{help}");
    }
    let verify = run(&["verify", "--help"]).done().stdout;
    let flat = verify.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in ["blank line", "bytes of the chunk", "Exit code 0", "16 MiB"] {
        assert!(flat.contains(words), "{words}\n{verify}");
    }
}

#[test]
fn help_names_no_path_of_the_machine_that_built_it() {
    let home = env!("CARGO_MANIFEST_DIR");
    for command in ["rank", "replay", "verify", "profile", "schema"] {
        let help = run(&[command, "--help"]).done().stdout;
        assert!(!help.contains(home), "{help}");
        let widest = help.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(100), "{command}: {widest:?}");
    }
}

#[test]
fn a_mistake_on_the_command_line_ends_with_2() {
    let check = |args: &[&str], words: &str| {
        let refused = run(args);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{args:?}");
        assert!(
            refused.stderr.contains(words),
            "{args:?}\n{}",
            refused.stderr
        );
    };
    check(&[], "Usage:");
    check(&["rnak"], "rank");
    check(&["rank"], "--bundle");
    check(&["rank", "--bundle", FINANCE, "--limit", "-1"], "--limit");
    check(&["rank", "--bundle", FINANCE, "--limit", "0"], "--limit");
    check(&["rank", "--bundle", FINANCE, "--limit", "10001"], "10000");
    check(&["rank", "--bundle", FINANCE, "--nope"], "--nope");
    check(&["rank", "--bundle", "-", "--profile", "-"], "--profile");
    check(&["replay"], "RECEIPT");
    check(&["schema"], "DOCUMENT");
    check(&["schema", "walk"], "quotation");
    check(&["verify"], "--jsonl");
    check(&["verify", "--quote", "x"], "--chunk");
    check(&["verify", "--chunk", "x"], "--quote");
    check(&["verify", "--jsonl", "x", "--quote", "y"], "--quote");
}

#[test]
fn a_file_that_is_not_there_is_the_callers_fault_and_a_broken_one_the_machines() {
    let folder = folder("files");
    let directory = folder.to_str().unwrap();
    let nowhere = folder.join("nowhere.json");
    let below_a_file = format!("{FINANCE}/x.json");
    let mut paths = vec![
        (directory, 2),
        (nowhere.to_str().unwrap(), 2),
        (below_a_file.as_str(), 2),
    ];
    if cfg!(target_os = "linux") {
        paths.push(("/proc/self/mem", 3)); // opens, and gives an error to every reader
    }
    for (path, code) in paths {
        let commands: [&[&str]; 6] = [
            &["rank", "--bundle", path],
            &["rank", "--bundle", FINANCE, "--profile", path],
            &["replay", path],
            &["profile", path],
            &["verify", "--jsonl", path],
            &["verify", "--quote", "twelve characters", "--chunk", path],
        ];
        for args in commands {
            let refused = run(args);
            let found = (refused.code, refused.stdout.as_str());
            assert_eq!(found, (code, ""), "{args:?} {refused:?}");
            assert!(refused.stderr.starts_with("concord: "), "{refused:?}");
            assert!(refused.stderr.contains(path), "{refused:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_the_machines_fault() {
    for args in [
        vec!["profile"],
        vec!["rank", "--bundle", FINANCE],
        vec!["schema", "bundle"],
    ] {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_concord"))
            .args(&args)
            .stdout(full)
            .output()
            .unwrap();
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{args:?} {words}");
        assert!(words.starts_with("concord: standard output: "), "{words}");
    }
}
