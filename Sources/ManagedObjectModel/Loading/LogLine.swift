import Foundation

/// Writes warnings to standard error.
package enum LogLine {
  /// Writes a warning in Core Data's format.
  package static func warn(_ sentence: String) {
    try? FileHandle.standardError.write(contentsOf: Data("CoreData: warning: \(sentence)\n".utf8))
  }
}
