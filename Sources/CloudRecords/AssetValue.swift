/// A file that a field refers to.
///
/// The server returns a receipt for uploaded bytes. A record that is saved with the receipt keeps
/// the file.
package struct AssetValue: Hashable, Sendable {
  /// The checksum under which the server stores the contents.
  package var fileChecksum: String
  package var size: Int64
  package var referenceChecksum: String?
  package var wrappingKey: String?
  /// Proves an upload.
  ///
  /// It is present only in save requests and in responses to uploads.
  package var receipt: String?
  /// A temporary URL that serves the bytes.
  ///
  /// It is present only in responses.
  package var downloadURL: String?

  package init(
    fileChecksum: String, size: Int64, referenceChecksum: String? = nil, wrappingKey: String? = nil,
    receipt: String? = nil, downloadURL: String? = nil
  ) {
    self.fileChecksum = fileChecksum
    self.size = size
    self.referenceChecksum = referenceChecksum
    self.wrappingKey = wrappingKey
    self.receipt = receipt
    self.downloadURL = downloadURL
  }
}
