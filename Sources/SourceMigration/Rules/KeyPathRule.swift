/// Replaces `#keyPath(Type.path.to.value)` with its string.
struct KeyPathRule: MigrationRule {
  func apply(to draft: inout FileDraft) {
    let source = draft.source
    for index in source.tokens.indices
    where source.isDirective(index, "#keyPath") && !source.needsObjectiveC(index) {
      guard source.isPunctuation(index + 1, "("), let end = source.partners[index + 1] else {
        continue
      }
      let range = source.bytes(from: index, through: end)
      guard let components = components(between: index + 1, and: end, in: source) else {
        draft.report(
          .warning, atToken: index, "this #keyPath is not a plain path; write its string by hand")
        continue
      }
      let path = propertyPath(of: components, index: draft.index)
      if let renamed = path.first(where: draft.index.isRenamedForObjectiveC) {
        draft.report(
          .warning, atToken: index,
          "“\(renamed)” has another name in Objective-C; write the string of this #keyPath by hand")
        continue
      }
      let text = "\"\(path.joined(separator: "."))\""
      draft.replace(range, by: text, advice: "write \(text) instead of #keyPath")
    }
  }

  private func components(between open: Int, and close: Int, in source: ScannedSource) -> [String]?
  {
    var names: [String] = []
    for index in (open + 1)..<close {
      let isNameExpected = (index - open) % 2 == 1
      guard isNameExpected ? source.isName(index) : source.isPunctuation(index, ".") else {
        return nil
      }
      if isNameExpected { names.append(source.spelling(index)) }
    }
    let isComplete = names.count * 2 == close - open
    return isComplete ? names : nil
  }

  /// The path without its leading types.
  ///
  /// The last component is always a property.
  private func propertyPath(of components: [String], index: DeclarationIndex) -> [String] {
    var path = components[...]
    while path.count > 1, let first = path.first {
      let isFirst = path.count == components.count
      guard isType(first, isFirst: isFirst, index: index) else { break }
      path = path.dropFirst()
    }
    return Array(path)
  }

  /// Whether the name is a type's: by its declaration, or else by the convention that types begin
  /// with a capital letter.
  private func isType(_ name: String, isFirst: Bool, index: DeclarationIndex) -> Bool {
    if name == "self" || name == "Self" { return isFirst }
    let isProperty = index.declaresProperty(name)
    if index.declaresType(name) { return isFirst || !isProperty }
    let isCapitalised = name.drop { $0 == "_" }.first?.isUppercase ?? false
    return isCapitalised && !isProperty
  }
}
