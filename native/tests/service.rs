//! `concord search` and `concord serve` on real vaults, run and asked as a user does.

#[path = "service/answers.rs"]
mod answers;
#[path = "service/gateway.rs"]
mod gateway;
#[path = "service/identifiers.rs"]
mod identifiers;
#[path = "service/order.rs"]
mod order;
#[path = "service/refusals.rs"]
mod refusals;
#[path = "service/server.rs"]
mod server;
