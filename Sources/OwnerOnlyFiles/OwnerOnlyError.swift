/// Why a folder that only its owner may see, or a file in it, is not used.
package struct OwnerOnlyError: Error, Sendable, CustomStringConvertible {
  /// What kind of thing is wrong.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// Others own it, or can read or change it.
    package static let notPrivate = Code(rawValue: "notPrivate")
    /// The system refuses to read or write it.
    package static let unavailable = Code(rawValue: "unavailable")
  }

  package let code: Code
  /// What was wrong, where, and what to do.
  package let message: String

  package var description: String { message }
}
