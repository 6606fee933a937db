/// The changes that the migration would make, and its messages.
package struct MigrationPlan: Sendable, Equatable {
  /// The change of one file.
  package struct Change: Sendable, Equatable {
    package let file: SourceFile
    package let migrated: String
  }

  /// The files that change, in the order of the input.
  package let changes: [Change]

  /// The messages, by file and line.
  package let diagnostics: [Diagnostic]

  private init(changes: [Change], diagnostics: [Diagnostic]) {
    self.changes = changes
    self.diagnostics = diagnostics.sorted {
      ($0.path, $0.line, $0.column) < ($1.path, $1.line, $1.column)
    }
  }

  init(drafts: [FileDraft], scanDiagnostics: [Diagnostic]) {
    var changes: [Change] = []
    var contradictory: [String] = []
    for draft in drafts where !draft.edits.isEmpty {
      if let migrated = Self.migratedText(of: draft) {
        changes.append(Change(file: draft.source.file, migrated: migrated))
      } else {
        contradictory.append(draft.source.file.path)
      }
    }
    let plan = MigrationPlan(
      changes: changes, diagnostics: scanDiagnostics + drafts.flatMap(\.diagnostics))
    self = contradictory.isEmpty ? plan : plan.withoutChanges(dueTo: contradictory)
  }

  /// The plan without its changes.
  ///
  /// Members move between files, so a plan applies completely or not at all.
  func withoutChanges(dueTo paths: [String]) -> MigrationPlan {
    let errors = paths.map { path in
      Diagnostic(
        .error, path: path, line: 1, column: 1,
        message:
          "this file cannot be migrated safely, so no file is changed; exclude it and run again"
      )
    }
    return MigrationPlan(changes: [], diagnostics: diagnostics + errors)
  }

  /// The new text, or nil if edits overlap or the result is not valid Swift.
  private static func migratedText(of draft: FileDraft) -> String? {
    let edits = draft.edits.ordered()
    for (first, second) in zip(edits, edits.dropFirst())
    where first.range.upperBound > second.range.lowerBound {
      return nil
    }
    let bytes = draft.source.bytes
    let text = edits.applied(to: bytes, within: bytes.startIndex..<bytes.endIndex)
    do throws(Diagnostic) {
      _ = try ScannedSource(SourceFile(path: draft.source.file.path, text: text))
      return text
    } catch {
      return nil
    }
  }
}
