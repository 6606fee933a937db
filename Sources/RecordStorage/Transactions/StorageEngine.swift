/// A store of keys and bytes, in the order of the keys, that is read and written in transactions.
///
/// What every engine promises, and `RecordStorageConformance` tests:
///
/// - A **read** sees one state of the store from its beginning to its end, whatever others write
///   meanwhile, and at least all writes that were acknowledged before it was asked for.
/// - A **write** is kept whole or not at all, sees its own changes, and happens as if no other
///   write went on at the same time. The call returns after what was written is safe from the end
///   of the process and of the machine.
/// - What a body throws ends its transaction without effect and is what the call throws. So does an
///   operation of the engine that failed, even where the body caught its error (except `tooLong`,
///   which is refused before anything happens).
/// - A task that is cancelled before its body began gets `CancellationError`, and nothing happens.
///   A body that began is not stopped.
///
/// A body is synchronous and runs wherever the engine wants. It must have no effect but by its
/// transaction, since an engine may run it again after a conflict, and must not let the transaction
/// escape.
package protocol StorageEngine: AnyObject, Sendable {
  /// Reads one state of the store.
  ///
  /// - Parameter partition: The partition of all keys that are read, where there is only one: a
  ///   distributed engine then asks one machine. It changes no result.
  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result

  /// Changes the store, and returns when the change is durable.
  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result

  /// Changes the store, makes something of what the body gives, and returns it when the change is
  /// durable.
  ///
  /// An engine that waits for a disk meanwhile calls `making` before the change is kept, and gives
  /// nothing out where it is not. It calls it once, and not where the body throws.
  func write<Result: Sendable, Made>(
    in partition: String?, making: (Result) -> Made,
    _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Made

  /// Whether the store is what a backup was, in the place of what it had come to, and nobody has
  /// ended the restoration.
  ///
  /// Whoever opens it as its server has to see to what clients know of the state that is lost.
  var isRestored: Bool { get }

  /// Notes that all was done that a restoration asks for; it outlives the end of the process and of
  /// the machine.
  func endRestoration() async throws

  /// Reserves room on the disk for writes that remove something, if there is enough; what is
  /// reserved already stays.
  func reserveRoom() async throws

  /// Gives the reserved room to the next writes.
  ///
  /// - Returns: Whether there was any.
  func releaseReservedRoom() async throws -> Bool

  /// Ends the store: what was asked for before is done, and whatever is asked for later fails with
  /// `closed`.
  ///
  /// Closing twice is allowed.
  func close() async
}

extension StorageEngine {
  /// For engines that have no backups.
  package var isRestored: Bool { false }

  /// For engines that have no backups.
  package func endRestoration() async throws {}

  /// For engines that no disk can be too small for.
  package func reserveRoom() async throws {}

  /// For engines that no disk can be too small for.
  package func releaseReservedRoom() async throws -> Bool { false }

  /// Makes something of what the body gives when the change is durable: for engines that wait for
  /// nothing.
  package func write<Result: Sendable, Made>(
    in partition: String?, making: (Result) -> Made,
    _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Made {
    making(try await write(in: partition, body))
  }

  /// Reads one state of the store, of any number of partitions.
  package func read<Result: Sendable>(
    _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    try await read(in: nil, body)
  }

  /// Changes any number of partitions.
  package func write<Result: Sendable>(
    _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    try await write(in: nil, body)
  }
}
