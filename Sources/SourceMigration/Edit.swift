/// A replacement of a range of UTF-8 bytes.
struct Edit: Sendable, Equatable {
  let range: Range<Int>
  let replacement: String

  init(_ range: Range<Int>, _ replacement: String) {
    self.range = range
    self.replacement = replacement
  }

  func isInside(_ window: Range<Int>) -> Bool {
    window.lowerBound <= range.lowerBound && range.upperBound <= window.upperBound
  }

  static func insertion(_ text: String, at offset: Int) -> Edit { Edit(offset..<offset, text) }
}

extension Sequence<Edit> {
  /// The edits in order; those with the same start keep their order, insertions before removals.
  func ordered() -> [Edit] {
    enumerated().sorted { first, second in
      let keys = (first.element, second.element)
      if keys.0.range.lowerBound != keys.1.range.lowerBound {
        return keys.0.range.lowerBound < keys.1.range.lowerBound
      }
      if keys.0.range.isEmpty != keys.1.range.isEmpty { return keys.0.range.isEmpty }
      return first.offset < second.offset
    }.map(\.element)
  }

  /// Applies the edits within `window` and returns the new text of that window.
  func applied(to bytes: [UInt8], within window: Range<Int>) -> String {
    var result: [UInt8] = []
    var copied = window.lowerBound
    for edit in ordered() where edit.isInside(window) && edit.range.lowerBound >= copied {
      result += bytes[copied..<edit.range.lowerBound]
      result += edit.replacement.utf8
      copied = edit.range.upperBound
    }
    result += bytes[copied..<window.upperBound]
    return String(decoding: result, as: UTF8.self)
  }
}
