/// An order of the mirroring benchmarks, in addition to those of the demonstration.
package enum MeasuredOrder: Codable, Equatable, Sendable {
  /// Opens a store whose saves are observed, but whose content is not reported.
  case open(place: DemoPlace)
  /// Creates notes of a kilobyte, numbered from `first` on.
  case fill(first: Int, count: Int)
  /// Replaces the texts of notes that `fill` created.
  case overwrite(first: Int, count: Int, text: String)
  /// Waits until there are this many notes; the answer has the save that brought the last one.
  case waitForNotes(Int)
  /// Waits until a text arrives; the answer has the save that brought it.
  case waitForText(String)
  /// Reports the number of notes, and a digest of the content.
  case sum
}

/// A summary of a device's content.
package struct DemoSum: Codable, Equatable, Sendable {
  package let notes: Int
  package let digest: String
  /// The number of pending changes.
  package let pendingCount: Int

  package init(notes: Int, digest: String, pendingCount: Int) {
    (self.notes, self.digest, self.pendingCount) = (notes, digest, pendingCount)
  }
}
