/// A transactional store of ordered keys and byte values.
///
/// Every engine guarantees, and `RecordStorageConformance` tests:
///
/// - A **read** sees one snapshot of the store, despite concurrent writes. The snapshot contains at
///   least all writes that were acknowledged before the call.
/// - A **write** is atomic, serializable, and sees its own changes. The call returns once they are
///   durable across a crash of the process or the machine.
/// - An error that a body throws rolls back its transaction and is rethrown. So is an error of an
///   engine operation, even if the body caught it (except `tooLong`, which is thrown before
///   anything happens).
/// - A task that is cancelled before its body starts gets `CancellationError` without effect. A
///   running body is not interrupted.
///
/// Bodies are synchronous and run on any thread. A body must have no effect except through its
/// transaction, because an engine may repeat it after a conflict, and it must not let the
/// transaction escape.
package protocol StorageEngine: AnyObject, Sendable {
  /// Reads one snapshot of the store.
  ///
  /// - Parameter partition: The partition of all keys that are read, if there is only one: a
  ///   distributed engine then asks one machine. The parameter never changes the result.
  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result

  /// Changes the store, and returns when the change is durable.
  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result

  /// Changes the store, transforms the body's result, and returns when the change is durable.
  ///
  /// An engine that waits for a disk calls `making` while the commit is in progress, and discards
  /// the value if the commit fails. It calls `making` once, or never if the body throws.
  func write<Result: Sendable, Made>(
    in partition: String?, making: (Result) -> Made,
    _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Made

  /// Whether the store was restored from a backup and the restoration has not been ended.
  ///
  /// A server that opens a restored store must handle clients that know a later, lost state.
  var isRestored: Bool { get }

  /// Records durably that all work after a restoration is done.
  func endRestoration() async throws

  /// Reserves disk space for writes that remove something, if enough is free.
  ///
  /// An existing reserve stays.
  func reserveRoom() async throws

  /// Releases the reserved space for the next writes.
  ///
  /// - Returns: Whether there was a reserve.
  func releaseReservedRoom() async throws -> Bool

  /// Closes the store.
  ///
  /// Earlier calls complete; later ones fail with `closed`. Closing twice is allowed.
  func close() async
}

extension StorageEngine {
  /// The default for engines without backups.
  package var isRestored: Bool { false }

  /// The default for engines without backups.
  package func endRestoration() async throws {}

  /// The default for engines that do not use a disk.
  package func reserveRoom() async throws {}

  /// The default for engines that do not use a disk.
  package func releaseReservedRoom() async throws -> Bool { false }

  /// The default for engines whose commits do not wait.
  package func write<Result: Sendable, Made>(
    in partition: String?, making: (Result) -> Made,
    _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Made {
    making(try await write(in: partition, body))
  }

  /// Reads one snapshot of the store, across any number of partitions.
  package func read<Result: Sendable>(
    _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    try await read(in: nil, body)
  }

  /// Changes the store, across any number of partitions.
  package func write<Result: Sendable>(
    _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    try await write(in: nil, body)
  }
}
