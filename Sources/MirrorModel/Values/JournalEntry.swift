package import Foundation
package import ObjectRows

/// A value that a conflict overwrote.
package struct JournalEntry: Hashable, Sendable {
  /// The entry's number, in order; 0 if it is not written yet.
  package var number: Int64
  package let date: Date
  package let object: RowKey
  /// The name of the property; empty if the whole object was deleted.
  package let property: String
  /// The kept value, encoded by the journal's writer.
  package let kept: [UInt8]?
  /// The value that was overwritten.
  package let overwritten: [UInt8]?
  /// Whether this device's value was kept, and the server's overwritten.
  package let keptIsOurs: Bool
  /// The record name of the user who wrote the server's value, if known.
  package let author: String?
  package var isUndone: Bool

  package init(
    number: Int64 = 0, date: Date, object: RowKey, property: String, kept: [UInt8]?,
    overwritten: [UInt8]?, keptIsOurs: Bool, author: String?, isUndone: Bool = false
  ) {
    (self.number, self.date, self.object) = (number, date, object)
    (self.property, self.kept, self.overwritten) = (property, kept, overwritten)
    (self.keptIsOurs, self.author, self.isUndone) = (keptIsOurs, author, isUndone)
  }
}
