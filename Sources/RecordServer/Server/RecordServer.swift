package import CloudRecords
package import RecordStorage

/// The record server: handles all requests, on top of any storage engine.
///
/// It has no sockets, SQL or clock of its own. Each operation has a file; it uses one transaction
/// of the storage (long reads use several), decides by pure functions, and returns a value.
package final class RecordServer: Sendable {
  package let engine: any StorageEngine
  package let dependencies: ServerDependencies
  /// Creates the addresses of files.
  let addresses: any AssetAddresses
  /// Verifies that files were uploaded.
  let receipts: any AssetReceipts
  /// Seals values that clients marked as encrypted.
  let sealer: ValueSealer
  /// Is notified of every committed change.
  let listener: (any ChangeListener)?
  let parsedSchemas = ParsedSchemas()
  let indexSuggestions = IndexSuggestions()
  let unreferencedFiles = UnreferencedFiles()
  /// The semaphore of long reads.
  let readingTurns = FairSemaphore(places: ServerLimits.slicesAtOnce)
  let pausedBytes: PausedBytes

  /// Creates a server over a storage engine.
  package init(
    engine: any StorageEngine, dependencies: ServerDependencies, addresses: any AssetAddresses,
    receipts: any AssetReceipts, sealer: ValueSealer, listener: (any ChangeListener)? = nil
  ) {
    self.engine = engine
    self.dependencies = dependencies
    self.addresses = addresses
    self.receipts = receipts
    self.sealer = sealer
    self.listener = listener
    pausedBytes = PausedBytes(dependencies.limits.reading)
  }

  var limits: ServiceLimits { dependencies.limits }
}

// MARK: - Transactions

extension RecordServer {
  /// Throws if the storage cannot be read.
  package func checkStorage() async throws(CloudError) {
    _ = try await read(nil) { transaction in try transaction.entries(in: .all, limit: 1) }
  }

  /// Reads a snapshot of the storage.
  func read<Result: Sendable>(
    _ partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws(CloudError) -> Result {
    do {
      return try await engine.read(in: partition, body)
    } catch {
      throw failure(error)
    }
  }

  /// Changes the storage, and returns when the change is durable.
  func write<Result: Sendable>(
    _ partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws(CloudError) -> Result {
    do {
      return try await engine.write(in: partition, body)
    } catch {
      throw failure(error)
    }
  }

  /// Changes the storage, encodes the response meanwhile, and returns when the change is durable.
  ///
  /// - Parameter onlyRemoves: Whether the change only removes records, so that it may use the
  ///   reserved space on a full disk.
  func write<Result: Sendable, Made>(
    _ partition: String?, onlyRemoves: Bool, making: (Result) -> Made,
    _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws(CloudError) -> Made {
    do {
      do {
        return try await engine.write(in: partition, making: making, body)
      } catch let error as StorageError where error.code == .full && onlyRemoves {
        guard try await engine.releaseReservedRoom() else { throw error }
        return try await engine.write(in: partition, making: making, body)
      }
    } catch {
      throw failure(error)
    }
  }

  /// Converts an error for the client, and reports its details to the operator.
  func failure(_ error: any Error) -> CloudError {
    let converted = CloudError(storageFailure: error)
    if !(error is CloudError), !(error is CancellationError) { dependencies.report(error) }
    return converted
  }
}

extension CloudError {
  /// Converts an error from the storage for a client.
  ///
  /// The caller logs the details.
  init(storageFailure error: any Error) {
    switch error {
    case let error as CloudError: self = error
    case let error as StorageError
    where [.busy, .conflict, .full, .unavailable].contains(error.code):
      self.init(
        .tryAgainLater, "The server's storage is busy, full or unavailable.", retryAfterSeconds: 2)
    case let error as StorageError where error.code == .tooLong:
      self.init(
        .badRequest, "A record or name is larger than the server can keep.",
        extension: .limitExceeded)
    case let error as StorageError where error.code == .closed:
      self.init(.tryAgainLater, "The server is being stopped.", retryAfterSeconds: 5)
    case is CancellationError:
      self.init(.tryAgainLater, "The request was cancelled.", retryAfterSeconds: 1)
    default: self.init(.internalError, "The server failed. See its log for details.")
    }
  }
}
