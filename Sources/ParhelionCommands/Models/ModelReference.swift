import Foundation

/// A model's version in the command line's notation: `Notes.xcdatamodeld`, or
/// `Notes.xcdatamodeld#Notes 2`.
struct ModelReference {
  let path: String
  let version: String?

  init(_ text: String) {
    let exists = FileManager.default.fileExists(atPath: text)
    guard !exists, let mark = text.lastIndex(of: "#") else {
      path = text
      version = nil
      return
    }
    path = String(text[..<mark])
    version = String(text[text.index(after: mark)...])
  }
}
