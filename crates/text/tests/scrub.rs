//! Every credential pattern: one text that it must change, and one that it must not.

#[path = "samples/credentials.rs"]
mod credentials;

use concord_text::{PATTERN_NAMES, scrub};

use credentials::{cases, made};

#[test]
fn every_pattern_fires_on_its_secret_and_only_takes_that() {
    for case in cases() {
        let (before, secret, after) = &case.fires;
        let text = format!("{before}{secret}{after}");
        let scrubbed = scrub(&text);
        let name = case.name;
        assert_eq!(scrubbed.text, format!("{before}[REDACTED:{name}]{after}"));
        assert_eq!(scrubbed.fired, [(name, 1)]);
    }
}

#[test]
fn every_pattern_has_a_text_that_it_leaves_alone() {
    for case in cases() {
        let scrubbed = scrub(&case.stays);
        assert_eq!(scrubbed.text, case.stays, "{}", case.name);
        assert!(matches!(scrubbed.text, std::borrow::Cow::Borrowed(_)));
        assert_eq!(scrubbed.fired, []);
    }
}

#[test]
fn every_pattern_has_a_case() {
    let tested = cases();
    for name in &*PATTERN_NAMES {
        assert!(tested.iter().any(|case| case.name == *name), "{name}");
    }
}

#[test]
fn all_secrets_at_once_are_gone_from_everything_that_can_be_printed() {
    let cases = cases();
    let text: String = cases
        .iter()
        .map(|case| format!("{}{}{}\n\n", case.fires.0, case.fires.1, case.fires.2))
        .collect();
    let scrubbed = scrub(&text);
    let printed = format!("{scrubbed:?} {}", scrubbed.text);
    for case in &cases {
        for line in case
            .fires
            .1
            .lines()
            .filter(|line| !line.contains("BEGIN") && line.len() > 6)
        {
            assert!(!printed.contains(line), "{}", case.name);
        }
    }
    let fired: usize = scrubbed.fired.iter().map(|(_, count)| count).sum();
    assert_eq!(fired, cases.len());
    let again = scrub(&scrubbed.text);
    assert_eq!(again.text, scrubbed.text, "scrubbing twice changes nothing");
    assert_eq!(again.fired, []);
}

#[test]
fn prose_about_credentials_is_left_alone() {
    let prose = "An API key identifies a caller. Rotate your API keys and never commit a password.\n\
        Set the `API_KEY` environment variable: `export API_KEY=$(pass show api)`.\n\
        Bearer tokens go into the Authorization header: `Authorization: Bearer <token>`.\n\
        The secret: rest. Password: at least twelve characters. Passwort: mindestens zwölf Zeichen.\n\
        Keys look like `sk-...` or `ghp_...`; a JWT has three parts, `eyJ...`.\n\
        | key | secret |\n|---|---|\n| token | password |\n";
    let scrubbed = scrub(prose);
    assert_eq!(scrubbed.text, prose);
}

#[test]
fn adversarial_input_of_a_megabyte_is_scrubbed() {
    // If work grew faster than the text, each of these would take minutes.
    let begin = format!("{}BEGIN PRIVATE KEY{}", "-".repeat(5), "-".repeat(5));
    let units = [
        "eyJ".to_owned(),
        format!("eyJ{}.", made(20)),
        "sk-".to_owned(),
        "password: password: ".to_owned(),
        "secret=".to_owned(),
        "key".to_owned(),
        "postgres://a:".to_owned(),
        "https://a:b".to_owned(),
        "a://".to_owned(),
        format!("{begin}\n"),
        format!("{begin}\n{}\n", made(64)),
        "M7aaaaaaaaaaaaaaaaaaaaaaaa.".to_owned(),
        "bearer \t".to_owned(),
    ];
    for unit in units {
        let text = unit.repeat(1_000_000 / unit.len());
        std::hint::black_box(scrub(&text));
    }
}
