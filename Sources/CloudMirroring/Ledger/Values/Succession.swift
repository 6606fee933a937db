package import CloudRecords

/// That a record stands for another one, which went for it since both had the same unique values.
///
/// The record says so itself, in the field `PH_standsFor`. Who deletes it without having heard of
/// that did not mean the one who went:
///
///     merging device:  Ada-1 stays, Ada-2 goes ──▶ one request: Ada-1 stands for Ada-2 │ Ada-2 is deleted │ what was related to her
///     others, later:   delete Ada-1 by the tag that they know ──▶ conflict: Ada-1 stands for somebody unheard of, and comes back
///     others, before:  delete Ada-1 ──▶ the request fails, since she is gone: Ada-2 comes back, whom the server still has
package struct Succession: Hashable, Sendable {
  /// The record that stays.
  package let survivor: RecordIdentifier
  /// The name of the one that went.
  package let departed: String
  /// The attributes that had to be unique together; none where others have said so.
  package let constraint: [String]
  /// Whether the server has it.
  package let isSent: Bool

  package init(
    survivor: RecordIdentifier, departed: String, constraint: [String] = [], isSent: Bool
  ) {
    self.survivor = survivor
    self.departed = departed
    self.constraint = constraint
    self.isSent = isSent
  }
}

extension [Succession] {
  /// The field's text: a name on each line, the latest ones of very many.
  var text: String? {
    isEmpty ? nil : suffix(MirrorLimits.namesStoodFor).map(\.departed).joined(separator: "\n")
  }

  /// Those that the server does not have yet.
  var unsent: Self { filter { !$0.isSent } }
}
