/// Plans the one-time change that lets Core Data sources for Apple's platforms build everywhere.
///
/// It is a function from texts to edited texts and diagnostics, without file access. Running it on
/// its own result changes nothing.
package struct SourceMigrator: Sendable {
  private let options: MigrationOptions

  private static let rules: [any MigrationRule] = [
    ObjectiveCAttributeRule(), KeyPathRule(), SelectorRule(), NotificationObserverRule(),
    FetchRequestCastRule(),
    TypedRequestCastRule(), ManagedMemberRule(), LocalClassRule(), InitializerRule(),
    ClassBundleRule(),
    PredicateNameRule(), SelectorDeclarationRule(),
  ]

  package init(options: MigrationOptions = MigrationOptions()) {
    self.options = options
  }

  /// The plan for files that belong together, such as the sources of one target.
  ///
  /// The proposed edits are verified first. If a second run would change something again, a rule
  /// has misread the source, and nothing is changed.
  package func plan(for files: [SourceFile]) -> MigrationPlan {
    let proposed = proposal(for: files)
    guard !proposed.changes.isEmpty else { return proposed }
    let results = files.map { file in
      proposed.changes.first { $0.file == file }.map { file.replacingText($0.migrated) } ?? file
    }
    let unsettled = proposal(for: results).changes.map(\.file.path)
    return unsettled.isEmpty ? proposed : proposed.withoutChanges(dueTo: unsettled)
  }

  private func options(for file: SourceFile) -> MigrationOptions {
    var options = options
    options.isSwift6Mode = file.isSwift6Mode ?? options.isSwift6Mode
    options.importsPredicateNames = file.importsPredicateNames ?? options.importsPredicateNames
    return options
  }

  private func proposal(for files: [SourceFile]) -> MigrationPlan {
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
      FileDraft(
        source: $0.source, declarations: $0, index: index, options: options(for: $0.source.file))
    }
    for number in drafts.indices {
      for rule in Self.rules { rule.apply(to: &drafts[number]) }
    }
    ExtensionOverrideRule().apply(to: &drafts)
    return MigrationPlan(drafts: drafts, scanDiagnostics: diagnostics)
  }
}
