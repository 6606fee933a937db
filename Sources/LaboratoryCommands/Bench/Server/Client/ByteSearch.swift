/// Looks for a text within bytes, by Horspool's way: most bytes of an answer are not looked at.
struct ByteSearch {
  private let text: [UInt8]
  /// How far the text may be moved where a byte stands at its end.
  private let steps: [Int]

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

  /// Where the text first stands at a place or behind it.
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

  /// How often the text is there, without overlapping itself.
  func count(in bytes: Span<UInt8>) -> Int {
    var (count, place) = (0, 0)
    while let found = first(in: bytes, from: place) {
      count += 1
      place = found + text.count
    }
    return count
  }
}
