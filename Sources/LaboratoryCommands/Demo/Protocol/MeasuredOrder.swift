/// What a device does for the benchmarks of mirroring, beside what it does for the demonstration.
package enum MeasuredOrder: Codable, Equatable, Sendable {
  /// Opens a store, and tells nothing of what comes; it is counted.
  case open(place: DemoPlace)
  /// Makes notes of a kilobyte, numbered from `first` on.
  case fill(first: Int, count: Int)
  /// Writes other texts into notes that `fill` has made.
  case overwrite(first: Int, count: Int, text: String)
  /// Waits until so many notes have come and gone, taken together; the answer has the save that
  /// brought the last one.
  case waitForNotes(Int)
  /// Waits until a text has come; the answer has the save that brought it.
  case waitForText(String)
  /// Tells how many notes there are, and a digest of everything.
  case sum
}

/// What one device has, in short.
package struct DemoSum: Codable, Equatable, Sendable {
  package let notes: Int
  package let digest: String
  /// The changes that wait to be sent.
  package let pendingCount: Int

  package init(notes: Int, digest: String, pendingCount: Int) {
    (self.notes, self.digest, self.pendingCount) = (notes, digest, pendingCount)
  }
}
