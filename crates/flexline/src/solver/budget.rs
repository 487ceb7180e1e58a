//! Budgets: until when work may go on, and whether anybody still wants it.
//!
//! Who asks for work says so once, around all of it: [`Budget::around`]. Whatever is solved inside, on the same thread,
//! looks at the budget once per iteration and ends early with its last good state and [`Status::OutOfTime`] or
//! [`Status::Cancelled`]. No solver takes a budget as an argument, so that none can forget to pass it on.

use super::report::Status;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

thread_local! {
    /// The budgets around what this thread does, the outermost first; deadlines are the earliest so far.
    static AROUND: RefCell<Vec<Budget>> = const { RefCell::new(Vec::new()) };
}

/// A flag by which work is ended from elsewhere; clones are the same flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Ends the work that looks at this flag, soon and for good.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was ended.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What work may take. The default bounds nothing.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    cancel: Option<Cancel>,
}

impl Budget {
    /// So much time, from now on.
    pub fn lasting(time: Duration) -> Self {
        Self { deadline: Instant::now().checked_add(time), cancel: None }
    }

    /// Until somebody ends it.
    pub fn until(cancel: &Cancel) -> Self {
        Self { deadline: None, cancel: Some(cancel.clone()) }
    }

    /// Does work within this budget, and within those around it.
    pub fn around<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Takes the budget off again, however the work ends.
        struct Inside;
        impl Drop for Inside {
            fn drop(&mut self) {
                AROUND.with_borrow_mut(|all| drop(all.pop()));
            }
        }
        AROUND.with_borrow_mut(|all| {
            let outer = all.last().and_then(|outer| outer.deadline);
            let deadline = outer.into_iter().chain(self.deadline).min();
            all.push(Self { deadline, cancel: self.cancel.clone() });
        });
        let _inside = Inside;
        work()
    }
}

/// How work must end now, where a budget around it is spent.
pub fn stop() -> Option<Status> {
    AROUND.with_borrow(|all| {
        let innermost = all.last()?;
        if all.iter().any(|own| own.cancel.as_ref().is_some_and(Cancel::is_cancelled)) {
            return Some(Status::Cancelled);
        }
        let deadline = innermost.deadline?;
        (Instant::now() >= deadline).then_some(Status::OutOfTime)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_nest_and_end_with_their_work() {
        assert_eq!(stop(), None);
        let cancel = Cancel::default();
        let hour = Budget::lasting(Duration::from_secs(3600));
        Budget::until(&cancel).around(|| {
            hour.around(|| assert_eq!(stop(), None));
            // The earliest deadline counts, and an inner one gives no more time.
            Budget::lasting(Duration::ZERO).around(|| {
                assert_eq!(stop(), Some(Status::OutOfTime));
                hour.around(|| assert_eq!(stop(), Some(Status::OutOfTime)));
            });
            assert_eq!(stop(), None);
            cancel.cancel();
            // Whoever was cancelled is, however much time is left.
            hour.around(|| assert_eq!(stop(), Some(Status::Cancelled)));
        });
        assert_eq!(stop(), None);
        // A panic inside leaves nothing behind.
        let panicked =
            std::panic::catch_unwind(|| Budget::lasting(Duration::ZERO).around(|| panic!("inside")));
        assert!(panicked.is_err());
        assert_eq!(stop(), None);
    }
}
