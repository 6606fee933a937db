internal import CSQLite
internal import Synchronization

/// Stops what its connection is doing, from any thread.
///
/// The running statement ends with `SQLITE_INTERRUPT` at the next opportunity; a write among them
/// is rolled back by SQLite. Nothing happens when no statement runs, or when the connection is
/// closed already.
package final class Interrupter: Sendable {
  /// The address of the open connection.
  ///
  /// The lock keeps it from being closed while an interruption is under way.
  private let address: Mutex<UInt>

  init(_ handle: OpaquePointer) { address = Mutex(UInt(bitPattern: handle)) }

  /// Asks the running statement to stop.
  package func interrupt() {
    address.withLock { address in
      guard let handle = unsafe OpaquePointer(bitPattern: address) else { return }
      unsafe sqlite3_interrupt(handle)
    }
  }

  /// Forgets the connection.
  ///
  /// Called before it is freed.
  func disable() { address.withLock { $0 = 0 } }

  /// Knows the connection again, when it could not be closed.
  func enable(_ handle: OpaquePointer) {
    let bits = UInt(bitPattern: handle)
    address.withLock { $0 = bits }
  }
}
