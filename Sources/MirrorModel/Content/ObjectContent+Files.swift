import Foundation

extension ObjectContent {
  /// Returns the content with short files read into memory, so that it outlives them.
  ///
  /// The conflict journal needs this: an asset's file is removed with the record that was fetched.
  /// Longer files stay as they are.
  ///
  /// - Throws: An error of reading a file.
  package func holdingFiles(upTo bytes: Int64) throws -> ObjectContent {
    var content = self
    for (key, value) in values {
      guard case .file(let file) = value, file.length <= bytes else { continue }
      // Read, not mapped: the file will be removed.
      content.values[key] = .data(try Data(contentsOf: file.url))
    }
    return content
  }
}
