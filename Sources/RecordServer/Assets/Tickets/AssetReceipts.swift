package import CloudRecords

/// Creates and verifies receipts for uploaded files.
package protocol AssetReceipts: Sendable {
  /// A receipt, which proves to this server that the file exists.
  func receipt(_ receipt: AssetReceipt) -> String

  /// Verifies the receipt from a client; nil if it is valid.
  func defect(of asset: AssetValue, for use: AssetUse) -> AssetReceiptDefect?

  /// The values that clients of private databases expect in addition to the checksum.
  func marks(of checksum: AssetChecksum, in realm: Realm) -> (
    referenceChecksum: String, wrappingKey: String
  )
}

/// The contents of a receipt.
package struct AssetReceipt: Hashable, Sendable {
  package var checksum: AssetChecksum
  package var size: Int64
  package var realm: Realm
  /// The kind of database whose records may use the file; nil for an existing file that is
  /// referenced again.
  package var scope: DatabaseScope?
  /// The owner of that database, which distinguishes databases shared by different users; nil for
  /// an existing file that is referenced again.
  package var owner: String?
  /// The user who may use the file.
  package var userRecordName: String
  /// The only record that may use the file, if the client named one for the upload.
  package var recordName: String?
  /// The only field that may use the file; nil for an existing file that is referenced again.
  package var fieldName: String?
  package var expires: Timestamp

  package init(
    checksum: AssetChecksum, size: Int64, realm: Realm, scope: DatabaseScope? = nil,
    owner: String? = nil,
    userRecordName: String, recordName: String? = nil, fieldName: String? = nil, expires: Timestamp
  ) {
    self.checksum = checksum
    self.size = size
    self.realm = realm
    self.scope = scope
    self.owner = owner
    self.userRecordName = userRecordName
    self.recordName = recordName
    self.fieldName = fieldName
    self.expires = expires
  }
}

/// The place where a client wants to use a file.
package struct AssetUse: Hashable, Sendable {
  package var realm: Realm
  package var scope: DatabaseScope
  /// The owner of the database.
  package var owner: String
  package var userRecordName: String
  package var recordName: String
  package var fieldName: String

  package init(
    realm: Realm, scope: DatabaseScope, owner: String, userRecordName: String, recordName: String,
    fieldName: String
  ) {
    self.realm = realm
    self.scope = scope
    self.owner = owner
    self.userRecordName = userRecordName
    self.recordName = recordName
    self.fieldName = fieldName
  }
}

/// The reason why a record cannot use a file.
package enum AssetReceiptDefect: CaseIterable, Hashable, Sendable {
  case missing
  case forged
  case expired
  case otherUser
  case otherDatabase
  case otherRecord
  case collected

  /// The predicate of a sentence about the asset.
  var reason: String {
    let remedy = "Upload the file with assets/upload, or use assets/rereference for a receipt."
    return switch self {
    case .missing: "has no receipt, and the record does not hold it. \(remedy)"
    case .forged: "has a receipt that this server did not issue for it. \(remedy)"
    case .expired: "has a receipt that has expired. \(remedy)"
    case .otherUser:
      "has a receipt that was issued to another user or in another container. \(remedy)"
    case .otherDatabase:
      "has a receipt for another database. Use assets/upload in this database, or assets/rereference for a receipt."
    case .otherRecord:
      "has a receipt for another record or field. Use assets/upload for this record and field, or assets/rereference for a receipt."
    case .collected: "is no longer on the server. Upload the file again with assets/upload."
    }
  }
}
