use std::fs;

use concord_cache::Cache;

use crate::harness::concord;

#[test]
fn no_credential_reaches_the_index_or_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let vault = folder.path().join("vault");
    fs::create_dir(&vault).unwrap();
    // Put together here, so that no scanner takes this file for a leak.
    let secrets = [
        ["gh", "p_", &"a1B2c3D4e5".repeat(4)[..36]].concat(),
        ["AK", "IA", "QWERTYUIOPASDFGH"].concat(),
        [
            "xo",
            "xb-",
            "123456789012-1234567890123-",
            &"aB3dE6gH9".repeat(3)[..24],
        ]
        .concat(),
        [
            "eyJ",
            "hbGciOiJIUzI1NiJ9",
            ".eyJ",
            "zdWIiOiIxMjM0NTY3ODkwIn0",
            ".",
            &"abcDEF123".repeat(5),
        ]
        .concat(),
        ["hunter", "2-correct-horse-battery"].concat(),
    ];
    let note = format!(
        "---\ntitle: Keys {0}\ntags: [ops]\n---\n## Access\n\nThe token is {0} and the key {1}.\nBot: {2}\n\nAuthorization: Bearer {3}\npassword = \"{4}\"\n",
        secrets[0], secrets[1], secrets[2], secrets[3], secrets[4]
    );
    fs::write(vault.join("keys.md"), note).unwrap();
    let run = concord(&["index", "--words-only"], &vault);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("struck out"), "{}", run.stdout);
    for secret in &secrets {
        assert!(!run.stdout.contains(secret.as_str()) && !run.stderr.contains(secret.as_str()));
        for entry in fs::read_dir(vault.join(".concord")).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            let found = bytes
                .windows(secret.len())
                .any(|window| window == secret.as_bytes());
            assert!(!found, "a credential stands in {}", path.display());
        }
    }
    let cache = Cache::reader(&vault.join(".concord/default.db")).unwrap();
    assert!(
        cache.chunks_of("keys.md").unwrap()[0]
            .row
            .text
            .contains("[REDACTED:")
    );
}
