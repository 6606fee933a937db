/// One kind of change.
///
/// A rule reads the tokens of one file and proposes edits, or reports what a person has to change.
protocol MigrationRule: Sendable {
  func apply(to draft: inout FileDraft)
}
