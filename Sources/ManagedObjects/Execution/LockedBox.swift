import Synchronization

/// A value behind a mutex, for types whose transfer between threads the compiler cannot check.
///
/// The result of a closure must not be modified outside the lock.
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

// Sendable: it is accessed within a mutex, or is being returned from one.
/// The value that a mutex protects.
struct LockedValue<Value>: @unchecked Sendable {
  var value: Value
}
