package import Foundation

/// A store that other coordinators or processes may change.
package protocol ObservedStore: AnyObject, Sendable {
  /// The files that a save writes; empty if only this coordinator can save.
  var filesWrittenBySaves: [URL] { get }
  /// Creates a counter that detects saves.
  func makeSaveCounter() throws -> any SaveCounter
}

/// Counts the saves of a store by any process.
package protocol SaveCounter: Sendable {
  /// Whether the count is the number of the latest transaction.
  ///
  /// If not, only a difference between two counts has a meaning: there was a save.
  var countsTransactions: Bool { get }
  /// The current count.
  ///
  /// Throws if the store is currently locked.
  func count() throws -> Int64
  /// Closes the file.
  func close()
}
