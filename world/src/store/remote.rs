//! Objects in a bucket, through the crate `object_store`.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, LazyLock, Once};
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::path::Path as Key;
use object_store::{
    ClientOptions, Error as StoreError, GetOptions, GetRange, ObjectStore, ObjectStoreExt, ObjectStoreScheme,
    PutMode, PutOptions, RetryConfig, WriteMultipart,
};
use percent_encoding::percent_decode_str;
use tokio::runtime::{Builder, Runtime};
use upland_core::{Error, Result};
use url::Url;

use super::credentials;
use super::object::{Beginning, ObjectInfo, SCHEMES};
use super::reason::{no_credentials, reason, too_long};

/// Objects above this many bytes are written and read in parts of this length.
const PART: usize = 8 << 20;

/// Parts of one object that are on their way at the same time.
const PARTS: usize = 4;

/// Requests for beginnings that are on their way at the same time.
const REQUESTS: usize = 96;

/// The longest that a request may take. Parts are small, so that a longer one is a dead connection.
const TIMEOUT: Duration = Duration::from_secs(60);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How often and how long a request is tried again after the store was busy or the connection was lost.
const RETRIES: usize = 6;
const RETRY_TIMEOUT: Duration = Duration::from_secs(120);

/// The runtime of all requests of the process; an error if the system has no more threads.
static RUNTIME: LazyLock<std::io::Result<Runtime>> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(2).thread_name("store").enable_all().build());

pub(super) struct Remote {
    store: Arc<dyn ObjectStore>,
    /// The folder in the bucket.
    root: Key,
    scheme: String,
}

/// How long to wait before a body that was cut short is asked for again, the first time; twice as long each
/// time after that.
const FIRST_WAIT: Duration = Duration::from_millis(50);

type Outcome<T> = std::result::Result<T, String>;

impl Remote {
    pub(super) fn open(url: &Url, shown: &str) -> Result<Self> {
        let refused = |reason: String| Error::file(shown, reason);
        let Ok((kind, root)) = ObjectStoreScheme::parse(url) else {
            return Err(refused(format!("is not an address of a store; give a folder, or {SCHEMES}")));
        };
        install_ring();
        if kind != ObjectStoreScheme::Http && !credentials::may_exist(url.scheme()) {
            return Err(refused(no_credentials(url.scheme())));
        }
        let options = ClientOptions::new().with_timeout(TIMEOUT).with_connect_timeout(CONNECT_TIMEOUT);
        let retry =
            RetryConfig { max_retries: RETRIES, retry_timeout: RETRY_TIMEOUT, ..RetryConfig::default() };
        let scheme = url.scheme().to_owned();
        let address = url.as_str();
        let store = match kind {
            ObjectStoreScheme::AmazonS3 => {
                // A server on the own machine or network often has no certificate, and its address says so.
                let is_plain = ["AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"]
                    .iter()
                    .any(|name| std::env::var(name).is_ok_and(|endpoint| endpoint.starts_with("http://")));
                let builder = AmazonS3Builder::from_env().with_url(address).with_retry(retry);
                let options = options.with_allow_http(is_plain);
                shared(builder.with_client_options(options).build())
            }
            ObjectStoreScheme::GoogleCloudStorage => {
                let builder = GoogleCloudStorageBuilder::from_env().with_url(address).with_retry(retry);
                let options = options.with_allow_http(is_set("GOOGLE_ALLOW_HTTP"));
                shared(builder.with_client_options(options).build())
            }
            ObjectStoreScheme::MicrosoftAzure => {
                let builder = MicrosoftAzureBuilder::from_env().with_url(address).with_retry(retry);
                let options = options.with_allow_http(is_set("AZURE_ALLOW_HTTP"));
                shared(builder.with_client_options(options).build())
            }
            ObjectStoreScheme::Http => {
                let host = &url[..url::Position::BeforePath];
                let options = options.with_allow_http(scheme == "http");
                shared(
                    HttpBuilder::new().with_url(host).with_retry(retry).with_client_options(options).build(),
                )
            }
            _ => return Err(refused(format!("is not an address of a store; give a folder, or {SCHEMES}"))),
        };
        let store = store.map_err(|error| refused(reason(&error, &scheme)))?;
        Ok(Self { store, root, scheme })
    }

    /// A store in memory, for tests.
    #[cfg(test)]
    pub(super) fn in_memory() -> Self {
        let store = Arc::new(object_store::memory::InMemory::new());
        Self { store, root: Key::from("große berge"), scheme: "s3".into() }
    }

    /// The same objects.
    #[cfg(test)]
    pub(super) fn twin(&self) -> Self {
        Self { store: self.store.clone(), root: self.root.clone(), scheme: self.scheme.clone() }
    }

    fn key(&self, key: &str) -> Key {
        let names = self.root.parts().map(|part| part.as_ref().to_owned()).collect::<Vec<_>>();
        // Names of the root are encoded already, those of the key are not.
        let root = Key::parse(names.join("/")).unwrap_or_else(|_| self.root.clone());
        key.split('/').filter(|name| !name.is_empty()).fold(root, |path, name| path.join(name))
    }

    fn run<T>(&self, request: impl Future<Output = object_store::Result<T>>) -> Outcome<Found<T>> {
        let runtime = RUNTIME.as_ref().map_err(|error| {
            format!(
                "no thread can be started for requests: {error}; end other programs and run the command again"
            )
        })?;
        match runtime.block_on(request) {
            Ok(value) => Ok(Found::Yes(value)),
            Err(StoreError::NotFound { source, .. }) if !source.to_string().contains("NoSuchBucket") => {
                Ok(Found::No)
            }
            Err(StoreError::AlreadyExists { .. } | StoreError::Precondition { .. }) => Ok(Found::Already),
            Err(error) => Err(match error {
                StoreError::NotFound { .. } => {
                    "there is no such bucket; create it, or correct the address".into()
                }
                error => reason(&error, &self.scheme),
            }),
        }
    }

    fn check_writable(&self) -> Outcome<()> {
        if self.scheme.starts_with("http") && self.store.to_string().starts_with("HttpStore") {
            return Err(format!("a web server can only be read; to write, give {SCHEMES}"));
        }
        Ok(())
    }

    pub(super) fn get(&self, key: &str, most: u64) -> Outcome<Option<Vec<u8>>> {
        let path = self.key(key);
        let first = GetOptions { range: Some(GetRange::Bounded(0..PART as u64)), ..GetOptions::default() };
        let found = self.run(async {
            // An empty object has no ranges, and the store says so in its own way: then all of it is asked
            // for.
            let Beginning { mut bytes, size: whole } = match self.body(&path, first, most).await {
                Err(StoreError::NotFound { path, source }) => {
                    return Err(StoreError::NotFound { path, source });
                }
                Err(_) => self.body(&path, GetOptions::default(), most).await?,
                Ok(got) => got,
            };
            if whole > most {
                return Ok(None);
            }
            let from = bytes.len() as u64;
            let ranges = (from..whole).step_by(PART).map(|from| from..whole.min(from + PART as u64));
            let part = |range| async {
                let options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
                Ok::<_, StoreError>(self.body(&path, options, u64::MAX).await?.bytes)
            };
            let parts = futures_util::stream::iter(ranges).map(part).buffered(PARTS);
            let parts: Vec<_> = parts.try_collect().await?;
            parts.iter().for_each(|part| bytes.extend_from_slice(part));
            Ok(Some(bytes))
        })?;
        match found {
            Found::Yes(Some(bytes)) => Ok(Some(bytes)),
            Found::Yes(None) => Err(too_long(most)),
            _ => Ok(None),
        }
    }

    pub(super) fn get_range(&self, key: &str, from: u64, length: u64) -> Outcome<Option<Vec<u8>>> {
        let path = self.key(key);
        Ok(self.run(self.range(&path, from, length))?.yes())
    }

    /// The bytes that are asked for, unless the object has more than `most`. The library asks again where
    /// there is no answer, but not where one is cut short.
    async fn body(&self, path: &Key, options: GetOptions, most: u64) -> object_store::Result<Beginning> {
        let (mut wait, mut tried) = (FIRST_WAIT, 0);
        loop {
            let got = self.store.get_opts(path, options.clone()).await?;
            let size = got.meta.size;
            if size > most {
                return Ok(Beginning { bytes: Vec::new(), size });
            }
            match got.bytes().await {
                Ok(bytes) => return Ok(Beginning { bytes: bytes.to_vec(), size }),
                Err(error) if tried == RETRIES => return Err(error),
                Err(_) => tokio::time::sleep(wait).await,
            }
            (wait, tried) = (2 * wait, tried + 1);
        }
    }

    async fn range(&self, path: &Key, from: u64, length: u64) -> object_store::Result<Vec<u8>> {
        let range = Some(GetRange::Bounded(from..from.saturating_add(length)));
        match self.body(path, GetOptions { range, ..GetOptions::default() }, u64::MAX).await {
            Ok(got) => Ok(got.bytes),
            Err(StoreError::NotFound { path, source }) => Err(StoreError::NotFound { path, source }),
            Err(error) => {
                // Stores refuse a range that begins at the object's end or beyond it.
                let about = self.store.head(path).await?;
                if about.size <= from { Ok(Vec::new()) } else { Err(error) }
            }
        }
    }

    pub(super) fn beginnings(
        &self,
        keys: &[&str],
        length: u64,
    ) -> std::result::Result<Vec<Option<Beginning>>, (String, String)> {
        let paths: Vec<Key> = keys.iter().map(|key| self.key(key)).collect();
        let requests = paths.iter().map(|path| async move {
            let range = Some(GetRange::Bounded(0..length));
            match self.body(path, GetOptions { range, ..GetOptions::default() }, u64::MAX).await {
                Ok(got) => Ok(Some(got)),
                Err(StoreError::NotFound { .. }) => Ok(None),
                Err(error) => match self.store.head(path).await {
                    // An empty object has no ranges.
                    Ok(about) if about.size == 0 => Ok(Some(Beginning { bytes: Vec::new(), size: 0 })),
                    _ => Err(error),
                },
            }
        });
        let all = futures_util::stream::iter(requests).buffered(REQUESTS).try_collect::<Vec<_>>();
        let got = self.run(all).map_err(|reason| (String::new(), reason))?;
        Ok(got.yes().unwrap_or_default())
    }

    pub(super) fn list(&self, folder: &str) -> Outcome<Vec<ObjectInfo>> {
        let prefix = self.key(folder);
        let skipped = self.root.parts().count();
        let objects = self.run(self.store.list(Some(&prefix)).try_collect::<Vec<_>>())?;
        let named = objects.yes().unwrap_or_default().into_iter().map(|object| {
            let names = object.location.parts().skip(skipped).map(|part| decoded(part.as_ref()));
            ObjectInfo { key: names.collect::<Vec<_>>().join("/"), bytes: object.size }
        });
        Ok(named.collect())
    }

    pub(super) fn put(&self, key: &str, bytes: Vec<u8>) -> Outcome<()> {
        self.check_writable()?;
        let path = self.key(key);
        if bytes.len() <= PART {
            let payload = bytes::Bytes::from(bytes);
            self.run(self.store.put(&path, payload.into())).map(|_| ())
        } else {
            let mut rest = &bytes[..];
            self.upload(&path, &mut |length| {
                let (part, after) = rest.split_at(length.min(rest.len()));
                rest = after;
                Ok(part.to_vec())
            })
        }
    }

    pub(super) fn put_file(&self, key: &str, path: &Path) -> Outcome<()> {
        self.check_writable()?;
        let mut file = File::open(path).map_err(|error| error.to_string())?;
        self.upload(&self.key(key), &mut |length| {
            let mut part = Vec::new();
            file.by_ref().take(length as u64).read_to_end(&mut part)?;
            Ok(part)
        })
    }

    /// Writes what `next` returns, up to a length at a time, until that is empty.
    fn upload(&self, path: &Key, next: &mut dyn FnMut(usize) -> std::io::Result<Vec<u8>>) -> Outcome<()> {
        self.run(async {
            let upload = self.store.put_multipart(path).await?;
            let mut upload = WriteMultipart::new_with_chunk_size(upload, PART);
            loop {
                let part = next(PART)
                    .map_err(|error| StoreError::Generic { store: "file", source: Box::new(error) });
                match part {
                    Ok(part) if part.is_empty() => break,
                    Ok(part) => {
                        upload.wait_for_capacity(PARTS).await?;
                        upload.write(&part);
                    }
                    Err(error) => {
                        upload.abort().await?;
                        return Err(error);
                    }
                }
            }
            upload.finish().await
        })
        .map(|_| ())
    }

    pub(super) fn create(&self, key: &str, bytes: Vec<u8>) -> Outcome<bool> {
        self.check_writable()?;
        let path = self.key(key);
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        let payload = bytes::Bytes::from(bytes);
        Ok(matches!(self.run(self.store.put_opts(&path, payload.into(), options))?, Found::Yes(_)))
    }

    pub(super) fn remove(&self, key: &str) -> Outcome<()> {
        self.check_writable()?;
        let path = self.key(key);
        self.run(self.store.delete(&path)).map(|_| ())
    }
}

/// What a request has found.
enum Found<T> {
    Yes(T),
    No,
    /// An object is there that shouldn't be.
    Already,
}

impl<T> Found<T> {
    fn yes(self) -> Option<T> {
        match self {
            Self::Yes(value) => Some(value),
            Self::No | Self::Already => None,
        }
    }
}

fn shared<S: ObjectStore>(built: object_store::Result<S>) -> object_store::Result<Arc<dyn ObjectStore>> {
    built.map(|store| Arc::new(store) as _)
}

/// Whether a variable of the environment says yes.
fn is_set(name: &str) -> bool {
    std::env::var(name).is_ok_and(|value| value.eq_ignore_ascii_case("true") || value == "1")
}

/// Makes `ring` the process's cryptography for TLS, unless another part of the program has chosen one.
fn install_ring() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| _ = rustls::crypto::ring::default_provider().install_default());
}

/// A name as it was before `object_store` encoded it.
fn decoded(name: &str) -> String {
    percent_decode_str(name).decode_utf8().map_or_else(|_| name.to_owned(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_written_whole_and_read_in_parts() {
        let store = Remote::in_memory();
        let large: Vec<u8> = (0..3 * PART + 7).map(|index| (index % 251) as u8).collect();
        store.put("heights/größe 1.tif", large.clone()).unwrap();
        store.put("plan.json", b"{}".to_vec()).unwrap();
        store.put("empty", Vec::new()).unwrap();
        assert!(store.get("heights/größe 1.tif", 1 << 30).unwrap().unwrap() == large);
        assert_eq!(store.get("empty", 9).unwrap().unwrap(), b"");
        assert!(store.get("heights/größe 1.tif", 99).unwrap_err().contains("more than 99 bytes"));
        assert_eq!(store.get("none", 9).unwrap(), None);
        assert_eq!(store.get_range("plan.json", 1, 9).unwrap().unwrap(), b"}");
        assert_eq!(store.get_range("plan.json", 2, 9).unwrap().unwrap(), b"");
        let listed = store.list("heights").unwrap();
        assert_eq!(listed, [ObjectInfo { key: "heights/größe 1.tif".into(), bytes: large.len() as u64 }]);
        assert_eq!(store.list("").unwrap().len(), 3);
        let begun = store.beginnings(&["plan.json", "none"], 1).unwrap();
        assert_eq!(begun, [Some(Beginning { bytes: b"{".to_vec(), size: 2 }), None]);
        store.remove("plan.json").unwrap();
        assert_eq!(store.get("plan.json", 9).unwrap(), None);
    }

    #[test]
    fn an_object_is_created_once() {
        let store = Remote::in_memory();
        assert!(store.create("plan.json", b"first".to_vec()).unwrap());
        assert!(!store.create("plan.json", b"second".to_vec()).unwrap());
        assert_eq!(store.get("plan.json", 9).unwrap().unwrap(), b"first");
    }
}
