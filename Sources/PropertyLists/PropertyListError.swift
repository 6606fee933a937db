/// Why bytes are not a property list, or a value cannot be written as one.
package struct PropertyListError: Error, Equatable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// Open: a later release may add kinds.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The bytes are not in the format at all.
    package static let notAPropertyList = Code(rawValue: "notAPropertyList")
    /// A part lies outside of the bytes, or overlaps another.
    package static let outOfBounds = Code(rawValue: "outOfBounds")
    /// A marker, size or encoding that the format does not have.
    package static let malformed = Code(rawValue: "malformed")
    /// A container contains itself.
    package static let cycle = Code(rawValue: "cycle")
    /// A dictionary holds a key twice.
    package static let duplicateKey = Code(rawValue: "duplicateKey")
    /// A limit of `PropertyListLimits` was reached.
    package static let limit = Code(rawValue: "limit")
  }

  package let code: Code
  package let message: String
  /// Where in the bytes it was found, if at a place.
  package let offset: Int?

  package init(_ code: Code, _ message: String, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.offset = offset
  }

  package var description: String { offset.map { "\(message) (at byte \($0))" } ?? message }
}
