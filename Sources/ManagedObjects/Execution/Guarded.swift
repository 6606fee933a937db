import Synchronization

/// A value behind a mutex, for values that the compiler cannot follow from thread to thread by itself.
///
/// What a closure returns must not be changed outside of the lock.
struct Guarded<Value>: ~Copyable, Sendable {
  private let mutex: Mutex<GuardedValue<Value>>

  init(_ value: Value) {
    mutex = Mutex(GuardedValue(value: value))
  }

  borrowing func withLock<Content, Failure>(
    _ body: (inout Value) throws(Failure) -> Content
  ) throws(Failure) -> Content {
    try mutex.withLock { guarded throws(Failure) in GuardedValue(value: try body(&guarded.value)) }.value
  }
}

// Sendable: it is touched within a mutex, or is on its way out of one.
/// What a mutex guards.
struct GuardedValue<Value>: @unchecked Sendable {
  var value: Value
}
