import Foundation

/// Lines that explain on standard error what a result alone does not say.
package enum LogLine {
  /// Writes a warning, in the form of Core Data's own.
  package static func warn(_ sentence: String) {
    try? FileHandle.standardError.write(contentsOf: Data("CoreData: warning: \(sentence)\n".utf8))
  }
}
