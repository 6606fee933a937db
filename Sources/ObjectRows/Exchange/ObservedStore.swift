package import Foundation

/// A store that others may change: other coordinators, other processes.
package protocol ObservedStore: AnyObject, Sendable {
  /// The files that are written when something is saved; none where nobody else can save.
  var filesWrittenBySaves: [URL] { get }
  /// What tells whether something was saved since it was last asked.
  func makeSaveCounter() throws -> any SaveCounter
}

/// Counts the saves of a store, by whomever they were made.
package protocol SaveCounter: Sendable {
  /// Whether the count is the number of the latest transaction of the history; else it only differs
  /// after each save.
  var countsTransactions: Bool { get }
  /// The count now; throws where the store is locked at the moment.
  func count() throws -> Int64
  /// Lets go of the file.
  func close()
}
