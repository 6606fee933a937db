/// A file that a field refers to.
///
/// The server gives a receipt when the bytes are uploaded; a record that is saved with it holds the
/// file from then on.
package struct AssetValue: Hashable, Sendable {
  /// The server's name for the contents.
  package var fileChecksum: String
  package var size: Int64
  package var referenceChecksum: String?
  package var wrappingKey: String?
  /// What proves an upload; only in requests and in answers to uploads.
  package var receipt: String?
  /// Where the bytes can be had, for a while; only in answers.
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
