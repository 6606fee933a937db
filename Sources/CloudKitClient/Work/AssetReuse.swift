import CloudRecords
import CloudWire

/// Requests receipts for files that other records on the server contain, so that they need no
/// upload.
///
/// ```
/// the asset                                         what is sent
/// a local file                                      the file
/// in the version of the record that is changed      its description; the record has the file
/// in another record, field, zone or database,       a receipt, if the server has the file there;
///   or saved with a policy that overwrites          otherwise the file
/// ```
struct AssetReuse: Sendable {
  let work: DatabaseWork
  let coding: RecordCoding

  /// The server's description of a file's contents.
  private struct Contents: Hashable {
    var checksum: String
    var size: Int64

    init(_ stored: AssetValue) { (checksum, size) = (stored.fileChecksum, stored.size) }
  }

  /// The database and zone of one request.
  private struct Group: Hashable {
    var scope: DatabaseScope
    var zone: RecordZoneIdentifier
  }

  /// Adds receipts to the items whose records may lack the files.
  ///
  /// Files without a receipt must be uploaded.
  ///
  /// - Throws: An error that prevents all other requests too.
  func findFiles(of items: inout ArraySlice<RecordModification.Item>) async throws(CKError) {
    var places: Set<AssetOrigin> = []
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

  /// The assets that may exist elsewhere on the server, with their locations there.
  private func wanted(by save: RecordSave) -> [(
    AssetOrigin, (key: String, place: Int, asset: CKAsset)
  )] {
    save.assetsToSend.compactMap { found in
      guard found.asset.stored != nil, let place = found.asset.origin else { return nil }
      // A sealed file is bound to its record and field.
      let own = AssetOrigin(
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

  /// The receipts for the contents that the server still has at the given locations.
  private func receipts(for places: [AssetOrigin]) async throws(CKError) -> [Contents: AssetValue] {
    var receipts: [Contents: AssetValue] = [:]
    let groups = Dictionary(grouping: places) { Group(scope: $0.scope, zone: $0.record.zone) }
    for (group, places) in groups.sorted(by: { $0.value[0] < $1.value[0] }) {
      let asked = DatabaseWork(session: work.session, scope: group.scope, options: work.options)
      do throws(CKError) {
        try await asked.inBatches(places) { batch throws(CKError) in
          let fields = batch.map {
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
        // After any other error, such as of a server without this endpoint, the files are uploaded.
        if error.preventsAllRequests { throw error }
      }
    }
    return receipts
  }
}
