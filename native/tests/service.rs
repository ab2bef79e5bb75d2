//! `concord search` and `concord serve` on real vaults, run and asked as a user does.

#[path = "service/answers.rs"]
mod answers;
#[path = "service/compose.rs"]
mod compose;
#[path = "service/draft.rs"]
mod draft;
#[path = "service/gateway.rs"]
mod gateway;
#[path = "service/identifiers.rs"]
mod identifiers;
#[path = "service/order.rs"]
mod order;
#[path = "service/refusals.rs"]
mod refusals;
#[path = "service/rx.rs"]
mod rx;
#[path = "service/server.rs"]
mod server;
