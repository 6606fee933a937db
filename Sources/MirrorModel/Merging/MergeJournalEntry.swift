package import Foundation

/// A value that a merge overwrote.
package struct MergeJournalEntry: Hashable, Sendable, Codable {
  /// The side whose value was kept.
  package enum Side: String, Sendable, Codable { case local, server }

  /// The name of the object's entity.
  package var entity: String
  /// The name of the object's record.
  package var recordName: String
  /// The property; nil if the whole object was deleted.
  package var property: String?
  /// The kept value of the property alone; nil if the object was deleted.
  package var kept: ObjectContent?
  /// The lost values: of the property, or of the whole deleted object.
  package var overwritten: ObjectContent
  /// The side that won.
  package var winner: Side
  /// The record name of the user who saved the record; nil if the server does not say.
  package var serverUser: String?
  /// The date of that save.
  package var serverDate: Date?

  package init(
    entity: String, recordName: String, property: String?, kept: ObjectContent?,
    overwritten: ObjectContent, winner: Side, serverUser: String? = nil, serverDate: Date? = nil
  ) {
    (self.entity, self.recordName, self.property) = (entity, recordName, property)
    (self.kept, self.overwritten, self.winner) = (kept, overwritten, winner)
    (self.serverUser, self.serverDate) = (serverUser, serverDate)
  }
}
