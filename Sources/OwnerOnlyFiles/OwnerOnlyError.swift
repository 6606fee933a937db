/// The reason why a private folder, or a file in it, is not used.
package struct OwnerOnlyError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// Another user owns the item or has access to it, or it is of the wrong kind.
    package static let notPrivate = Code(rawValue: "notPrivate")
    /// The system cannot read or write the item.
    package static let unavailable = Code(rawValue: "unavailable")
  }

  package let code: Code
  /// A sentence that says what was wrong, where, and what to do.
  package let message: String

  package var description: String { message }
}
