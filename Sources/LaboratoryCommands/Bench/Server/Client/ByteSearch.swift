/// Searches bytes for a text with Horspool's algorithm, which skips most bytes of a response.
struct ByteSearch {
  private let text: [UInt8]
  /// The distance to shift the text, by the byte that was compared with its last byte.
  private let steps: [Int]

  /// Prepares the search for a text.
  ///
  /// - Parameter text: At least one byte.
  init(_ text: String) {
    precondition(!text.isEmpty, "An empty text is everywhere.")
    self.text = Array(text.utf8)
    var steps = [Int](repeating: self.text.count, count: 256)
    for (place, byte) in self.text.dropLast().enumerated() {
      steps[Int(byte)] = self.text.count - 1 - place
    }
    self.steps = steps
  }

  /// The first occurrence of the text at or after an index.
  func first(in bytes: Span<UInt8>, from start: Int = 0) -> Int? {
    let (text, steps) = (text.span, steps.span)
    var place = start
    while place + text.count <= bytes.count {
      var index = text.count - 1
      while index >= 0, bytes[place + index] == text[index] { index -= 1 }
      if index < 0 { return place }
      place += steps[Int(bytes[place + text.count - 1])]
    }
    return nil
  }

  /// The number of occurrences of the text, without overlaps.
  func count(in bytes: Span<UInt8>) -> Int {
    var (count, place) = (0, 0)
    while let found = first(in: bytes, from: place) {
      count += 1
      place = found + text.count
    }
    return count
  }
}
