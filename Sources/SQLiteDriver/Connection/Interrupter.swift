internal import CSQLite
internal import Synchronization

/// Interrupts its connection, from any thread.
///
/// The running statement ends with `SQLITE_INTERRUPT` at the next opportunity; SQLite rolls back an
/// interrupted write. This has no effect if no statement runs, or if the connection is closed.
package final class Interrupter: Sendable {
  /// The address of the open connection.
  ///
  /// The lock prevents closing during an interruption.
  private let address: Mutex<UInt>

  init(_ handle: OpaquePointer) { address = Mutex(UInt(bitPattern: handle)) }

  /// Interrupts the running statement.
  package func interrupt() {
    address.withLock { address in
      guard let handle = unsafe OpaquePointer(bitPattern: address) else { return }
      unsafe sqlite3_interrupt(handle)
    }
  }

  /// Clears the address; called before the connection is freed.
  func disable() { address.withLock { $0 = 0 } }

  /// Restores the address if the connection could not be closed.
  func enable(_ handle: OpaquePointer) {
    let bits = UInt(bitPattern: handle)
    address.withLock { $0 = bits }
  }
}
