package import Foundation

/// Creates the files from which assets are uploaded.
package protocol AssetStaging: Sendable {
  /// Creates a file with the bytes of a text.
  func stage(_ text: String) throws -> StagedFile
  /// Creates a file with bytes.
  func stage(_ data: Data) throws -> StagedFile
  /// Creates a file with a borrowed file's bytes, which remains after the borrowed one is gone.
  func stage(_ file: BorrowedFile) throws -> StagedFile
  /// Removes files that were sent.
  func remove(_ files: [StagedFile])
}

/// A file from which an asset is uploaded.
package struct StagedFile: Hashable, Sendable {
  package let url: URL

  package init(url: URL) { self.url = url }
}

extension AssetStaging {
  /// Creates a file with a long value.
  func stage(_ value: RecordValue) throws -> StagedFile {
    switch value {
    case .string(let text): try stage(text)
    case .bytes(let data): try stage(data)
    case .file(let file): try stage(file)
    case .integer, .double, .milliseconds: preconditionFailure("Numbers are never assets.")
    }
  }
}
