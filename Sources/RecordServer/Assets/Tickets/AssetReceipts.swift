package import CloudRecords

/// Gives receipts for files that were uploaded, and knows its own.
package protocol AssetReceipts: Sendable {
  /// What proves that a file is there, for whom it is made.
  func receipt(_ receipt: AssetReceipt) -> String

  /// What is wrong with the receipt that a client brings; nil where nothing is.
  func fault(of asset: AssetValue, for use: AssetUse) -> AssetReceiptFault?

  /// What clients of private databases expect to get and give back beside the checksum.
  func marks(of checksum: AssetChecksum, in realm: Realm) -> (
    referenceChecksum: String, wrappingKey: String
  )
}

/// What a receipt says.
package struct AssetReceipt: Hashable, Sendable {
  package var checksum: AssetChecksum
  package var size: Int64
  package var realm: Realm
  /// The one database of the user's whose records may have the file; nil for files that are there
  /// already and are to be used again.
  package var scope: DatabaseScope?
  /// Whose database that is: each of those that others share with the user has another; nil where
  /// there is no `scope`.
  package var owner: String?
  /// Who may use it.
  package var userRecordName: String
  /// The one record that may have the file, where the client named one when it asked for the
  /// upload.
  package var recordName: String?
  /// The one field that may have it; nil for files that are there already and are to be used again.
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

/// Where somebody wants to use a file.
package struct AssetUse: Hashable, Sendable {
  package var realm: Realm
  package var scope: DatabaseScope
  /// Whose database it is.
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

/// Why a record cannot have a file.
package enum AssetReceiptFault: CaseIterable, Hashable, Sendable {
  case missing
  case forged
  case expired
  case otherUser
  case otherDatabase
  case otherRecord
  case collected

  /// The end of a sentence that begins with the asset.
  var reason: String {
    let remedy = "Upload the file with assets/upload, or ask assets/rereference for a receipt."
    return switch self {
    case .missing: "has no receipt, and the record does not hold it. \(remedy)"
    case .forged: "has a receipt that this server did not give for it. \(remedy)"
    case .expired: "has a receipt that has expired. \(remedy)"
    case .otherUser:
      "has a receipt that was given to another user or in another container. \(remedy)"
    case .otherDatabase:
      "has a receipt for another database. Ask assets/upload in the one that is meant, or assets/rereference for a receipt."
    case .otherRecord:
      "has a receipt for another record or field. Ask assets/upload for the record and field that are meant, or assets/rereference for a receipt."
    case .collected: "is not on the server any more. Upload the file again with assets/upload."
    }
  }
}
