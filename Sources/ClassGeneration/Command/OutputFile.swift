import Foundation

/// A file that a build step writes.
struct OutputFile {
  let path: String
  let contents: Data

  init(path: String, contents: Data) {
    self.path = path
    self.contents = contents
  }

  init(path: String, text: String) {
    self.init(path: path, contents: Data(text.utf8))
  }

  /// Writes the file, unless it exists with the same contents: build systems use the modification
  /// time.
  func write() throws {
    let url = URL(fileURLWithPath: path)
    if let existing = try? Data(contentsOf: url), existing == contents { return }
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try contents.write(to: url, options: .atomic)
  }
}
