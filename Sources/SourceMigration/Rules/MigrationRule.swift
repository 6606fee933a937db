/// One kind of change.
///
/// A rule reads the tokens of one file and proposes edits or says what a person has to do.
protocol MigrationRule: Sendable {
  func apply(to draft: inout FileDraft)
}
