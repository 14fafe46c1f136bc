//! Words for the health of tools and for breakers.
//!
//! Must not know: how either is measured.

use super::many;
use overrule_base::text::visible;
use overrule_domain::breaker::Breaker;
use overrule_domain::call::ErrorClass;
use overrule_resilience::health::ToolHealth;

/// Describes the executions of a tool, or of several together: how they ended, and how long they took.
pub fn describe(health: &ToolHealth) -> String {
    let executions = many(health.executions() as usize, "execution");
    let mut words = format!("{} of {executions} succeeded", health.succeeded);
    for (class, count) in &health.failed {
        words = format!("{words}, {count} {}", ErrorClass::label(*class));
    }
    if health.retries > 0 {
        words = format!("{words}; {} again", health.retries);
    }
    let of = |percent| health.latency(percent).unwrap_or(0);
    format!(
        "{words}; half within {} ms, 95 of 100 within {} ms",
        of(50),
        of(95)
    )
}

/// Describes a breaker that has changed.
pub fn describe_breaker(breaker: &Breaker) -> String {
    format!(
        "breaker {}, opened {}: {}",
        breaker.phase.label(),
        many(breaker.trips as usize, "time"),
        visible(&breaker.why)
    )
}
