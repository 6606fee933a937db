/// Warns of `@NSManaged` members in a local class: no other file can give them accessors.
struct LocalClassRule: MigrationRule {
  func apply(to draft: inout FileDraft) {
    let source = draft.source
    for index in source.tokens.indices
    where source.isPunctuation(index, "@") && source.isWord(index + 1, "NSManaged") {
      guard !source.needsObjectiveC(index), let type = draft.declarations.type(around: index),
        isLocal(type, in: draft.declarations)
      else { continue }
      draft.report(
        .warning, atToken: index,
        "class \(type.name) is declared inside of a function, where its @NSManaged members get no accessors without the "
          + "Objective-C runtime; move it to file scope")
    }
  }

  /// Whether the innermost braces around a type belong to something other than a type.
  private func isLocal(_ type: TypeDeclaration, in declarations: SourceDeclarations) -> Bool {
    let source = declarations.source
    var index = type.introducer - 1
    while index >= 0 {
      if source.isPunctuation(index, "{") {
        return !declarations.types.contains { $0.body.lowerBound == index }
      }
      if let partner = source.partners[index], partner < index { index = partner }
      index -= 1
    }
    return false
  }
}
