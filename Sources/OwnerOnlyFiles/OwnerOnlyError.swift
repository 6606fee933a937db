/// The reason why a private folder, or a file in it, is not used.
package struct OwnerOnlyError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// Other users own it, or can read or change it.
    package static let notPrivate = Code(rawValue: "notPrivate")
    /// The system cannot read or write it.
    package static let unavailable = Code(rawValue: "unavailable")
  }

  package let code: Code
  /// A sentence that says what was wrong, where, and what to do.
  package let message: String

  package var description: String { message }
}
