package import Foundation

/// Makes the files that assets are uploaded from.
package protocol AssetStaging: Sendable {
  /// A file of the bytes of a text.
  func stage(_ text: String) throws -> StagedFile
  /// A file of bytes.
  func stage(_ data: Data) throws -> StagedFile
  /// A file of a lent file's bytes, which stays when the lent one goes.
  func stage(_ file: LentFile) throws -> StagedFile
  /// Removes files that were sent.
  func remove(_ files: [StagedFile])
}

/// A file that an asset is uploaded from.
package struct StagedFile: Hashable, Sendable {
  /// The place of the file.
  package let url: URL

  package init(url: URL) { self.url = url }
}

extension AssetStaging {
  /// A file of a long value.
  func stage(_ value: RecordValue) throws -> StagedFile {
    switch value {
    case .string(let text): try stage(text)
    case .bytes(let data): try stage(data)
    case .file(let file): try stage(file)
    case .integer, .double, .milliseconds: preconditionFailure("Numbers are never assets.")
    }
  }
}
