//! A web server of the loopback for a folder's files: whole, or ranges of them. It can also refuse, be busy
//! and lose connections.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use percent_encoding::percent_decode_str;

/// A server that answers until it is dropped.
pub(crate) struct Server {
    port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    root: PathBuf,
    refuses: AtomicBool,
    is_unreliable: AtomicBool,
    answers: AtomicUsize,
    has_ended: AtomicBool,
    /// The paths that were asked for.
    asked: Mutex<Vec<String>>,
}

impl Server {
    pub(crate) fn start(root: &Path) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            root: root.to_owned(),
            refuses: AtomicBool::new(false),
            is_unreliable: AtomicBool::new(false),
            answers: AtomicUsize::new(0),
            has_ended: AtomicBool::new(false),
            asked: Mutex::default(),
        });
        let own = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if own.has_ended.load(Ordering::Relaxed) {
                    return;
                }
                let shared = own.clone();
                // A connection that ends early is the client's business.
                std::thread::spawn(move || _ = shared.answer(stream));
            }
        });
        Self { port, shared }
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// From now on, everything is refused.
    pub(crate) fn refuse(&self) {
        self.shared.refuses.store(true, Ordering::Relaxed);
    }

    /// From now on, of three answers one comes, one is cut short and one says that the server is busy.
    pub(crate) fn be_unreliable(&self) {
        self.shared.is_unreliable.store(true, Ordering::Relaxed);
    }

    /// The paths that were asked for since the last call.
    pub(crate) fn take_asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.shared.asked.lock().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.has_ended.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for connections.
        _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

impl Shared {
    fn answer(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut lines = BufReader::new(stream.try_clone()?).lines();
        let request = lines.next().transpose()?.unwrap_or_default();
        let mut range = None;
        for line in lines.by_ref() {
            let line = line?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some((from, to)) =
                line.strip_prefix("range: bytes=").and_then(|range| range.split_once('-'))
            {
                range = from.parse::<usize>().ok().zip(to.parse::<usize>().ok());
            }
        }
        let mut words = request.split(' ');
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        self.asked.lock().unwrap().push(path.to_owned());
        let decoded = percent_decode_str(path).decode_utf8().unwrap();
        let file = decoded.split('/').fold(self.root.clone(), |path, name| path.join(name));
        let found = if file.is_file() { fs::read(file).ok() } else { None };
        let turn = match self.is_unreliable.load(Ordering::Relaxed) {
            true => self.answers.fetch_add(1, Ordering::Relaxed) % 3,
            false => 2,
        };
        if turn == 0 {
            write!(&stream, "HTTP/1.1 503 Slow Down\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")?;
            return Ok(());
        }
        let (status, extra, body) = match (self.refuses.load(Ordering::Relaxed), found, range) {
            (true, ..) => ("403 Forbidden", String::new(), Vec::new()),
            (_, None, _) => ("404 Not Found", String::new(), Vec::new()),
            (_, Some(bytes), None) => ("200 OK", String::new(), bytes),
            (_, Some(bytes), Some((from, _))) if from >= bytes.len() => (
                "416 Range Not Satisfiable",
                format!("Content-Range: bytes */{}\r\n", bytes.len()),
                Vec::new(),
            ),
            (_, Some(bytes), Some((from, to))) => {
                let end = (to + 1).min(bytes.len());
                let extra = format!("Content-Range: bytes {from}-{}/{}\r\n", end - 1, bytes.len());
                ("206 Partial Content", extra, bytes[from..end].to_vec())
            }
        };
        let mut stream = stream;
        write!(
            stream,
            "HTTP/1.1 {status}\r\nConnection: close\r\nAccept-Ranges: bytes\r\nContent-Length: {}\r\n{extra}\r\n",
            body.len()
        )?;
        if method != "HEAD" {
            let sent = if turn == 1 { body.len() / 2 } else { body.len() };
            stream.write_all(&body[..sent])?;
        }
        stream.flush()
    }
}
