package import CloudRecords

/// Creates upload and download addresses, as paths of the server.
package protocol AssetAddresses: Sendable {
  /// An address for uploading a file.
  func upload(for grant: UploadGrant) -> String

  /// An address for downloading an asset, valid for a while; nil if the server cannot have its
  /// contents.
  func download(of asset: AssetValue) -> String?

  /// Adopts renewed secrets.
  func learn(_ secrets: SecretRing)
}

/// The contents of an upload address.
package struct UploadGrant: Hashable, Sendable {
  package var realm: Realm
  package var scope: DatabaseScope
  /// The owner of the database for which the file is uploaded.
  package var owner: String
  package var userRecordName: String
  /// The record for the file, if the client named one.
  package var recordName: String?
  package var fieldName: String
  package var expires: Timestamp

  package init(
    realm: Realm, scope: DatabaseScope, owner: String, userRecordName: String, recordName: String?,
    fieldName: String, expires: Timestamp
  ) {
    self.realm = realm
    self.scope = scope
    self.owner = owner
    self.userRecordName = userRecordName
    self.recordName = recordName
    self.fieldName = fieldName
    self.expires = expires
  }
}

/// The contents of a download address.
package struct DownloadGrant: Hashable, Sendable {
  package var checksum: AssetChecksum
  package var size: Int64
  package var expires: Timestamp

  package init(checksum: AssetChecksum, size: Int64, expires: Timestamp) {
    self.checksum = checksum
    self.size = size
    self.expires = expires
  }
}
