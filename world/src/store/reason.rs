//! Why a request to a store failed, for people: what it was, and what to do about it.
//!
//! The library's own messages quote the server's answer, which may contain keys and what was signed. So
//! nothing of an answer is repeated but its code, and the values of secret variables are removed.

use std::error::Error;

use object_store::Error as StoreError;

/// The longest cause that is quoted, letters.
const LONGEST: usize = 200;

/// Codes of answers about credentials.
const CREDENTIAL_CODES: [&str; 12] = [
    "AccessDenied",
    "AuthenticationFailed",
    "AuthorizationFailure",
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidAccessKeyId",
    "InvalidToken",
    "NoAuthenticationInformation",
    "RequestTimeTooSkewed",
    "SignatureDoesNotMatch",
    "TokenRefreshRequired",
    "UnrecognizedClientException",
];

/// The status of an answer where there is no room.
const INSUFFICIENT_STORAGE: u16 = 507;

/// Whether this is the code of a store without room, such as MinIO's `XMinioStorageFull` and Ceph's
/// `QuotaExceeded`.
fn is_full(code: &str) -> bool {
    ["StorageFull", "QuotaExceeded", "InsufficientStorage"].iter().any(|part| code.contains(part))
}

/// What to set for each kind of store.
fn credentials_for(scheme: &str) -> &'static str {
    match scheme {
        "s3" | "s3a" => {
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (with AWS_SESSION_TOKEN for temporary ones), or \
             AWS_SKIP_SIGNATURE=true for a public bucket"
        }
        "gs" => {
            "set GOOGLE_APPLICATION_CREDENTIALS to a key file, or GOOGLE_SKIP_SIGNATURE=true for a public bucket"
        }
        "http" | "https" => "copy the plan to a place that you may read",
        _ => {
            "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY (or AZURE_STORAGE_SAS_KEY), or \
             AZURE_SKIP_SIGNATURE=true for a public container"
        }
    }
}

/// The message where nothing has credentials for addresses of this scheme.
pub(super) fn no_credentials(scheme: &str) -> String {
    format!("there are no credentials; {}", credentials_for(scheme))
}

/// The message for an object that is longer than it can be.
pub(super) fn too_long(most: u64) -> String {
    format!(
        "has more than {most} bytes, so that it is not what its name says; remove it and run the command again"
    )
}

/// Why a request to a store of this scheme failed.
pub(super) fn reason(error: &StoreError, scheme: &str) -> String {
    let text = whole_text(error);
    let code = between(&text, "<Code>", "</Code>").filter(|code| is_code(code));
    let coded = code.map(|code| format!(" ({code})")).unwrap_or_default();
    let is_about_credentials = code.is_some_and(|code| CREDENTIAL_CODES.contains(&code));
    let asks_machine = ["169.254.", "metadata.google", "/metadata/identity", "latest/api/token"];
    if asks_machine.iter().any(|part| text.contains(part)) {
        return no_credentials(scheme);
    }
    match error {
        StoreError::Unauthenticated { .. } | StoreError::PermissionDenied { .. } => refused(&coded, scheme),
        _ if is_about_credentials => refused(&coded, scheme),
        _ if code == Some("NoSuchBucket") || code == Some("ContainerNotFound") => {
            format!("there is no such bucket{coded}; create it, or correct the address")
        }
        StoreError::NotSupported { .. } | StoreError::NotImplemented { .. } => {
            "the store cannot do this; use a folder, s3://, gs:// or az://".into()
        }
        _ => {
            let status = status_of(&text);
            if status == Some(INSUFFICIENT_STORAGE) || code.is_some_and(is_full) {
                return format!(
                    "the store is full{coded}; free some room or raise its limit, and run the command again, which \
                     resumes"
                );
            }
            let status = status.map(|status| format!(" with status {status}")).unwrap_or_default();
            if !status.is_empty() || code.is_some() {
                format!(
                    "the store answered{status}{coded}, also when it was asked again; run the command again later, \
                     which resumes"
                )
            } else {
                format!(
                    "the store cannot be reached: {}; check the address, the network and the endpoint, and run the \
                     command again, which resumes",
                    innermost(error)
                )
            }
        }
    }
}

fn refused(coded: &str, scheme: &str) -> String {
    format!(
        "the store refuses access{coded}: credentials are missing, wrong or expired, or may not do this; {}",
        credentials_for(scheme)
    )
}

/// The messages of an error and of all its causes.
fn whole_text(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text = text + "\n" + &next.to_string();
        cause = next.source();
    }
    text
}

/// The innermost cause, on one line and without anything secret.
fn innermost(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    let line = cause.to_string().replace(['\n', '\r'], " ");
    without_secrets(
        &line,
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))),
    )
    .chars()
    .take(LONGEST)
    .collect()
}

/// A text without the values of variables that hold credentials.
fn without_secrets(text: &str, variables: impl Iterator<Item = (String, String)>) -> String {
    let mut text = text.to_owned();
    for (name, value) in variables {
        let is_of_store = ["AWS_", "AZURE_", "GOOGLE_", "GCP_"].iter().any(|store| name.starts_with(store));
        let words = ["KEY", "SECRET", "TOKEN", "SAS", "PASSWORD", "CREDENTIAL", "ACCOUNT"];
        if is_of_store && value.len() >= 4 && words.iter().any(|word| name.contains(word)) {
            text = text.replace(&value, "…");
        }
    }
    text
}

/// The HTTP status in a message.
fn status_of(text: &str) -> Option<u16> {
    let rest = text.split("status code: ").nth(1)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|status| (100..600).contains(status))
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let rest = text.split_once(before)?.1;
    Some(rest.split_once(after)?.0)
}

fn is_code(code: &str) -> bool {
    (1..=60).contains(&code.len()) && code.chars().all(|letter| letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generic(text: &str) -> StoreError {
        StoreError::Generic { store: "S3", source: text.to_owned().into() }
    }

    #[test]
    fn answers_are_not_repeated_but_their_code() {
        let answer = "Server returned non-2xx status code: 400 Bad Request: <Error><Code>ExpiredToken</Code>\
                      <AWSAccessKeyId>AKIAHIDDEN</AWSAccessKeyId><StringToSign>hidden</StringToSign></Error>";
        let said = reason(&generic(answer), "s3");
        assert!(said.contains("(ExpiredToken)") && said.contains("AWS_SESSION_TOKEN"), "{said}");
        assert!(!said.contains("AKIAHIDDEN") && !said.contains("hidden"), "{said}");
        let said = reason(&generic("status code: 503 Slow: <Code>SlowDown</Code>"), "s3");
        assert!(said.contains("503 (SlowDown)") && said.contains("again later"), "{said}");
    }

    #[test]
    fn a_full_store_is_told_from_one_that_is_busy() {
        for answer in ["status code: 507 Full: ", "status code: 403 No: <Code>QuotaExceeded</Code>"] {
            let said = reason(&generic(answer), "s3");
            assert!(said.starts_with("the store is full") && said.contains("free some room"), "{said}");
        }
    }

    #[test]
    fn missing_credentials_are_named_for_each_store() {
        let said = reason(&generic("Error performing PUT http://169.254.169.254/latest/api/token"), "s3");
        assert!(said.starts_with("there are no credentials; set AWS_ACCESS_KEY_ID"), "{said}");
        let said = reason(&generic("http://metadata.google.internal failed"), "gs");
        assert!(said.contains("GOOGLE_APPLICATION_CREDENTIALS"), "{said}");
        let denied = StoreError::PermissionDenied { path: "p".into(), source: "no".into() };
        assert!(reason(&denied, "az").contains("AZURE_STORAGE_ACCOUNT_KEY"));
    }

    #[test]
    fn secret_values_are_removed_from_causes() {
        let variables = [("AWS_SECRET_ACCESS_KEY", "abcdef"), ("HOME", "user"), ("AZURE_SAS_TOKEN", "sig=1")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let said = without_secrets("for user: abcdef at ?sig=1", variables.into_iter());
        assert_eq!(said, "for user: … at ?…");
    }
}
