import CloudRecords
import CloudWire
import Foundation

/// Requests that a server refuses by one error for all of their items, as servers of others do.
///
/// ```
/// the error                                    what is told
/// BAD_REQUEST of more items than are allowed   limitExceeded: whoever sends fewer succeeds
/// ATOMIC_ERROR                                 the records are looked at: who is to blame is told that, the others `batchRequestFailed`
///   where nobody is found to be to blame       serverRejectedRequest for all: sending the same again does not help
/// ```
extension RecordModification {
  /// Sends a request.
  func reply(
    to request: RecordsModifyRequest, _ items: [Item], _ options: CallOptions
  ) async throws(CKError) -> CloudSession.Reply<RecordsModifyResponse> {
    do throws(CKError) {
      return try await work.session.reply(to: request, work.scope, options)
    } catch {
      if error.code == .invalidArguments, items.count > DatabaseWork.itemsPerRequest {
        throw CKError(.limitExceeded, userInfo: error.userInfo)
      }
      guard error.code == .batchRequestFailed, request.atomic == true else { throw error }
      let answers = try await answers(to: items, refusedBy: error)
      return CloudSession.Reply(
        response: RecordsModifyResponse(records: answers), mayBeSecond: error.mayHaveArrived)
    }
  }

  /// What the server would have said of each item, as far as its records tell.
  ///
  /// - Throws: What keeps them from being looked at, or that they tell nothing.
  private func answers(to items: [Item], refusedBy error: CKError) async throws(CKError)
    -> [RecordResult]
  {
    var look = work
    look.files = .none
    var there: Found = [:]
    try await look.records(items.map(\.recordID), desiredKeys: []) { there[$0] = $1 }
    let blame = items.map { $0.blame(there[$0.recordID], deletionTags[$0.recordID]) }
    guard blame.contains(where: { $0 != nil }) else { throw Self.refused(error) }
    return zip(items, blame).map { item, code in
      .failed(
        recordName: item.recordID.recordName,
        CloudError(code ?? .atomicError, error.localizedDescription))
    }
  }

  private static func refused(_ error: CKError) -> CKError {
    CKError(
      .serverRejectedRequest,
      userInfo: error.userInfo.merging([
        NSLocalizedDescriptionKey:
          "The server refused to save these records together, and says nothing of which of them it refuses (\(error.localizedDescription)). Save fewer of them at once to find out."
      ]) { $1 })
  }
}

extension RecordModification.Item {
  /// What the server has against the item, by what it has of the record; nil where nothing is to be
  /// seen.
  ///
  /// - Parameter tag: The version for which a deletion is meant.
  fileprivate func blame(_ there: Result<CKRecord, CKError>?, _ tag: String?) -> CloudErrorCode? {
    switch (self, there) {
    case (.save(let save), .success(let record)?):
      let isCompared = save.policy == .ifServerRecordUnchanged || save.merged != nil
      guard isCompared, save.expectedTag != record.recordChangeTag else { return nil }
      return save.expectedTag == nil ? .exists : .conflict
    case (.save(let save), .failure(let error)?) where error.code == .unknownItem:
      return save.policy != .allKeys && save.sent.changeTag != nil ? .notFound : nil
    case (.delete, .success(let record)?):
      return tag == nil || tag == record.recordChangeTag ? nil : .conflict
    // Nothing has to be done any more.
    case (.delete, .failure(let error)?) where error.code == .unknownItem: return .notFound
    default: return nil
    }
  }
}
