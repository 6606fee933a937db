import CloudKitClient
import Dispatch
import Foundation
import ManagedObjects
import MirrorModel
import SyncKernel
import Synchronization

/// Schema initialization in a development environment.
extension MirroringCoordinator {
  func initializeSchema(_ options: NSPersistentCloudKitContainerSchemaInitializationOptions) throws
  {
    let engines = engines
    if engines.isEmpty { throw MirrorError.nothingMirrored.cocoaError(in: .setUp) }
    for engine in engines { try engine.initializeSchema(options) }
  }
}

extension MirrorEngine {
  fileprivate func initializeSchema(
    _ options: NSPersistentCloudKitContainerSchemaInitializationOptions
  ) throws {
    let samples = SchemaSamples(mirror.schema)
    if options.contains(.printSchema) { print(samples.text) }
    let zoneID = CKRecordZone.ID(zoneName: MirrorNames.sampleZone)
    let encoded = try samples.records(in: zoneID, staging: mirror.assets)
    defer { mirror.assets.remove(encoded.flatMap(\.files)) }
    guard !options.contains(.dryRun) else { return }
    let records = encoded.map(\.record)
    try waiting { [self] in
      let outcome = await queue.run { await self.setUpOnce() }
      if let failure = outcome.failure { throw failure.cocoaError(in: .setUp) }
      try await teach(records, zoneID, in: sampleDatabase)
    }
  }

  /// The user's private database, regardless of the database that the store is mirrored with.
  ///
  /// All databases of a container share one schema. In the public one, all users would see the
  /// samples; in the shared one, only owners make zones.
  private var sampleDatabase: CKDatabase {
    get throws {
      guard let user = try mirror.user else {
        throw MirrorError(
          .noAccount, "No user is signed in: the schema is learnt from a user's records."
        )
        .cocoaError(in: .setUp)
      }
      return mirror.container.privateCloudDatabase.only(for: user)
    }
  }

  /// Saves samples in a zone that is deleted afterwards.
  ///
  /// In the user's own zones, every device would convert the samples to objects.
  private func teach(_ records: [CKRecord], _ zoneID: CKRecordZone.ID, in database: CKDatabase)
    async throws
  {
    try await database.save(CKRecordZone(zoneID: zoneID))
    let results: Result<Void, any Error>
    do { results = .success(try await save(records, in: database)) } catch {
      results = .failure(error)
    }
    try await database.deleteRecordZone(withID: zoneID)
    try results.get()
  }

  private func save(_ records: [CKRecord], in database: CKDatabase) async throws {
    let results = try await database.modificationResults(saving: records, savePolicy: .allKeys)
    if let failure = results.saveResults.values.cause { throw failure }
  }

  /// Runs an asynchronous block while the caller waits, as Apple's method does.
  private func waiting(_ body: @escaping @Sendable () async throws -> Void) throws {
    let answer = Answer()
    Task.detached {
      do {
        try await body()
        answer.give(nil)
      } catch {
        answer.give(error)
      }
    }
    if let error = answer.wait() { throw error }
  }
}

/// The result of an operation for which a thread waits.
private final class Answer: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private let failure = Mutex<(any Error)?>(nil)

  func give(_ error: (any Error)?) {
    failure.withLock { $0 = error }
    done.signal()
  }

  func wait() -> (any Error)? {
    done.wait()
    return failure.withLock { $0 }
  }
}

extension Collection where Element == Result<CKRecord, any Error> {
  /// The first error that is not another record's; nil if all records were saved.
  fileprivate var cause: (any Error)? {
    let errors = compactMap { result -> (any Error)? in
      if case .failure(let error) = result { error } else { nil }
    }
    return errors.first { ($0 as? CKError)?.code != .batchRequestFailed } ?? errors.first
  }
}
