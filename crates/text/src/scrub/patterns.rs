//! The patterns that stay on one line. Order matters: a more special one stands before a more
//! general one that would match the same text, and vendors stand before generic forms.
//!
//! A pattern's group `secret` is what is replaced. No pattern ends in an optional part of unbounded
//! length: that is what makes finding *all* matches quadratic in an engine whose every single match
//! is linear. Classes and boundaries are ASCII.

/// One pattern.
pub(super) struct Pattern {
    pub(super) name: &'static str,
    /// Without one of these in the text, whatever its case, the pattern cannot match.
    pub(super) literals: &'static [&'static str],
    pub(super) regex: &'static str,
    /// What a regular expression cannot say about the secret.
    pub(super) is_secret: fn(&str) -> bool,
}

const fn vendor(
    name: &'static str,
    literals: &'static [&'static str],
    regex: &'static str,
) -> Pattern {
    Pattern {
        name,
        literals,
        regex,
        is_secret: |_| true,
    }
}

pub(super) const PATTERNS: &[Pattern] = &[
    // -- vendors ---------------------------------------------------------------
    vendor(
        "anthropic",
        &["sk-ant-"],
        r"(?-u)\b(?P<secret>sk-ant-[A-Za-z0-9_-]{20,})",
    ),
    Pattern {
        name: "openai",
        literals: &["sk-"],
        regex: r"(?-u)\b(?P<secret>sk-[A-Za-z0-9_-]{20,})",
        // Style sheets have classes such as `sk-loading-spinner-container`.
        is_secret: |secret| has_digit(secret) && secret.bytes().any(|b| b.is_ascii_uppercase()),
    },
    vendor(
        "github",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"(?-u)\b(?P<secret>gh[pousr]_[A-Za-z0-9]{36,})",
    ),
    vendor(
        "github-fine-grained",
        &["github_pat_"],
        r"(?-u)\b(?P<secret>github_pat_[A-Za-z0-9_]{22,})",
    ),
    Pattern {
        name: "gitlab",
        literals: &[
            "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glsoat-", "glft-", "glagent-",
            "gloas-",
        ],
        regex: r"(?-u)\b(?P<secret>gl(?:pat|dt|rt|cbt|ptt|soat|ft|agent|oas)-[A-Za-z0-9_.-]{20,})",
        is_secret: |_| true,
    },
    vendor(
        "aws-access-key",
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        r"(?-u)\b(?P<secret>(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})\b",
    ),
    vendor(
        "google-api-key",
        &["AIza"],
        r"(?-u)\b(?P<secret>AIza[A-Za-z0-9_-]{35})",
    ),
    vendor(
        "slack",
        &[
            "xoxa-", "xoxb-", "xoxe", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-",
        ],
        r"(?-u)\b(?P<secret>(?:xox[aboprs]-|xoxe[.-]|xapp-)[A-Za-z0-9.-]{10,})",
    ),
    vendor(
        "slack-webhook",
        &["hooks.slack.com/"],
        r"(?-u)(?P<secret>hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,})",
    ),
    vendor(
        "stripe",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
        r"(?-u)\b(?P<secret>(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9+/=]{16,})",
    ),
    vendor("twilio", &["SK"], r"(?-u)\b(?P<secret>SK[0-9a-f]{32})\b"),
    vendor(
        "sendgrid",
        &["SG."],
        r"(?-u)\b(?P<secret>SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})",
    ),
    vendor(
        "mailgun",
        &["key-"],
        r"(?-u)\b(?P<secret>key-[0-9a-f]{32})\b",
    ),
    vendor("npm", &["npm_"], r"(?-u)\b(?P<secret>npm_[A-Za-z0-9]{36})"),
    vendor(
        "pypi",
        &["pypi-"],
        r"(?-u)\b(?P<secret>pypi-[A-Za-z0-9_-]{50,})",
    ),
    vendor(
        "hugging-face",
        &["hf_"],
        r"(?-u)\b(?P<secret>hf_[A-Za-z0-9]{30,})",
    ),
    vendor(
        "digitalocean",
        &["doo_v1_", "dop_v1_", "dor_v1_"],
        r"(?-u)\b(?P<secret>do[opr]_v1_[0-9a-f]{64})",
    ),
    Pattern {
        name: "discord",
        literals: &["."],
        regex: r"(?-u)\b(?P<secret>[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,})",
        is_secret: has_digit,
    },
    vendor(
        "telegram",
        &[":AA"],
        r"(?-u)\b(?P<secret>[0-9]{8,10}:AA[A-Za-z0-9_-]{33})",
    ),
    vendor(
        "shopify",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"(?-u)\b(?P<secret>shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32})",
    ),
    // Longer than a site key, which is public.
    vendor(
        "cloudflare-turnstile",
        &["0x4AAA"],
        r"(?-u)\b(?P<secret>0x4AAA[A-Za-z0-9_-]{27,})",
    ),
    // -- generic ---------------------------------------------------------------
    vendor(
        "jwt",
        &["eyJ"],
        r"(?-u)\b(?P<secret>eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})",
    ),
    Pattern {
        name: "database-url",
        literals: &["://"],
        regex: r"(?i-u)\b(?:postgres|postgresql|mysql|mariadb|mongodb|redis|rediss|amqp|amqps|mssql|sqlserver|cockroachdb|clickhouse|oracle)(?:\+[a-z0-9]+)?://(?u-i:[^\x00-\x20\u{a0}\u{2000}-\u{200b}\u{3000}:/@\[\x60])*:(?P<secret>(?u-i:[^\x00-\x20\u{a0}\u{2000}-\u{200b}\u{3000}@\x60])+)@",
        is_secret: is_given,
    },
    Pattern {
        name: "basic-auth-url",
        literals: &["://"],
        regex: r"(?i-u)\b[a-z][a-z0-9+.-]{1,20}://(?u-i:[^\x00-\x20\u{a0}\u{2000}-\u{200b}\u{3000}:/@\[\x60])+:(?P<secret>(?u-i:[^\x00-\x20\u{a0}\u{2000}-\u{200b}\u{3000}/@\x60])+)@",
        is_secret: is_given,
    },
    Pattern {
        name: "bearer-token",
        literals: &["bearer"],
        regex: r"(?i-u)\bbearer[ \t]+(?P<secret>[A-Za-z0-9._~+/-]{16,}=*)",
        is_secret: |secret| is_given(secret) && has_digit(secret),
    },
    Pattern {
        name: "password",
        literals: &["passw", "pwd", "passphrase", "passwort", "kennwort"],
        regex: concat!(
            r"(?i-u)(?:passw(?:or)?d|passphrase|passwort|kennwort|\bpwd|_pwd)[a-z0-9_]{0,20}",
            r#"["'\x60]?[ \t]{0,4}(?:=>|:=|=|:)[ \t]{0,4}["'\x60]?(?P<secret>(?u-i:[^\x00-\x20\u{a0}\u{2000}-\u{200b}\u{3000}"'\x60<>,;{}|]){4,})"#,
        ),
        is_secret: is_password,
    },
    Pattern {
        name: "secret",
        literals: &["secret"],
        regex: concat!(
            r"(?i-u)secret(?:[_-]?(?:key|access[_-]?key|token|id))?",
            r#"["'\x60]?[ \t]{0,4}(?:=>|:=|=|:)[ \t]{0,4}["'\x60]?(?P<secret>(?u-i:[^\x00-\x20\u{a0}\u{2000}-\u{200b}\u{3000}"'\x60<>,;{}|]){8,})"#,
        ),
        is_secret: is_token,
    },
    Pattern {
        name: "api-key",
        literals: &["key"],
        regex: concat!(
            r"(?i-u)(?:api|access|account|encryption|signing|master|app|service)[_ -]?key(?:[_-]?id)?",
            r#"["'\x60]?[ \t]{0,4}(?:=>|:=|=|:)[ \t]{0,4}["'\x60]?(?P<secret>(?u-i:[^\x00-\x20\u{a0}\u{2000}-\u{200b}\u{3000}"'\x60<>,;{}|]){12,})"#,
        ),
        is_secret: is_token,
    },
    Pattern {
        name: "auth-token",
        literals: &["token"],
        regex: concat!(
            r"(?i-u)(?:\b|_)token",
            r#"["'\x60]?[ \t]{0,4}(?:=>|:=|=|:)[ \t]{0,4}["'\x60]?(?P<secret>(?u-i:[^\x00-\x20\u{a0}\u{2000}-\u{200b}\u{3000}"'\x60<>,;{}|]){12,})"#,
        ),
        is_secret: is_token,
    },
    Pattern {
        name: "base64-secret",
        literals: &["secret", "private", "credential", "key", "auth"],
        regex: concat!(
            r"(?i-u)(?:secret|private|credentials?|key|auth)[a-z0-9_.-]{0,40}",
            r#"["'\x60]?[ \t]{0,4}(?:=>|:=|=|:)[ \t]{0,4}["'\x60]?(?P<secret>[A-Za-z0-9+/_-]{32,}={0,2})"#,
        ),
        is_secret: |secret| is_token(secret) && is_mixed(secret),
    },
];

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// No marker of ours, no placeholder, no reference to where the secret really is.
fn is_given(secret: &str) -> bool {
    let reference = [
        "$", "%", "{", "<", "[", "*", "(", "@", "&", "=", "os.", "env.", "process.", "config.",
        "vault:", "secret:",
    ];
    let placeholder = [
        "password", "passwd", "pass", "secret", "token", "redacted", "changeme", "example", "your",
    ];
    let lower = secret.to_ascii_lowercase();
    let hidden = secret.bytes().all(|byte| b"xX*.-_#".contains(&byte));
    let bare = lower.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    !hidden
        && !reference.iter().any(|start| lower.starts_with(start))
        && !placeholder.contains(&bare)
        && !lower.starts_with("your")
        && !secret.contains("REDACTED:")
        && !is_call(secret)
}

/// `getpass()`, `read_secret(…`: where the secret comes from.
fn is_call(value: &str) -> bool {
    value.split_once(['(', '[']).is_some_and(|(name, rest)| {
        let named = name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_.:".contains(&b));
        named && (rest.is_empty() || rest.ends_with([')', ']', '(', '[']))
    })
}

/// A value that could be a password rather than the next word of a sentence: `password: required`
/// says something about passwords, `password: hunter2` tells one.
fn is_password(secret: &str) -> bool {
    let core = secret.trim_end_matches(['.', ':', '!', '?', '*', '_', ']']);
    let other = core
        .bytes()
        .any(|byte| !byte.is_ascii_lowercase() && byte != b'-');
    let shouted = core.bytes().skip(1).any(|byte| !byte.is_ascii_lowercase());
    is_given(secret) && core.len() >= 4 && other && shouted && !core.starts_with("//")
}

/// A value that looks made by a machine: letters and digits, and no path or file name.
fn is_token(secret: &str) -> bool {
    let pathlike = secret.starts_with(['/', '.', '~']) || secret.contains("//");
    let letters = secret.bytes().any(|byte| byte.is_ascii_alphabetic());
    is_given(secret) && !pathlike && letters && has_digit(secret)
}

/// High entropy: many different characters of several classes for the length.
fn is_mixed(secret: &str) -> bool {
    let mut seen = [false; 128];
    for byte in secret.bytes() {
        seen[usize::from(byte & 127)] = true;
    }
    let distinct = seen.iter().filter(|&&seen| seen).count();
    let upper = secret.bytes().any(|byte| byte.is_ascii_uppercase());
    let lower = secret.bytes().any(|byte| byte.is_ascii_lowercase());
    let hexadecimal = secret.bytes().all(|byte| byte.is_ascii_hexdigit());
    distinct >= 12 && (upper && lower || hexadecimal)
}
