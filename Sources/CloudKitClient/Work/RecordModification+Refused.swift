import CloudRecords
import CloudWire
import Foundation

/// Handles servers that reject a whole request with a single error.
///
/// ```
/// the error                              what is reported
/// BAD_REQUEST with too many items        limitExceeded, so that the caller splits the batch
/// ATOMIC_ERROR                           the cause for the items at fault, found by fetching the
///                                        records; batchRequestFailed for the others
///   without an item at fault             serverRejectedRequest for all: a retry does not help
/// ```
extension RecordModification {
  /// Sends a modify request.
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
        response: RecordsModifyResponse(records: answers), mayBeRepeated: error.mayHaveArrived)
    }
  }

  /// Reconstructs the result of each item from the server's records.
  ///
  /// - Throws: An error if the records cannot be fetched or show no cause.
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
          "The server rejected this batch of records without saying which of them caused it (\(error.localizedDescription)). Save fewer records at once to find out."
      ]) { $1 })
  }
}

extension RecordModification.Item {
  /// The reason to reject an item, from the server's record; nil if there is none.
  ///
  /// - Parameter tag: The version that a deletion expects; nil for any.
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
    // The deletion has already happened.
    case (.delete, .failure(let error)?) where error.code == .unknownItem: return .notFound
    default: return nil
    }
  }
}
