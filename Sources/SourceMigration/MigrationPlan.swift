/// What the migration would change, and what it cannot.
package struct MigrationPlan: Sendable, Equatable {
  /// One file that changes.
  package struct Change: Sendable, Equatable {
    package let file: SourceFile
    package let migrated: String
  }

  /// The files that change, in the order they were given.
  package let changes: [Change]

  /// What there is to say, by file and line.
  package let diagnostics: [Diagnostic]

  init(drafts: [FileDraft], scanDiagnostics: [Diagnostic]) {
    var diagnostics = scanDiagnostics
    var changes: [Change] = []
    var isSound = true
    for draft in drafts {
      diagnostics += draft.diagnostics
      guard !draft.edits.isEmpty else { continue }
      if let migrated = Self.migratedText(of: draft) {
        changes.append(Change(file: draft.source.file, migrated: migrated))
      } else {
        isSound = false
        let message = "the changes to this file would contradict each other; nothing is changed"
        diagnostics.append(Diagnostic(.error, path: draft.source.file.path, line: 1, column: 1, message: message))
      }
    }
    // Members move between files, so that a plan holds wholly or not at all.
    self.changes = isSound ? changes : []
    self.diagnostics = diagnostics.sorted { ($0.path, $0.line, $0.column) < ($1.path, $1.line, $1.column) }
  }

  /// The new text, or nil where edits overlap or leave something that is no Swift source.
  private static func migratedText(of draft: FileDraft) -> String? {
    let edits = draft.edits.ordered()
    for (first, second) in zip(edits, edits.dropFirst()) where first.range.upperBound > second.range.lowerBound {
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
