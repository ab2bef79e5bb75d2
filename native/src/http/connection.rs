//! Connections: how many there may be, and how long one may say nothing.
//!
//! A connection that sends its request slowly, or never, holds a place and no thread. Its request's
//! head must be there within [`HEAD_LIMIT`]; past [`MOST_CONNECTIONS`] a new one is told so and
//! closed. A program of this machine that opens a thousand and says nothing keeps others out for
//! that long and no longer.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// Past so many, a new connection is refused.
pub(crate) const MOST_CONNECTIONS: usize = 512;

/// A request's head must be there by then.
const HEAD_LIMIT: Duration = Duration::from_secs(10);

/// What is under way when the service ends gets this long.
const LAST_ANSWERS: Duration = Duration::from_secs(10);

/// What a connection too many is told.
const FULL: &str = r#"{"error":{"code":"too_many","message":"too many connections","hint":"try again in a moment","key":null,"request_id":""}}"#;

/// Serves until `end` comes, then lets what is under way finish.
pub(crate) async fn serve(listener: TcpListener, app: Router, end: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let under_way = GracefulShutdown::new();
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_LIMIT);
    tokio::pin!(end);
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Out of file handles, or a client that left at once.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = &mut end => break,
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            tokio::spawn(turn_away(stream));
            continue;
        };
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(app.clone());
        let connection = under_way.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            // How a connection ends is its client's affair.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(LAST_ANSWERS, under_way.shutdown()).await;
}

async fn turn_away(mut stream: TcpStream) {
    let length = FULL.len();
    let told = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n\
         connection: close\r\ncontent-length: {length}\r\n\r\n{FULL}"
    );
    let telling = async {
        stream.write_all(told.as_bytes()).await?;
        stream.shutdown().await
    };
    let _ = tokio::time::timeout(Duration::from_secs(1), telling).await;
}
