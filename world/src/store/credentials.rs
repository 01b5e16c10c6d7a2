//! Whether there are credentials for a store at all.
//!
//! Without any, the library asks the machine's own service for them, which only virtual machines of clouds
//! have. Elsewhere its address may answer nobody, for minutes: so it is looked for first.

use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

/// Where virtual machines find their service, in all three clouds.
const SERVICE: ([u8; 4], u16) = ([169, 254, 169, 254], 80);

/// It is on the same host, and answers at once if it is there.
const PATIENCE: Duration = Duration::from_millis(1500);

/// Whether there may be credentials for addresses of this scheme: in the environment, in a file, or from the
/// machine's service.
pub(super) fn may_exist(scheme: &str) -> bool {
    let variables = std::env::vars_os().filter_map(|(name, value)| {
        let is_set = !value.is_empty();
        is_set.then(|| name.into_string().ok()).flatten()
    });
    let file = std::env::var_os("HOME")
        .map(|home| Path::new(&home).join(".config/gcloud/application_default_credentials.json"));
    let has_file = scheme == "gs" && file.is_some_and(|file| file.is_file());
    has_file || are_in(variables, scheme) || has_service()
}

/// Whether some of these variables name credentials, or say that none are needed.
fn are_in(mut variables: impl Iterator<Item = String>, scheme: &str) -> bool {
    let (store, words): (&str, &[&str]) = match scheme {
        "s3" | "s3a" => {
            ("AWS_", &["ACCESS_KEY", "TOKEN", "CONTAINER_CREDENTIALS", "METADATA_ENDPOINT", "SKIP_SIGNATURE"])
        }
        "gs" => ("GOOGLE_", &["SERVICE_ACCOUNT", "CREDENTIALS", "SKIP_SIGNATURE"]),
        "http" | "https" => return true,
        _ => (
            "AZURE_",
            &[
                "KEY",
                "SAS",
                "TOKEN",
                "SECRET",
                "CLI",
                "CLIENT",
                "IDENTITY",
                "MSI",
                "EMULATOR",
                "SKIP_SIGNATURE",
            ],
        ),
    };
    variables
        .any(|name| name.strip_prefix(store).is_some_and(|rest| words.iter().any(|word| rest.contains(word))))
}

fn has_service() -> bool {
    TcpStream::connect_timeout(&SocketAddr::from(SERVICE), PATIENCE).is_ok()
}

#[cfg(test)]
mod tests {
    use super::are_in;

    #[test]
    fn variables_of_each_store_are_known() {
        let known = |name: &str, scheme| are_in([name.to_owned()].into_iter(), scheme);
        assert!(known("AWS_ACCESS_KEY_ID", "s3") && known("AWS_SKIP_SIGNATURE", "s3"));
        assert!(!known("AWS_REGION", "s3") && !known("AZURE_STORAGE_ACCOUNT_KEY", "s3"));
        assert!(known("GOOGLE_APPLICATION_CREDENTIALS", "gs") && !known("GOOGLE_BUCKET", "gs"));
        assert!(known("AZURE_STORAGE_SAS_KEY", "az") && !known("AZURE_STORAGE_ACCOUNT_NAME", "az"));
        assert!(known("HOME", "https"), "web servers need none");
    }
}
