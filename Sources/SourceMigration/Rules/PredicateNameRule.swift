/// Resolves names that both Foundation and CoreData declare, in files that import both.
///
/// The build plug-in generates aliases for whole targets. Without it, each file that uses such a
/// name gets an import of that name for platforms without Objective-C.
struct PredicateNameRule: MigrationRule {
  private static let names = ["NSComparisonPredicate", "NSCompoundPredicate", "NSExpression"]

  func apply(to draft: inout FileDraft) {
    let source = draft.source
    guard draft.options.importsPredicateNames, let statement = importOfCoreData(in: source) else {
      return
    }
    let aliases = Set(draft.declarations.aliases.map(\.name))
    let used = Self.names.filter { name in
      !draft.index.declaresType(name) && !draft.index.declaresAlias(name) && !aliases.contains(name)
        && source.tokens.indices.contains {
          source.isName($0) && source.spelling($0) == name && isUse($0, in: source)
        }
    }
    let imported = Set(
      source.tokens.indices.filter {
        source.isWord($0, "typealias") && source.isWord($0 - 1, "import")
      }
      .map { source.spelling($0 + 3) })
    let missing = used.filter { !imported.contains($0) }
    guard !missing.isEmpty else { return }
    let end = source.lineEnd(after: source.tokens[statement.upperBound].range.upperBound)
    let access = source.text(
      source.tokens[statement.lowerBound].range
        .lowerBound..<source.tokens[statement.upperBound - 1].range.lowerBound)
    let lines =
      ["#if !canImport(ObjectiveC)"] + missing.map { "\(access)import typealias CoreData.\($0)" }
      + ["#endif"]
    draft.add(.insertion(lines.map { source.newline + $0 }.joined(), at: end))
  }

  /// Whether the token uses the name.
  ///
  /// Members such as `NSExpression.ExpressionType` do; `CoreData.NSExpression` already includes its
  /// module.
  private func isUse(_ index: Int, in source: ScannedSource) -> Bool {
    !source.needsObjectiveC(index) && !source.isPunctuation(index - 1, ".")
  }

  /// The tokens of `import CoreData`, including an access level before it.
  private func importOfCoreData(in source: ScannedSource) -> ClosedRange<Int>? {
    for index in source.tokens.indices
    where source.isWord(index, "import") && source.isWord(index + 1, "CoreData") {
      guard !source.needsObjectiveC(index) else { continue }
      return DeclarationPrefix(before: index, in: source).start(before: index)...(index + 1)
    }
    return nil
  }
}
