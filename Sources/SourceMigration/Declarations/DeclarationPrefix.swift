/// The attributes and modifiers before a declaration.
struct DeclarationPrefix: Sendable {
  struct Element: Sendable {
    /// The name without arguments: `public` for `public`, `private` for `private(set)`, `@objc` for
    /// `@objc(name)`.
    let name: String
    let hasArguments: Bool
    /// The indices of its first and last token.
    let tokens: ClosedRange<Int>
  }

  /// The elements in source order.
  let elements: [Element]

  /// The index of the declaration's first token, given the index of its introducer.
  func start(before introducer: Int) -> Int { elements.first?.tokens.lowerBound ?? introducer }

  func contains(_ name: String) -> Bool { elements.contains { $0.name == name } }

  /// The access level of the whole declaration, if there is one.
  var access: String? {
    elements.first { Self.accessLevels.contains($0.name) && !$0.hasArguments }?.name
  }

  static let accessLevels: Set<String> = [
    "open", "public", "package", "internal", "fileprivate", "private",
  ]

  static let modifiers: Set<String> = accessLevels.union([
    "static", "class", "final", "override", "convenience", "required", "lazy", "weak", "unowned",
    "dynamic", "optional",
    "mutating", "nonmutating", "indirect", "nonisolated", "distributed", "prefix", "postfix",
    "infix", "consuming",
    "borrowing",
  ])

  /// Reads backward from the token at `end`, the first one after the prefix.
  init(before end: Int, in source: ScannedSource) {
    var found: [Element] = []
    var next = end
    while found.count < Limits.declarationPrefix,
      let element = Self.element(endingBefore: next, in: source)
    {
      found.append(element)
      next = element.tokens.lowerBound
    }
    elements = Self.droppingPreviousDeclaration(Array(found.reversed()), before: end, in: source)
  }

  private static func element(endingBefore end: Int, in source: ScannedSource) -> Element? {
    let last = end - 1
    guard source.tokens.indices.contains(last) else { return nil }
    var nameIndex = last
    if source.isPunctuation(last, ")"), let opening = source.partners[last] {
      nameIndex = opening - 1
    }
    guard source.isKeyword(nameIndex) else { return nil }
    let hasArguments = nameIndex != last
    var first = nameIndex
    while source.isPunctuation(first - 1, "."), source.isName(first - 2) { first -= 2 }
    if source.isPunctuation(first - 1, "@") {
      return Element(
        name: "@" + source.spelling(first), hasArguments: hasArguments, tokens: (first - 1)...last)
    }
    guard first == nameIndex, modifiers.contains(source.spelling(nameIndex)),
      !source.isPunctuation(nameIndex - 1, ".")
    else { return nil }
    return Element(
      name: source.spelling(nameIndex), hasArguments: hasArguments, tokens: nameIndex...last)
  }

  /// Drops words of the previous declaration, such as the `open` of `case open` on the line above.
  ///
  /// A prefix that begins a line, or follows a brace or a semicolon, is complete. Otherwise it
  /// starts at the first element that begins a line. It is empty if no element begins a line, but
  /// the declaration does.
  private static func droppingPreviousDeclaration(
    _ elements: [Element], before end: Int, in source: ScannedSource
  ) -> [Element] {
    guard let first = elements.first else { return [] }
    let before = first.tokens.lowerBound - 1
    let beginsCleanly =
      source.tokens[first.tokens.lowerBound].startsLine || before < 0
      || ["{", "}", ";"].contains(source.spelling(before))
        && source.tokens[before].kind == .punctuation
    if beginsCleanly { return elements }
    guard let clean = elements.firstIndex(where: { source.tokens[$0.tokens.lowerBound].startsLine })
    else {
      let standsAlone = source.tokens.indices.contains(end) && source.tokens[end].startsLine
      return standsAlone ? [] : elements
    }
    return Array(elements[clean...])
  }

  /// The elements, preceded by those in an `#if` block that contains only attributes.
  func elementsWithConditional(before introducer: Int, in source: ScannedSource) -> [Element] {
    let end = start(before: introducer) - 1
    guard source.isDirective(end, "#endif") else { return elements }
    return DeclarationPrefix(before: end, in: source).elements + elements
  }
}
