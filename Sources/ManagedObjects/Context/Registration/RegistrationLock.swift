import Synchronization

/// Keeps a context's objects and the threads on which they go away apart.
///
/// An object may lose its last reference on any thread, while its context looks it up or goes away itself. All three
/// take the lock that the object names in its flags. Contexts share the locks in turn, so that an object can name one
/// that outlives its context.
final class RegistrationLock: Sendable {
  /// The number by which objects know the lock.
  let number: Int
  private let mutex = Mutex(())

  private init(number: Int) {
    self.number = number
  }

  @inline(__always)
  func withLock<Result>(_ body: () -> Result) -> Result {
    mutex.withLock { _ in body() }
  }

  /// The locks, by number.
  static let all = (0..<ObjectFlags.lockCount).map(RegistrationLock.init)

  private static let last = Atomic<Int>(0)

  /// The lock of a new context.
  static func next() -> RegistrationLock {
    all[last.add(1, ordering: .relaxed).newValue % ObjectFlags.lockCount]
  }
}

extension ObjectFlags {
  static let lockCount = 64
  private static let lockShift: UInt32 = 26

  /// The number of the lock under which the object leaves its context.
  var lockNumber: Int { Int(rawValue >> Self.lockShift) }

  /// The flags of an object that leaves its context under a lock.
  func naming(_ lock: RegistrationLock) -> ObjectFlags {
    ObjectFlags(rawValue: rawValue & (1 << Self.lockShift - 1) | UInt32(lock.number) << Self.lockShift)
  }
}
