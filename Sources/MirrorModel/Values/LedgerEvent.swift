package import Foundation

/// An event of the engine, as applications ask for it later.
package struct LedgerEvent: Hashable, Sendable {
  package let identifier: UUID
  /// The raw value of the event's type: setup, import or export.
  package let type: Int
  package let start: Date
  /// Nil while it goes on, and for one that a crash ended.
  package var end: Date?
  package var succeeded: Bool
  /// The archived error.
  package var error: [UInt8]?

  package init(
    identifier: UUID, type: Int, start: Date, end: Date? = nil, succeeded: Bool = false,
    error: [UInt8]? = nil
  ) {
    self.identifier = identifier
    self.type = type
    self.start = start
    self.end = end
    self.succeeded = succeeded
    self.error = error
  }
}
