import CloudRecords
import CloudTransport
import CloudWire
import Synchronization

/// The download URL of an asset, which expires and can be renewed.
///
/// ```
/// from the record ──rejected──▶ renewed ──rejected──▶ error
///                                │   ▲
///              any other outcome ▼   │ rejected
///                               in use
/// ```
struct AssetAddress: Sendable {
  /// The record and field of the asset.
  struct Place: Sendable {
    var recordID: CKRecord.ID
    var field: CKRecord.FieldKey
  }

  private let stored: AssetValue
  private let place: Place
  private(set) var text: String
  /// Whether the URL was renewed and has not been used since.
  var isNew = false

  /// Creates the URL that came with a record.
  init(of stored: AssetValue, in place: Place) throws(CKError) {
    (self.stored, self.place) = (stored, place)
    text = try Self.text(stored, place)
  }

  /// Apple's URLs contain a placeholder for the file name.
  private static func text(_ stored: AssetValue, _ place: Place) throws(CKError) -> String {
    guard let template = stored.downloadURL else {
      throw CKError(
        .assetNotAvailable, "The server's response does not contain a download URL for an asset.")
    }
    return template.replacing("${f}", with: place.field)
  }

  /// Requests another URL after this one was rejected.
  ///
  /// - Throws: A temporary error if the rejected URL was just renewed, because this says nothing
  ///   about the file.
  mutating func renew(_ work: DatabaseWork) async throws(CKError) {
    guard !isNew else {
      throw CKError(
        .networkFailure,
        "The download URL of an asset was rejected right after the server renewed it. A proxy may have rejected it."
      )
    }
    text = try Self.text(try await asset(work), place)
    isNew = true
  }

  /// The asset in the server's current record.
  private func asset(_ work: DatabaseWork) async throws(CKError) -> AssetValue {
    let coding = try await work.coding()
    var request = RecordsLookupRequest()
    request.desiredKeys = [place.field]
    request.records = [
      RecordsLookupRequest.Wanted(
        recordName: coding.recordName(place.recordID), zone: coding.reference(place.recordID.zoneID)
      )
    ]
    let answers = try await work.call(request).records
    try work.check(answers.count, of: 1)
    switch answers[0] {
    case .failed(_, let error): throw CKError(error)
    case .deleted(let gone):
      throw CKError(.unknownItem, "The record \(gone.recordName) was deleted.")
    case .record(let shown):
      let content = coding.record(shown.record).state.withLock { $0.plain.contents[place.field] }
      let same = content?.assets.lazy.compactMap(\.stored).first {
        ($0.fileChecksum, $0.size) == (stored.fileChecksum, stored.size)
      }
      if let same { return same }
      // The error is temporary, because another fetch returns the current record.
      throw CKError(
        .zoneBusy,
        "The record \(place.recordID.recordName) received another file in \(place.field) during the download. Fetch the record again."
      )
    }
  }
}

extension TransportResponse {
  /// Whether a file's URL was rejected, usually because it has expired.
  var isOfExpiredAddress: Bool { [401, 403].contains(status) }
}
