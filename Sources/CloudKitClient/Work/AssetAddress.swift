import CloudRecords
import CloudTransport
import CloudWire
import Synchronization

/// Where the file of an asset is fetched: good for a while, and asked for anew behind that.
///
/// ```
/// as it came with the record ──refused──▶ new ──another answer, or none──▶ in use ──refused──▶ new
///                                          └──refused──▶ an error
/// ```
struct AssetAddress: Sendable {
  /// The field that has the asset.
  struct Place: Sendable {
    var recordID: CKRecord.ID
    var field: CKRecord.FieldKey
  }

  private let stored: AssetValue
  private let place: Place
  private(set) var text: String
  /// Whether nothing was answered since it was asked for anew.
  var isNew = false

  /// The address that came with a record.
  init(of stored: AssetValue, in place: Place) throws(CKError) {
    (self.stored, self.place) = (stored, place)
    text = try Self.text(stored, place)
  }

  /// Apple's addresses leave the file's name to whoever fetches it.
  private static func text(_ stored: AssetValue, _ place: Place) throws(CKError) -> String {
    guard let template = stored.downloadURL else {
      throw CKError(.assetNotAvailable, "The server gave no address for the file of an asset.")
    }
    return template.replacing("${f}", with: place.field)
  }

  /// Asks for another address, since this one was refused.
  ///
  /// - Throws: Where the new one is refused, too: that may pass, and says nothing of the file.
  mutating func renew(_ work: DatabaseWork) async throws(CKError) {
    guard !isNew else {
      throw CKError(
        .networkFailure,
        "The file of an asset is refused at an address that the server has just given. Something between may have refused it in the server's place."
      )
    }
    text = try Self.text(try await asset(work), place)
    isNew = true
  }

  /// The asset as the server's record has it now.
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
      // Whoever asks again gets the record as it is now.
      throw CKError(
        .zoneBusy,
        "The record \(place.recordID.recordName) got another file in \(place.field) while this one was fetched. Fetch the record again."
      )
    }
  }
}

extension TransportResponse {
  /// Whether the address of a file is refused: it has expired, mostly.
  var isOfExpiredAddress: Bool { [401, 403].contains(status) }
}
