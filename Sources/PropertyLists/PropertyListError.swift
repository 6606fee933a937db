/// The error of bytes that are not a property list, or of a value that cannot be written as one.
package struct PropertyListError: Error, Equatable, CustomStringConvertible {
  /// The kind of error.
  ///
  /// A later release may add kinds.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The bytes are not in the format at all.
    package static let notAPropertyList = Code(rawValue: "notAPropertyList")
    /// A part is outside of the bytes, or overlaps another.
    package static let outOfBounds = Code(rawValue: "outOfBounds")
    /// A marker, size or encoding is invalid.
    package static let malformed = Code(rawValue: "malformed")
    /// A container contains itself.
    package static let cycle = Code(rawValue: "cycle")
    /// A dictionary contains a key twice.
    package static let duplicateKey = Code(rawValue: "duplicateKey")
    /// The data exceeds one of the `PropertyListLimits`.
    package static let limit = Code(rawValue: "limit")
  }

  package let code: Code
  package let message: String
  /// The position in the bytes, if known.
  package let offset: Int?

  package init(_ code: Code, _ message: String, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.offset = offset
  }

  package var description: String { offset.map { "\(message) (at byte \($0))" } ?? message }
}
