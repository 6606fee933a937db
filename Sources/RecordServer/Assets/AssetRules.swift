package import CloudRecords

/// Knows whether a file was uploaded.
package protocol AssetReceipts: Sendable {
  /// Whether the receipt proves that the file with this checksum and size was uploaded, and is there.
  func isGood(_ asset: AssetValue) -> Bool
}

/// What a client may say of files: that it uploaded one, or that a record keeps the one it has.
struct AssetRules {
  let receipts: any AssetReceipts
  /// The fields that the record had before.
  let held: RecordFields

  /// Checks the files of a record and takes away what is good for one request only.
  func check(_ record: inout StoredRecord) throws(CloudError) {
    for entry in record.fields where (entry.field.value.type.member ?? entry.field.value.type) == .asset {
      let value = try checked(entry.field.value, in: entry.name, of: record.recordName)
      record.fields[entry.name] = Field(value, isEncrypted: entry.field.isEncrypted)
    }
  }

  private func checked(_ value: FieldValue, in field: String, of record: String) throws(CloudError) -> FieldValue {
    switch value {
    case .asset(let asset): return .asset(try checked(asset, in: field, of: record))
    case .list(let member, let members):
      var checkedMembers: [FieldValue] = []
      for each in members { checkedMembers.append(try checked(each, in: field, of: record)) }
      return .list(of: member, checkedMembers)
    default: return value
    }
  }

  private func checked(_ asset: AssetValue, in field: String, of record: String) throws(CloudError) -> AssetValue {
    let known = heldAssets.first { $0.fileChecksum == asset.fileChecksum && $0.size == asset.size }
    if let known { return known }
    guard asset.receipt != nil, receipts.isGood(asset) else {
      throw CloudError(
        .badRequest,
        "The asset in the field \(field) of “\(record)” has no receipt of an upload that is still good. Upload the file again with assets/upload, or ask assets/rereference for a receipt."
      )
    }
    var kept = asset
    (kept.receipt, kept.downloadURL) = (nil, nil)
    return kept
  }

  private var heldAssets: [AssetValue] { held.flatMap { $0.field.value.assets } }
}

extension FieldValue {
  /// The files that the value refers to.
  package var assets: [AssetValue] {
    switch self {
    case .asset(let asset): [asset]
    case .list(of: .asset, let members): members.flatMap(\.assets)
    default: []
    }
  }
}
