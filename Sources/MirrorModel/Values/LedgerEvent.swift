package import Foundation

/// An event of mirroring, which programs can fetch later.
package struct LedgerEvent: Hashable, Sendable {
  package let identifier: UUID
  /// The raw value of the event's type: setup, import or export.
  package let type: Int
  package let start: Date
  /// The end; nil while the event runs, or if a crash interrupted it.
  package var end: Date?
  package var succeeded: Bool
  /// The archived error.
  package var error: [UInt8]?

  package init(
    identifier: UUID, type: Int, start: Date, end: Date? = nil, succeeded: Bool = false,
    error: [UInt8]? = nil
  ) {
    (self.identifier, self.type, self.start) = (identifier, type, start)
    (self.end, self.succeeded, self.error) = (end, succeeded, error)
  }
}
