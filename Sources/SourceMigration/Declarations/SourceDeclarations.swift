/// The types that a file declares or extends, and their direct members.
struct SourceDeclarations: Sendable {
  /// A name that a `typealias` declares.
  struct Alias {
    let name: String
    /// Whether other files can use the name.
    let isShared: Bool
  }

  let source: ScannedSource
  private(set) var types: [TypeDeclaration] = []
  let imports: Set<String>

  private static let typeKeywords: Set<String> = [
    "class", "struct", "enum", "actor", "protocol", "extension",
  ]
  private static let memberKeywords: Set<String> = ["func", "var", "let", "subscript", "init"]

  init(_ source: ScannedSource) {
    self.source = source
    imports = Self.imports(of: source)
    var open: [TypeDeclaration] = []
    for index in source.tokens.indices {
      while let last = open.last, last.body.upperBound < index { open.removeLast() }
      guard let type = Self.type(at: index, in: source, inside: open.last) else { continue }
      types.append(type)
      open.append(type)
    }
  }

  /// The innermost type around a token.
  func type(around index: Int) -> TypeDeclaration? {
    types.last { $0.contents.contains(index) }
  }

  /// The direct members of the type.
  func members(of type: TypeDeclaration) -> [MemberDeclaration] {
    var members: [MemberDeclaration] = []
    var index = type.contents.lowerBound
    while index < type.body.upperBound {
      if let member = member(at: index) { members.append(member) }
      if let partner = source.partners[index], partner > index { index = partner }
      index += 1
    }
    return members
  }

  /// The type aliases with a definition, at any depth.
  var aliases: [Alias] {
    source.tokens.indices.compactMap { index in
      guard source.isWord(index, "typealias"), source.isPunctuation(index + 2, "=") else {
        return nil
      }
      let access = DeclarationPrefix(before: index, in: source).access
      return Alias(
        name: source.spelling(index + 1), isShared: access != "private" && access != "fileprivate")
    }
  }

  // MARK: - Types

  private static func type(
    at index: Int, in source: ScannedSource, inside outer: TypeDeclaration?
  ) -> TypeDeclaration? {
    guard source.isKeyword(index), typeKeywords.contains(source.spelling(index)),
      !source.isPunctuation(index - 1, "."),
      source.isName(index + 1), isTypeName(index + 1, in: source)
    else { return nil }
    var names = [source.spelling(index + 1)]
    var next = index + 2
    while source.isPunctuation(next, "."), source.isName(next + 1) {
      names.append(source.spelling(next + 1))
      next += 2
    }
    guard let head = head(from: next, in: source), let end = source.partners[head.brace] else {
      return nil
    }
    let name = names.joined(separator: ".")
    return TypeDeclaration(
      keyword: source.spelling(index), name: outer.map { "\($0.name).\(name)" } ?? name,
      inherits: head.inherits,
      hasRequirements: head.hasRequirements, prefix: DeclarationPrefix(before: index, in: source),
      introducer: index,
      body: head.brace...end)
  }

  /// Whether the token after a keyword such as `class` is a type's name.
  ///
  /// In `class func`, `class override var` and the like it is not.
  private static func isTypeName(_ index: Int, in source: ScannedSource) -> Bool {
    let name = source.spelling(index)
    return source.tokens[index].isQuoted
      || !(memberKeywords.contains(name) || DeclarationPrefix.modifiers.contains(name)
        || name == "where")
  }

  private static func head(
    from start: Int, in source: ScannedSource
  ) -> (brace: Int, inherits: [String], hasRequirements: Bool)? {
    var inherits: [String] = []
    var hasRequirements = false
    var index = start
    while index < source.tokens.count, !source.isPunctuation(index, "{") {
      if source.isPunctuation(index, "}") || source.isPunctuation(index, ";")
        || source.isPunctuation(index, "=") && !hasRequirements
      {
        return nil
      }
      if source.isWord(index, "where") { hasRequirements = true }
      let mayInherit =
        [":", ","].contains(source.spelling(index - 1)) || source.isPunctuation(index - 2, "@")
      if source.isName(index), mayInherit, !hasRequirements {
        inherits.append(dottedName(at: index, in: source))
      }
      if let partner = source.partners[index], partner > index { index = partner }
      index += 1
    }
    return index < source.tokens.count ? (index, inherits, hasRequirements) : nil
  }

  /// A name with its components after dots.
  private static func dottedName(at start: Int, in source: ScannedSource) -> String {
    var name = source.spelling(start)
    var index = start
    while source.isPunctuation(index + 1, "."), source.isName(index + 2) {
      index += 2
      name += "." + source.spelling(index)
    }
    return name
  }

  // MARK: - Members

  private func member(at index: Int) -> MemberDeclaration? {
    guard source.isKeyword(index), Self.memberKeywords.contains(source.spelling(index)),
      !source.isPunctuation(index - 1, ".")
    else { return nil }
    let keyword = source.spelling(index)
    let isNamed = source.isName(index + 1)
    let afterName = isNamed ? index + 2 : index + 1
    var parameters: ClosedRange<Int>?
    if keyword == "func" || keyword == "init", source.isPunctuation(afterName, "("),
      let end = source.partners[afterName]
    {
      parameters = afterName...end
    }
    return MemberDeclaration(
      keyword: keyword, name: isNamed ? source.spelling(index + 1) : keyword,
      prefix: DeclarationPrefix(before: index, in: source), introducer: index,
      parameters: parameters)
  }

  private static func imports(of source: ScannedSource) -> Set<String> {
    let kinds: Set<String> = [
      "class", "struct", "enum", "protocol", "func", "var", "let", "typealias",
    ]
    var names: Set<String> = []
    for index in source.tokens.indices where source.isWord(index, "import") {
      let named = kinds.contains(source.spelling(index + 1)) ? index + 2 : index + 1
      if source.isName(named) { names.insert(source.spelling(named)) }
    }
    return names
  }
}
