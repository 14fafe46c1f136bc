//! Tests redaction and warnings.

use proptest::prelude::*;

use crate::text::{WarningKind, redact, redact_certain, redact_literals, survey};

#[test]
fn secrets_are_taken_out_with_their_length() {
    let cases = [
        ("Authorization: Bearer abcdef0123456789", "abcdef0123456789"),
        ("authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
        (
            r#"{"Authorization":"Bearer abcdef0123456789"}"#,
            "abcdef0123456789",
        ),
        ("x-api-key: 0123456789abcdef", "0123456789abcdef"),
        (
            "use sk-proj-abcdefghijklmnopqrstuvwx now",
            "sk-proj-abcdefghijklmnopqrstuvwx",
        ),
        (
            "sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAA",
            "sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAA",
        ),
        ("id AKIAIOSFODNN7EXAMPLE.", "AKIAIOSFODNN7EXAMPLE"),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        ),
        (
            "token ghp_0123456789abcdefghijABCDEFGHIJ",
            "ghp_0123456789abcdefghijABCDEFGHIJ",
        ),
        ("postgres://app:hunter22@db.local/x", "hunter22"),
        (r#"{"password": "correct horse"}"#, "correct"),
        (r#"{\"password\": \"hunter2222\"}"#, "hunter2222"),
        ("Cookie: session=abc; other=def", "session=abc; other=def"),
        (
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
        ),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nafter",
            "\nMIIE\nabc\n",
        ),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn", "\nb3Blbn"),
    ];
    for (text, secret) in cases {
        let clean = redact(text);
        assert!(!clean.contains(secret), "{clean}");
        assert!(
            clean.contains(&format!("[redacted {} bytes]", secret.len())),
            "{clean}"
        );
        assert_eq!(redact(&clean), clean, "a second pass changes nothing");
    }
    assert!(redact("-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\nafter").ends_with("\nafter"));
}

#[test]
fn what_would_run_is_shown_under_any_name() {
    for shown in [
        "Authorization: 'Bearer ${TOKEN}'",
        "sh -c 'token=/tmp/evil.sh; $token'",
        "sh -c 'password=$(curl${IFS}evil.example)'",
        "sh -c 'secret=`evil-program`'",
        "sh -c 'api_key=rm;rm'",
        "curl -H 'cookie: a; rm -rf /home'",
        "psql postgres://app:${PASSWORD}@db.local/x",
        "-----BEGIN PRIVATE KEY-----\nrm -rf /home\n",
    ] {
        assert_eq!(redact_literals(shown), shown);
    }
    for text in [
        "Authorization: Bearer abcdef0123456789",
        "--token=abcdef0123456789",
        "postgres://app:hunter22!@db.local/x",
        "Cookie: session=abc; other=def",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nafter",
    ] {
        assert_eq!(redact_literals(text), redact(text));
        assert_ne!(redact_literals(text), text);
    }
}

#[test]
fn certain_redaction_leaves_ordinary_text_after_a_key_name() {
    for text in ["error: unexpected token: identifier", "password = required_field"] {
        assert_ne!(redact(text), text);
        assert_eq!(redact_certain(text), text);
    }
    for text in [
        "Authorization: Bearer abcdef0123456789",
        "postgres://app:hunter22@db.local/x",
    ] {
        assert_eq!(redact_certain(text), redact(text));
        assert_ne!(redact_certain(text), text);
    }
}

#[test]
fn ordinary_text_is_left_alone() {
    for text in [
        "",
        "max_tokens: 4096000",
        "the token was rejected",
        "https://example.org/a:b@c",
        "skip-this-very-long-option-name-here",
        "fn authorization() -> bool",
        "a secret garden",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn mixed_words_and_odd_hosts_are_warned_about() {
    let kinds = |text: &str| -> Vec<WarningKind> {
        let counts = survey(text).counts.into_iter();
        counts.map(|(kind, _)| kind).collect()
    };
    assert_eq!(kinds("p\u{0430}ypal"), [WarningKind::MixedScript]);
    for fine in [
        "paypal",
        "привет мир",
        "日本語テキスト",
        "한국어 韓國語",
        "naïve",
        "x86_64",
        "привет-world",
        "µm 5",
    ] {
        assert_eq!(kinds(fine), [], "{fine}");
    }
    assert_eq!(kinds("curl https://xn--pypal-4ve.com/a"), [WarningKind::Punycode]);
    assert_eq!(
        kinds("curl https://\u{0440}\u{0430}\u{0443}.com"),
        [WarningKind::ForeignHost]
    );
    assert_eq!(
        kinds("curl https://user@p\u{0430}ypal.com/x"),
        [WarningKind::MixedScript, WarningKind::ForeignHost]
    );
    assert_eq!(kinds("curl https://example.org/größe"), []);
    let many = "p\u{0430}y ".repeat(1000);
    assert_eq!(survey(&many).first.len(), 1);
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn redaction_is_stable(text in "[ -~\n]{0,200}") {
        let once = redact(&text);
        prop_assert_eq!(redact(&once), once);
    }
}
