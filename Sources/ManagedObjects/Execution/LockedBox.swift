import Synchronization

/// A value behind a mutex, for values that the compiler cannot follow from thread to thread by
/// itself.
///
/// What a closure returns must not be changed outside of the lock.
struct LockedBox<Value>: ~Copyable, Sendable {
  private let mutex: Mutex<LockedValue<Value>>

  init(_ value: Value) {
    mutex = Mutex(LockedValue(value: value))
  }

  borrowing func withLock<Content, Failure>(
    _ body: (inout Value) throws(Failure) -> Content
  ) throws(Failure) -> Content {
    try mutex.withLock { guarded throws(Failure) in LockedValue(value: try body(&guarded.value)) }
      .value
  }
}

// Sendable: it is touched within a mutex, or is on its way out of one.
/// What a mutex guards.
struct LockedValue<Value>: @unchecked Sendable {
  var value: Value
}
