package import CloudRecords

/// A merged duplicate: its record absorbed another one with the same unique values.
///
/// The record has the absorbed name in its field `PH_standsFor`. A device that deletes this record
/// without knowing of the merge did not intend to delete the absorbed one:
///
///     merging device:  one request: Ada-1 stands for Ada-2, Ada-2 is deleted
///     others, later:   delete Ada-1 by the tag that they know ──▶ conflict: Ada-1 comes back
///     others, before:  delete Ada-1 ──▶ the merging request fails, and Ada-2 comes back
package struct MergedDuplicate: Hashable, Sendable {
  /// The record that stays.
  package let winner: RecordIdentifier
  /// The name of the absorbed record.
  package let loser: String
  /// The attributes that had to be unique together; empty if another device merged them.
  package let constraint: [String]
  /// Whether the server has the field.
  package let isSent: Bool

  package init(
    winner: RecordIdentifier, loser: String, constraint: [String] = [], isSent: Bool
  ) {
    (self.winner, self.loser, self.constraint) = (winner, loser, constraint)
    self.isSent = isSent
  }
}

extension [MergedDuplicate] {
  /// The field's text: a name on each line, limited to the latest ones.
  package var text: String? {
    isEmpty ? nil : suffix(MirrorLimits.absorbedRecordNames).map(\.loser).joined(separator: "\n")
  }

  /// The merged duplicates that the server does not have yet.
  package var unsent: Self { filter { !$0.isSent } }
}
