package import CloudRecords

/// Makes the addresses at which files are sent and fetched, as paths of the server.
package protocol AssetAddresses: Sendable {
  /// Where a client may send a file.
  func upload(for grant: UploadGrant) -> String

  /// Where the contents of an asset can be had for a while; nil where the server cannot have them.
  func download(of asset: AssetValue) -> String?

  /// Takes the secrets that addresses are sealed with, after they were renewed.
  func learn(_ secrets: SecretRing)
}

/// What an address for an upload is good for.
package struct UploadGrant: Hashable, Sendable {
  package var realm: Realm
  package var scope: DatabaseScope
  /// Whose database it is for.
  package var owner: String
  package var userRecordName: String
  /// The record that is to have the file, where the client named one.
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

/// What an address for a download is good for.
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
