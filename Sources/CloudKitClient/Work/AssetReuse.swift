import CloudRecords
import CloudWire

/// Asks for receipts of files that records of the server hold, so that others can have them and no
/// bytes travel.
///
/// ```
/// the asset                                    what is sent
/// a file of this machine                       the file
/// of the version that is changed               what the server calls it: its record has it
/// of another record, field, zone or database,  a receipt, where the server has the contents there;
///   or saved over whatever the server has        the file, where it has not
/// ```
struct AssetReuse: Sendable {
  let work: DatabaseWork
  let coding: RecordCoding

  /// What the server calls contents.
  private struct Contents: Hashable {
    var checksum: String
    var size: Int64

    init(_ stored: AssetValue) { (checksum, size) = (stored.fileChecksum, stored.size) }
  }

  /// Where one request asks.
  private struct Group: Hashable {
    var scope: DatabaseScope
    var zone: RecordZoneIdentifier
  }

  /// Notes receipts in the items whose records do not surely have the contents; where there is
  /// none, the file is to be uploaded.
  ///
  /// - Throws: What keeps everything else from being done as well.
  func findFiles(of items: inout ArraySlice<RecordModification.Item>) async throws(CKError) {
    var places: Set<AssetPlace> = []
    for case .save(let save) in items {
      for (place, _) in wanted(by: save) { places.insert(place) }
    }
    guard !places.isEmpty else { return }
    let receipts = try await receipts(for: places.sorted())
    for index in items.indices {
      guard case .save(var save) = items[index] else { continue }
      note(receipts, in: &save)
      items[index] = .save(save)
    }
  }

  /// The assets that the server may have elsewhere, and where.
  private func wanted(by save: RecordSave) -> [(
    AssetPlace, (key: String, place: Int, asset: CKAsset)
  )] {
    save.assetsToSend.compactMap { found in
      guard found.asset.stored != nil, let place = found.asset.place else { return nil }
      // What is sealed was sealed for its record and field.
      let own = AssetPlace(
        scope: work.scope, record: coding.identifier(save.sent.recordID), field: found.key)
      return found.asset.isSealed && place != own ? nil : (place, found)
    }
  }

  private func note(_ receipts: [Contents: AssetValue], in save: inout RecordSave) {
    for (_, (key, place, asset)) in wanted(by: save) {
      guard let stored = asset.stored, let receipted = receipts[Contents(stored)] else { continue }
      var content = save.uploaded[key] ?? save.sent.plain.contents[key]
      content?.replaceAsset(at: place, by: CKAsset(asset, stored: receipted))
      save.uploaded[key] = content
    }
  }

  /// A receipt for each contents that the server still has in one of the places.
  private func receipts(for places: [AssetPlace]) async throws(CKError) -> [Contents: AssetValue] {
    var receipts: [Contents: AssetValue] = [:]
    let groups = Dictionary(grouping: places) { Group(scope: $0.scope, zone: $0.record.zone) }
    for (group, places) in groups.sorted(by: { $0.value[0] < $1.value[0] }) {
      let asked = DatabaseWork(session: work.session, scope: group.scope, options: work.options)
      do throws(CKError) {
        try await asked.inPieces(places) { piece throws(CKError) in
          let fields = piece.map {
            AssetField(recordName: $0.record.recordName, recordType: nil, fieldName: $0.field)
          }
          let request = AssetsRereferenceRequest(
            zone: coding.reference(coding.zoneID(group.zone)), fields: fields)
          for case .asset(let asset) in try await asked.call(request).assets
          where asset.receipt != nil {
            receipts[Contents(asset)] = asset
          }
        }
      } catch {
        // Who cannot be asked, or does not know the question, gets the files.
        if error.endsEverything { throw error }
      }
    }
    return receipts
  }
}
