//! A sample of every kind of credential, for the tests of scrubbing and of the whole program.
//!
//! Secrets are put together at run time, from parts that no scanner takes for one: a repository
//! with a literal that looks like a token cannot be pushed to some hosts.

/// Characters of a made-up secret: letters of both cases and digits, never the same in a row.
pub(crate) fn made(length: usize) -> String {
    let alphabet = b"a7Kd2Qx9Zm4Tb1Wn6Rf3Yc8Lh5Vg0Js";
    (0..length)
        .map(|at| char::from(alphabet[at % alphabet.len()]))
        .collect()
}

fn hexadecimal(length: usize) -> String {
    (0..length)
        .map(|at| char::from(b"0a7b3c9d1e5f2468"[at * 7 % 16]))
        .collect()
}

fn key_lines(count: usize) -> String {
    (0..count).map(|_| made(64) + "\n").collect()
}

/// A credential in its surroundings, and a text that looks like one.
pub(crate) struct Case {
    /// The pattern that finds it.
    pub(crate) name: &'static str,
    /// Before the secret, the secret, after it.
    pub(crate) fires: (String, String, String),
    /// What the pattern must leave alone.
    #[allow(dead_code, reason = "not every test needs it")]
    pub(crate) stays: String,
}

fn case(
    name: &'static str,
    before: &str,
    secret: String,
    after: &str,
    stays: impl Into<String>,
) -> Case {
    let fires = (before.to_owned(), secret, after.to_owned());
    let stays = stays.into();
    Case { name, fires, stays }
}

/// At least one for every pattern.
pub(crate) fn cases() -> Vec<Case> {
    let sk = ["s", "k"].concat();
    let dashes = "-".repeat(5);
    let key = |title: &str, body: &str| {
        format!("{dashes}BEGIN {title}{dashes}\n{body}{dashes}END {title}{dashes}")
    };
    vec![
        case(
            "anthropic",
            "key is ",
            format!("{sk}-ant-api03-{}", made(40)),
            ".",
            format!("{sk}-ant- is the prefix"),
        ),
        case(
            "openai",
            "",
            format!("{sk}-proj-{}", made(40)),
            "\n",
            format!("class {sk}-loading-spinner-container"),
        ),
        case(
            "github",
            "(",
            format!("gh{}_{}", 'p', made(36)),
            ")",
            "ghp_ is how they begin; ghp_short",
        ),
        case(
            "github-fine-grained",
            "",
            format!("github{}_{}", "_pat", made(60)),
            "",
            "github_pat_ tokens",
        ),
        case(
            "gitlab",
            "",
            format!("gl{}-{}", "pat", made(20)),
            " ",
            "glpat-short",
        ),
        case(
            "aws-access-key",
            "id ",
            format!("AK{}{}", "IA", made(16).to_uppercase()),
            "",
            "AKIAB is no key, nor AKIAaaaaaaaaaaaaaaaa",
        ),
        case(
            "google-api-key",
            "",
            format!("AI{}{}", "za", made(35)),
            "",
            "AIzawa Aiko wrote this",
        ),
        case(
            "slack",
            "",
            format!("xo{}-{}", "xb", made(30)),
            "",
            "xoxb- tokens",
        ),
        case(
            "slack-webhook",
            "https://",
            format!("hooks.slack.com/{}/T{}/B{}", "services", made(9), made(24)),
            "",
            "https://hooks.slack.com/services/ is where",
        ),
        case(
            "stripe",
            "",
            format!("{sk}_{}_{}", "live", made(24)),
            "",
            format!("{sk}_live_ and {sk}_test_ keys"),
        ),
        case(
            "twilio",
            "",
            format!("S{}{}", 'K', hexadecimal(32)),
            "",
            "SKU 12345, SKELETON",
        ),
        case(
            "sendgrid",
            "",
            format!("S{}.{}.{}", 'G', made(22), made(43)),
            "",
            "SG.com was here. SG. Next",
        ),
        case(
            "mailgun",
            "",
            format!("ke{}-{}", 'y', hexadecimal(32)),
            "",
            "key-value stores, key-based",
        ),
        case(
            "npm",
            "",
            format!("np{}_{}", 'm', made(36)),
            "",
            "npm_config_registry",
        ),
        case(
            "pypi",
            "",
            format!("py{}-{}", "pi", made(80)),
            "",
            "pypi-server and pypi-mirror",
        ),
        case(
            "hugging-face",
            "",
            format!("h{}_{}", 'f', made(34)),
            "",
            "hf_hub_download(...)",
        ),
        case(
            "digitalocean",
            "",
            format!("do{}_v1_{}", 'p', hexadecimal(64)),
            "",
            "dop_v1_ tokens",
        ),
        case(
            "discord",
            "",
            format!("M{}.{}.{}", made(23), made(6), made(38)),
            "",
            "Module.member.method_of_a_very_long_name_indeed",
        ),
        case(
            "telegram",
            "",
            format!("{}:A{}{}", 123_456_789, 'A', made(33)),
            "",
            "10:AAA meetings, ratio 1:AA",
        ),
        case(
            "shopify",
            "",
            format!("shp{}_{}", "at", hexadecimal(32)),
            "",
            "shpat_ prefix",
        ),
        case(
            "cloudflare-turnstile",
            "",
            format!("0x4{}{}", "AAA", made(30)),
            "",
            format!("site key 0x4{}{}", "AAA", made(15)),
        ),
        case(
            "jwt",
            "",
            format!("ey{}{}.ey{}{}.{}", 'J', made(20), 'J', made(30), made(43)),
            "",
            "eyJ is how every JWT begins",
        ),
        case(
            "database-url",
            "postgres://app:",
            made(12),
            "@db:5432/x",
            "postgres://localhost:5432/x and postgres://app:${PW}@db/x",
        ),
        case(
            "basic-auth-url",
            "see https://me:",
            made(12),
            "@e.org/x",
            "https://e.org:8080/@me and https://user:<password>@e.org",
        ),
        case(
            "bearer-token",
            "Authorization: Bearer ",
            made(24),
            "",
            "a bearer token authentication scheme; Bearer $TOKEN",
        ),
        case(
            "password",
            "password: ",
            format!("hunter{}", 2),
            "",
            "Password: required. password = <password>; password: ${PW}",
        ),
        case(
            "password",
            "DB_PASSWORD='",
            made(10),
            "'",
            "passwords: use a manager; password=os.environ['X']",
        ),
        case(
            "api-key",
            "api_key = \"",
            made(24),
            "\"",
            "API key: ask the owner; api_key=YOUR_API_KEY_HERE",
        ),
        case(
            "auth-token",
            "auth_token: ",
            made(24),
            "",
            "token: string; token = request.headers",
        ),
        case(
            "base64-secret",
            "client_secret_value: ",
            format!("{}==", made(44)),
            "",
            "key: this-is-a-very-long-hyphenated-slug-of-words",
        ),
        case(
            "secret",
            "AWS_SECRET_ACCESS_KEY: ",
            format!("{}!n5)e*b^r", made(12)),
            "\n",
            "secret: read_secret('x1'); secret_key = get_key2(a)",
        ),
        case(
            "secret",
            "secret = ",
            made(12),
            "",
            "the secret: practice every day; secret: kubernetes-name",
        ),
        case(
            "private-key",
            "x\n",
            key("RSA PRIVATE KEY", &key_lines(4)),
            "\ny",
            format!("it starts with {dashes}BEGIN RSA PRIVATE KEY{dashes} and so on"),
        ),
        case(
            "private-key",
            "",
            key("OPENSSH PRIVATE KEY", &key_lines(3)).replace('\n', "\\n"),
            "\"",
            key("PUBLIC KEY", &key_lines(2)),
        ),
        case(
            "private-key",
            "> ",
            format!(
                "{dashes}BEGIN PRIVATE KEY{dashes}\n> {}\n> {}\n> ab12",
                made(64),
                made(64)
            ),
            "\n\nThen came prose.",
            key("CERTIFICATE", &key_lines(2)),
        ),
        case(
            "pgp-private-key",
            "",
            key(
                "PGP PRIVATE KEY BLOCK",
                &format!("Version: GnuPG v2\n\n{}=ab1C\n", key_lines(3)),
            ),
            "\n",
            key("PGP PUBLIC KEY BLOCK", &key_lines(2)),
        ),
        case(
            "pgp-private-key",
            "",
            format!(
                "{dashes}BEGIN PGP PRIVATE KEY BLOCK{dashes}\n\n{}",
                key_lines(2).trim_end()
            ),
            "",
            key("PGP MESSAGE", &key_lines(2)),
        ),
    ]
}
