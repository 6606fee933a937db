/// Writes `let name = #selector(…)` twice if it has its own lines: without the Objective-C runtime
/// the selector is created from its name.
///
/// Such a selector cannot be called, but it can be stored, compared and passed on.
struct SelectorDeclarationRule: MigrationRule {
  func apply(to draft: inout FileDraft) {
    for declaration in Self.declarations(in: draft.source) {
      let source = draft.source
      let range = source.bytes(
        from: declaration.tokens.lowerBound, through: declaration.tokens.upperBound)
      guard !source.containsComment(range) else { continue }
      let selector = source.bytes(
        from: declaration.selector, through: declaration.tokens.upperBound)
      let other = draft.text(
        of: range, adding: [Edit(selector, "Selector((\"\(declaration.name)\"))")])
      let lineBreak = source.newline + source.indentation(of: range.lowerBound)
      draft.add(.insertion("#if canImport(ObjectiveC)" + lineBreak, at: range.lowerBound))
      draft.add(
        .insertion(
          "\(lineBreak)#else\(lineBreak)\(other)\(lineBreak)#endif",
          at: source.lineEnd(after: range.upperBound)))
      draft.report(
        .note, atToken: declaration.selector,
        "without the Objective-C runtime this selector has a name, but cannot be called"
      )
    }
  }

  /// The `#selector` tokens that this rule rewrites.
  static func handledSelectors(in source: ScannedSource) -> Set<Int> {
    Set(declarations(in: source).map(\.selector))
  }

  private struct Declaration {
    let tokens: ClosedRange<Int>
    let selector: Int
    /// The selector's name, spelled as in Objective-C if that is certain.
    let name: String
  }

  private static func declarations(in source: ScannedSource) -> [Declaration] {
    source.tokens.indices.compactMap { index in
      guard source.isDirective(index, "#selector"), !source.needsObjectiveC(index),
        source.isPunctuation(index + 1, "("),
        !SelectorRule.isComparison(index, in: source),
        let end = source.partners[index + 1],
        !source.containsComment(source.bytes(from: index, through: end)),
        source.endsLine(source.tokens[end].range.upperBound),
        let keyword = keyword(before: index, in: source)
      else { return nil }
      let start = DeclarationPrefix(before: keyword, in: source).start(before: keyword)
      guard source.startsItsLine(start), !source.isDirective(start - 1, "#endif") else {
        return nil
      }
      let name = name(between: index + 1, and: end, in: source)
      return name.map { Declaration(tokens: start...end, selector: index, name: $0) }
    }
  }

  /// The `let` or `var` of `let name = #selector` or `let name: Selector = #selector`.
  private static func keyword(before index: Int, in source: ScannedSource) -> Int? {
    guard source.isPunctuation(index - 1, "=") else { return nil }
    let name =
      source.isWord(index - 2, "Selector") && source.isPunctuation(index - 3, ":")
      ? index - 4 : index - 2
    guard source.isName(name), source.isWord(name - 1, "let") || source.isWord(name - 1, "var")
    else { return nil }
    return name - 1
  }

  /// The name: `tick` for `tick` and `Clock.tick`, `saved:` for `saved(_:)`, `title` for `getter:
  /// Post.title`.
  private static func name(between open: Int, and close: Int, in source: ScannedSource) -> String? {
    let isAccessor = source.isPunctuation(open + 2, ":")
    if isAccessor, !source.isWord(open + 1, "getter") { return nil }
    var index = isAccessor ? open + 3 : open + 1
    while source.isName(index), source.isPunctuation(index + 1, ".") { index += 2 }
    guard source.isName(index) else { return nil }
    let base = source.spelling(index)
    if index + 1 == close { return base }
    guard !isAccessor, source.isPunctuation(index + 1, "("), source.partners[index + 1] == close - 1
    else {
      return nil
    }
    let labels = (index + 2..<close - 1).filter(source.isName).map(source.spelling)
    guard let first = labels.first else { return base }
    let head =
      first == "_" ? base : "\(base)With\(first.prefix(1).uppercased())\(first.dropFirst())"
    return ([head] + labels.dropFirst()).map { "\($0):" }.joined()
  }
}
