import CloudKitClient
import MirrorLedger
import MirrorModel
import SQLiteDriver

extension LedgerStateKey {
  /// Whether devices seal the values of the store's encrypted attributes.
  static let seals = Self("seals")
}

extension EnginePart {
  /// Records that devices seal values of the store, before the first sealed value is sent or
  /// imported.
  ///
  /// - Parameter isUnread: Whether there are sealed values for which this device has no keys.
  func noteSealing(_ records: [CKRecord], isUnread: Bool = false) throws {
    guard hasEncryptedAttributes, mirror.expectsSealed, try ledger.state(.seals) == nil,
      isUnread || records.contains(where: \.hasSealedValues)
    else { return }
    try ledger.setState([.seals: .integer(1)])
  }

  var hasEncryptedAttributes: Bool {
    mirror.schema.entities.contains { $0.attributes.contains(where: \.isEncrypted) }
  }
}

extension CKRecord {
  /// Whether a device has sealed values or files of the record.
  fileprivate var hasSealedValues: Bool {
    !encryptedValues.allKeys().isEmpty
      || allKeys().contains { (self[$0] as CKAsset?)?.isSealed == true }
  }
}
