package import CloudRecords
package import RecordStorage

/// The record server: what every request means, over any storage.
///
/// It has no sockets, no SQL and no clock of its own. Each operation has a file; all of them read
/// or write in one transaction of the storage, decide by pure functions, and answer with a value.
package final class RecordServer: Sendable {
  package let engine: any StorageEngine
  package let environment: ServerEnvironment
  let addresses: any AssetAddresses
  let receipts: any AssetReceipts
  let sealer: ValueSealer
  let listener: (any ChangeListener)?
  let parsedSchemas = ParsedSchemas()
  let wishes = IndexSuggestions()
  let unheldFiles = UnreferencedFiles()
  /// The turns of requests that read for long.
  let readingTurns = FairSemaphore(places: ServerLimits.slicesAtOnce)
  let pausedBytes: PausedBytes

  /// - Parameters:
  ///   - addresses: Makes the addresses of files.
  ///   - receipts: Knows which files were uploaded.
  ///   - sealer: Seals values that clients marked as encrypted.
  ///   - listener: Is told of every change that was stored.
  package init(
    engine: any StorageEngine, environment: ServerEnvironment, addresses: any AssetAddresses,
    receipts: any AssetReceipts, sealer: ValueSealer, listener: (any ChangeListener)? = nil
  ) {
    self.engine = engine
    self.environment = environment
    self.addresses = addresses
    self.receipts = receipts
    self.sealer = sealer
    self.listener = listener
    pausedBytes = PausedBytes(environment.limits.reading)
  }

  var limits: ServiceLimits { environment.limits }
}

// MARK: - Transactions

extension RecordServer {
  /// Sees that the storage can be read.
  package func checkStorage() async throws(CloudError) {
    _ = try await read(nil) { transaction in try transaction.entries(in: .all, limit: 1) }
  }

  /// Reads one state of the storage.
  func read<Result: Sendable>(
    _ partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws(CloudError) -> Result {
    do {
      return try await engine.read(in: partition, body)
    } catch {
      throw failure(error)
    }
  }

  /// Changes the storage, and returns when the change cannot be lost any more.
  func write<Result: Sendable>(
    _ partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws(CloudError) -> Result {
    do {
      return try await engine.write(in: partition, body)
    } catch {
      throw failure(error)
    }
  }

  /// Changes the storage, makes an answer meanwhile, and returns when the change cannot be lost any
  /// more.
  ///
  /// - Parameter onlyRemoves: Whether the change removes records alone, and so goes through on a
  ///   full disk, too, if room was reserved.
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

  /// What a client is told; what it is not told goes to the operator.
  private func failure(_ error: any Error) -> CloudError {
    let told = CloudError(storageFailure: error)
    if !(error is CloudError), !(error is CancellationError) { environment.report(error) }
    return told
  }
}

extension CloudError {
  /// What a client is told of a failure below the server's own decisions.
  ///
  /// The operator's log has the rest.
  init(storageFailure error: any Error) {
    switch error {
    case let error as CloudError: self = error
    case let error as StorageError
    where [.busy, .conflict, .full, .unavailable].contains(error.code):
      self.init(
        .tryAgainLater, "The server cannot reach its storage at the moment.", retryAfterSeconds: 2)
    case let error as StorageError where error.code == .tooLong:
      self.init(
        .badRequest, "A record or name is larger than the server can keep.",
        extension: .limitExceeded)
    case let error as StorageError where error.code == .closed:
      self.init(.tryAgainLater, "The server is being stopped.", retryAfterSeconds: 5)
    case is CancellationError:
      self.init(.tryAgainLater, "The request was given up.", retryAfterSeconds: 1)
    default: self.init(.internalError, "The server failed. Its log says more.")
    }
  }
}
