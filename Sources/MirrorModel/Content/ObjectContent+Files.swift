import Foundation

extension ObjectContent {
  /// The content with the bytes of short files in it: it outlives them.
  ///
  /// A journal takes it, since the file of an asset goes with the record that it was fetched with.
  /// What is longer stays where it is.
  ///
  /// - Throws: What reading files throws.
  package func holdingFiles(upTo bytes: Int64) throws -> ObjectContent {
    var content = self
    for (key, value) in values {
      guard case .file(let file) = value, file.length <= bytes else { continue }
      // Read, not mapped: the file goes.
      content.values[key] = .data(try Data(contentsOf: file.url))
    }
    return content
  }
}
