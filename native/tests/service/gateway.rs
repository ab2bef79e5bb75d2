//! Domains in processes of their own, behind a gateway.

use std::fs;

use crate::server::{Server, TestVault, concord};

const DOMAINS: [&str; 4] = ["finance", "fitness", "learning", "nutrition"];

#[test]
fn one_domain_down_keeps_no_other_from_answering_and_comes_back() {
    let notes: Vec<(String, String)> = DOMAINS
        .iter()
        .map(|name| {
            (
                format!("{name}/note.md"),
                format!("# About {name}\n\nAll there is to say about {name}.\n"),
            )
        })
        .collect();
    let mut notes: Vec<(&str, &str)> = notes
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let plain: String = DOMAINS
        .iter()
        .map(|name| format!("{name}: {{}}\n"))
        .collect();
    notes.push(("_domains.yaml", &plain));
    let vault = TestVault::of(&notes);

    let start = |domain: &str, port: &str| {
        Server::start_by(concord(&["serve", vault.path(), "--port", port]).env("DOMAIN", domain))
    };
    let mut processes: Vec<Server> = DOMAINS.iter().map(|domain| start(domain, "0")).collect();
    let registry: String = DOMAINS
        .iter()
        .zip(&processes)
        .map(|(name, process)| format!("{name}: {{ url: \"{}\" }}\n", process.url("")))
        .collect();
    fs::write(vault.folder.path().join("_domains.yaml"), registry).unwrap();
    let gateway = Server::start(&vault, &[]);

    let search =
        |domain: &str| gateway.get(&format!("/v1/vault/search?domain={domain}&q=about&k=1"));
    let up = || -> Vec<bool> {
        let domains = gateway.json("/v1/domains");
        domains["domains"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["up"].as_bool().unwrap())
            .collect()
    };
    for domain in DOMAINS {
        let answer = search(domain).json();
        assert_eq!(
            answer["ranking"]["items"][0]["note"],
            format!("{domain}/note.md")
        );
    }
    assert_eq!(up(), [true; 4]);
    // A process of one domain answers at its root, and has no page.
    let own = &processes[1];
    assert_eq!(own.json("/search?q=about&k=1")["domain"], "fitness");
    assert_eq!(own.get("/").status, 404);

    let address = processes.remove(1).kill();
    let refused = search("fitness");
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (502, "domain_down")
    );
    let error = &refused.json()["error"];
    assert_eq!(
        error["message"],
        "the domain `fitness` does not answer: no process listens at its address"
    );
    let command = format!("`DOMAIN=fitness concord serve --port {}`", address.port());
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains(&command), "{hint}");
    for domain in ["finance", "learning", "nutrition"] {
        assert_eq!(search(domain).status, 200, "{domain}");
    }
    assert_eq!(up(), [true, false, true, true]);

    let again = start("fitness", &address.port().to_string());
    assert_eq!(search("fitness").status, 200);
    assert_eq!(up(), [true; 4]);
    drop(again);
}

#[test]
fn a_domain_without_an_index_is_told_of_and_the_others_are_served() {
    let vault = TestVault::of(&[
        ("_domains.yaml", "a: {}\nb: {}\n"),
        ("a/note.md", "# One\n\nThe first.\n"),
        ("b/note.md", "# Two\n\nThe second.\n"),
    ]);
    fs::remove_file(vault.folder.path().join(".concord/b.db")).unwrap();
    let server = Server::start(&vault, &[]);
    assert_eq!(server.get("/v1/vault/search?domain=a&q=first").status, 200);
    let down = server.get("/v1/vault/search?domain=b&q=second");
    assert_eq!(down.code(), "domain_down");
    assert!(
        down.json()["error"]["message"]
            .as_str()
            .unwrap()
            .contains("concord index")
    );
}
