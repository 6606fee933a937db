import CloudEncryption
import CloudRecords
import CloudWire

/// Sends the engine's requests for key bags.
struct SessionExchange: KeyBagExchange {
  /// Weak, because the session owns the vault, which owns the engine.
  weak let session: CloudSession?

  func lookUp(_ request: KeyBagsLookupRequest, in database: DatabaseScope) async throws
    -> [KeyBagResult]
  {
    let session = try living
    let work = DatabaseWork(session: session, scope: database, options: CallOptions.forKeys)
    do throws(CKError) {
      var results: [KeyBagResult] = []
      try await work.inBatches(request.places) { batch throws(CKError) in
        results += try await work.call(KeyBagsLookupRequest(places: Array(batch))).items.map(
          \.result)
      }
      return results
    } catch {
      let isUnknown = error.code == .invalidArguments || error.code == .unknownItem
      throw isUnknown ? CKError.keepsNoKeys(session.address, error) : error
    }
  }

  func modify(_ request: KeyBagsModifyRequest, in database: DatabaseScope) async throws
    -> [KeyBagResult]
  {
    try await living.call(request, database, CallOptions.forKeys).items.map(\.result)
  }

  private var living: CloudSession {
    get throws {
      guard let session else { throw CKError(.operationCancelled) }
      return session
    }
  }
}
