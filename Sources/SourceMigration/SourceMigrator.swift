/// Plans the one-time change that lets Core Data sources written for Apple's platforms build everywhere.
///
/// Text goes in, edited text and diagnostics come out; nothing is read or written here. Running it over its own result
/// changes nothing.
package struct SourceMigrator: Sendable {
  private let options: MigrationOptions

  private static let rules: [any MigrationRule] = [
    ObjectiveCAttributeRule(), KeyPathRule(), SelectorRule(), NotificationObserverRule(), FetchRequestCastRule(),
  ]

  package init(options: MigrationOptions = MigrationOptions()) {
    self.options = options
  }

  /// The plan for files that belong together, such as the sources of one target.
  package func plan(for files: [SourceFile]) -> MigrationPlan {
    var diagnostics: [Diagnostic] = []
    var sources: [ScannedSource] = []
    for file in files {
      do throws(Diagnostic) {
        sources.append(try ScannedSource(file))
      } catch {
        diagnostics.append(error)
      }
    }
    let index = DeclarationIndex(sources.map(SourceDeclarations.init))
    var drafts = index.files.map {
      FileDraft(source: $0.source, declarations: $0, index: index, options: options)
    }
    for number in drafts.indices {
      for rule in Self.rules { rule.apply(to: &drafts[number]) }
    }
    HookOverrideRule().apply(to: &drafts)
    return MigrationPlan(drafts: drafts, scanDiagnostics: diagnostics)
  }
}
