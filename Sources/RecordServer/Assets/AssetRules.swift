import CloudRecords
import RecordStorage

/// Checks the files in a record from a client: each was uploaded, or is already in the record.
struct AssetRules {
  let receipts: any AssetReceipts
  let realm: Realm
  let scope: DatabaseScope
  /// The owner of the record's database.
  let owner: String
  let caller: Caller
  /// The record's former fields.
  let held: RecordFields
  let transaction: any StorageReading

  /// Checks the files of a record, and removes values that are valid for one request only.
  func check(_ record: inout StoredRecord) throws {
    guard record.fields.containsLinks else { return }
    let known = heldAssets
    for entry in record.fields where entry.field.value.holdsFiles {
      let value = try checked(entry.field.value, in: entry.name, of: record.recordName, known)
      record.fields[entry.name] = Field(value, isEncrypted: entry.field.isEncrypted)
    }
  }

  /// The files that the record already has, by checksum.
  private typealias KnownAssets = [String: [AssetValue]]

  private var heldAssets: KnownAssets {
    guard held.containsLinks else { return [:] }
    return Dictionary(grouping: held.flatMap { $0.field.value.assets }, by: \.fileChecksum)
  }

  private func checked(
    _ value: FieldValue, in field: String, of record: String, _ known: KnownAssets
  ) throws -> FieldValue {
    switch value {
    case .asset(let asset): return .asset(try checked(asset, in: field, of: record, known))
    case .list(let member, let members):
      return .list(of: member, try members.map { try checked($0, in: field, of: record, known) })
    default: return value
    }
  }

  private func checked(
    _ asset: AssetValue, in field: String, of record: String, _ known: KnownAssets
  ) throws -> AssetValue {
    if let known = known[asset.fileChecksum]?.first(where: { $0.size == asset.size }) {
      return asset.kept(over: known)
    }
    if let defect = try defect(of: asset, in: field, of: record) {
      throw CloudError(
        .badRequest, "The asset in the field \(field) of “\(record)” \(defect.reason)")
    }
    return asset.kept(over: asset)
  }

  private func defect(of asset: AssetValue, in field: String, of record: String) throws
    -> AssetReceiptDefect?
  {
    let use = AssetUse(
      realm: realm, scope: scope, owner: owner, userRecordName: caller.userRecordName ?? "",
      recordName: record,
      fieldName: field)
    if let defect = receipts.defect(of: asset, for: use) { return defect }
    let entry = try AssetChecksum(text: asset.fileChecksum).flatMap { checksum in
      try AssetCatalogue.entry(of: checksum, in: transaction)
    }
    return entry?.size == asset.size ? nil : .collected
  }
}

extension AssetValue {
  /// The stored form of an asset, without receipt and address.
  ///
  /// Values that only clients use come from the request, or else from the known asset.
  ///
  /// A client that encrypts its files may reseal their keys while the contents stay.
  fileprivate func kept(over known: AssetValue) -> AssetValue {
    AssetValue(
      fileChecksum: fileChecksum, size: size,
      referenceChecksum: referenceChecksum ?? known.referenceChecksum,
      wrappingKey: wrappingKey ?? known.wrappingKey)
  }
}

extension FieldValue {
  /// The files in the value.
  var assets: [AssetValue] {
    switch self {
    case .asset(let asset): [asset]
    case .list(of: .asset, let members): members.flatMap(\.assets)
    default: []
    }
  }
}
