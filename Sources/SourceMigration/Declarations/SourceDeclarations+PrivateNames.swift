extension SourceDeclarations {
  /// The names that are private to this file.
  var privateNames: Set<String> {
    var names: Set<String> = []
    let introducers: Set<String> = [
      "func", "var", "let", "class", "struct", "enum", "actor", "protocol", "typealias",
    ]
    for index in source.tokens.indices where introducers.contains(source.spelling(index)) {
      let prefix = DeclarationPrefix(before: index, in: source)
      if source.isName(index + 1), isPrivate(prefix) { names.insert(source.spelling(index + 1)) }
    }
    for type in types where isPrivate(type.prefix) {
      names.formUnion(members(of: type).map(\.name))
    }
    return names
  }

  private func isPrivate(_ prefix: DeclarationPrefix) -> Bool {
    prefix.access == "private" || prefix.access == "fileprivate"
  }
}
