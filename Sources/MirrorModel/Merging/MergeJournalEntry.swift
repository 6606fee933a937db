package import Foundation

/// What a merge overwrote.
package struct MergeJournalEntry: Hashable, Sendable, Codable {
  /// Whose value it is that is kept.
  package enum Side: String, Sendable, Codable { case local, server }

  /// The name of the object's entity.
  package var entity: String
  /// The name of the object's record.
  package var recordName: String
  /// The property; nil where the whole object was deleted.
  package var property: String?
  /// What the property has now, and nothing else; nil where the object was deleted.
  package var kept: ObjectContent?
  /// What was lost: of this property, or of all that a deletion took away.
  package var overwritten: ObjectContent
  /// Who won.
  package var winner: Side
  /// The record name of the user who had saved the record; nil where the server does not say.
  package var serverUser: String?
  /// When they had.
  package var serverDate: Date?

  package init(
    entity: String, recordName: String, property: String?, kept: ObjectContent?,
    overwritten: ObjectContent,
    winner: Side,
    serverUser: String? = nil, serverDate: Date? = nil
  ) {
    self.entity = entity
    self.recordName = recordName
    self.property = property
    self.kept = kept
    self.overwritten = overwritten
    self.winner = winner
    self.serverUser = serverUser
    self.serverDate = serverDate
  }
}
