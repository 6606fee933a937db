/// Finds type declarations, imports and `@NSManaged` members in the tokens of a Swift source file.
///
/// It is not a full parser: it follows braces and `#if`, and scans the bodies of types. In the
/// bodies of functions, it looks only for classes with managed members.
struct DeclarationScanner {
  private enum Scope {
    case type(path: [String], memberAccess: AccessLevel, isClassBody: Bool)
    /// A class inside a function. The function's name is nil if the braces belong to something
    /// else, such as an accessor.
    case localClass(name: String, function: String?)
    case other(function: String?)
  }

  private struct Header {
    var path: [String]
    var memberAccess: AccessLevel
    var isClassBody = false
  }

  private let tokens: [SourceToken]
  private var index = 0
  private var scopes: [Scope] = []
  private var pendingHeader: Header?
  /// The function whose braces come next.
  private var pendingFunction: String?
  /// The local class whose braces come next.
  private var pendingLocalClass: String?
  /// The name in an `@objc(…)` before a possible class.
  private var pendingObjectiveCName: String?
  private var conditions = ConditionStack()
  private var found: SourceFileDeclarations

  private init(source: String, file: String) {
    tokens = SourceLexer.tokens(of: source)
    found = SourceFileDeclarations(file: file)
  }

  static func scan(source: String, file: String) -> SourceFileDeclarations {
    var scanner = DeclarationScanner(source: source, file: file)
    scanner.run()
    return scanner.found
  }

  private mutating func run() {
    while index < tokens.count {
      let token = tokens[index]
      index += 1
      switch token.kind {
      case .directive(let directive): conditions.apply(directive, condition: token.text)
      case .punctuation where token.text == "@" && tokens[safely: index]?.isWord("objc") == true:
        objectiveCName()
      case _ where conditions.isNeverCompiled:
        if token.isPunctuation("{") { pendingObjectiveCName = nil }
      case .annotation: readAnnotation(token)
      case .punctuation: punctuation(token)
      case .word where isDeclarationPlace: word(token)
      case .word: localWord(token)
      default: break
      }
    }
  }

  /// The path of the innermost type; empty at file scope, nil inside a function.
  private var typePath: [String]? {
    guard let scope = scopes.last else { return [] }
    if case .type(let path, _, _) = scope { return path }
    return nil
  }

  private var isDeclarationPlace: Bool { typePath != nil }

  private var memberAccess: AccessLevel {
    if case .type(_, let access, _)? = scopes.last { return access }
    return .internal
  }

  private var isClassBody: Bool {
    if case .type(_, _, true)? = scopes.last { return true }
    return false
  }

  /// The enclosing function, if any.
  private var function: String? {
    switch scopes.last {
    case .other(let function)?, .localClass(_, let function)?: function
    default: nil
    }
  }

  private mutating func punctuation(_ token: SourceToken) {
    switch token.text {
    case "{": openBrace()
    case "}": _ = scopes.popLast()
    case "@" where isDeclarationPlace && index < tokens.count && tokens[index].isWord("NSManaged"):
      managedMember(attribute: index - 1)
    case "@" where tokens[safely: index]?.isWord("NSManaged") == true: localManagedMember()
    default: break
    }
  }

  private mutating func openBrace() {
    if let header = pendingHeader {
      scopes.append(
        .type(path: header.path, memberAccess: header.memberAccess, isClassBody: header.isClassBody)
      )
    } else if let name = pendingLocalClass {
      scopes.append(.localClass(name: name, function: function))
    } else {
      scopes.append(.other(function: pendingFunction ?? function))
    }
    (pendingHeader, pendingLocalClass, pendingFunction, pendingObjectiveCName) = (
      nil, nil, nil, nil
    )
  }
}

// MARK: - Types, aliases, imports, annotations

extension DeclarationScanner {
  private static let typeKeywords: [String: NominalType.Kind] = [
    "class": .class, "actor": .class, "struct": .structure, "enum": .enumeration,
    "protocol": .protocol,
  ]

  private mutating func word(_ token: SourceToken) {
    guard index < 2 || !tokens[index - 2].isPunctuation(".") else { return }
    if let kind = Self.typeKeywords[token.text] {
      typeDeclaration(kind)
    } else if token.text == "extension" {
      extensionDeclaration()
    } else if token.text == "typealias" {
      aliasDeclaration()
    } else if token.text == "import" {
      importDeclaration()
    } else if token.text == "func", let name = tokens[safely: index], name.isName {
      (pendingFunction, pendingObjectiveCName) = (name.text, nil)
    } else if token.text == "init", tokens[safely: index]?.isPunctuation("(") == true {
      initializer(token)
    } else if token.text == "var" {
      pendingObjectiveCName = nil
    }
  }

  /// Scans a word inside a function.
  ///
  /// Only classes matter there: their managed members cannot have accessors.
  private mutating func localWord(_ token: SourceToken) {
    guard token.text == "class", !tokens[index - 1 == 0 ? 0 : index - 2].isPunctuation("."),
      let name = tokens[safely: index], name.isName, !Self.modifiersAndKeywords.contains(name.text)
    else { return }
    pendingLocalClass = name.text
  }

  /// Reads `@objc(Name)`, which is often in a block that is compiled only with Objective-C.
  private mutating func objectiveCName() {
    guard tokens[safely: index + 1]?.isPunctuation("(") == true,
      let name = tokens[safely: index + 2], name.isName,
      tokens[safely: index + 3]?.isPunctuation(")") == true
    else { return }
    pendingObjectiveCName = name.text
  }

  private mutating func initializer(_ token: SourceToken) {
    guard let path = typePath, isClassBody else { return }
    var labels: [String] = []
    var at = index + 1
    var depth = 1
    var isLabel = true
    while depth > 0, let next = tokens[safely: at] {
      if isLabel, next.isName { labels.append(next.text) }
      isLabel = depth == 1 && next.isPunctuation(",")
      if next.kind == .punctuation, "([{<".contains(next.text) { depth += 1 }
      if next.kind == .punctuation, ")]}>".contains(next.text), !isArrowHead(at) { depth -= 1 }
      at += 1
    }
    found.initializers.append(
      InitializerDeclaration(
        file: found.file, line: token.line, owner: path, labels: labels,
        modifiers: modifierWords(endingAt: index - 2)))
  }

  private func isArrowHead(_ at: Int) -> Bool {
    tokens[at].isPunctuation(">") && tokens[safely: at - 1]?.isPunctuation("-") == true
  }

  /// The words among the modifiers before a token.
  private func modifierWords(endingAt last: Int) -> Set<String> {
    var words: Set<String> = []
    var at = last
    while let token = tokens[safely: at], token.kind == .word,
      Self.modifiersAndKeywords.contains(token.text)
    {
      words.insert(token.text)
      at -= 1
    }
    return words
  }

  private mutating func typeDeclaration(_ kind: NominalType.Kind) {
    guard let path = typePath, let name = tokens[safely: index], name.isName,
      name.kind == .escapedWord || !Self.modifiersAndKeywords.contains(name.text)
    else { return }
    let access = modifiers(endingAt: index - 2).access ?? memberAccess
    index += 1
    found.names.declare(
      kind, at: path + [name.text], access: access, conditions: conditions.undecided)
    if kind == .class {
      if let objectiveCName = pendingObjectiveCName {
        found.names.declareObjectiveCName(objectiveCName, of: path + [name.text])
      }
      found.superclasses[path + [name.text]] = superclass()
    }
    pendingObjectiveCName = nil
    pendingHeader = Header(
      path: path + [name.text], memberAccess: .internal, isClassBody: kind == .class)
  }

  /// The first name after the colon of a class.
  private func superclass() -> [String]? {
    guard tokens[safely: index]?.isPunctuation(":") == true else { return nil }
    var path: [String] = []
    var at = index + 1
    while let name = tokens[safely: at], name.isName {
      path.append(name.text)
      guard tokens[safely: at + 1]?.isPunctuation(".") == true else { break }
      at += 2
    }
    return path.isEmpty ? nil : path
  }

  private mutating func extensionDeclaration() {
    let access = modifiers(endingAt: index - 2).access ?? .internal
    var path: [String] = []
    while let name = tokens[safely: index], name.isName {
      path.append(name.text)
      index += 1
      guard tokens[safely: index]?.isPunctuation(".") == true else { break }
      index += 1
    }
    if !path.isEmpty { pendingHeader = Header(path: path, memberAccess: access) }
  }

  private mutating func aliasDeclaration() {
    guard let path = typePath, let name = tokens[safely: index], name.isName else { return }
    index += 1
    guard tokens[safely: index]?.isPunctuation("=") == true else { return }
    index += 1
    found.names.declareAlias(at: path + [name.text], text: takeType())
  }

  private mutating func importDeclaration() {
    guard scopes.isEmpty else { return }
    var text = ""
    while let token = tokens[safely: index], !token.startsLine,
      token.isName || token.isPunctuation(".")
    {
      text +=
        text.isEmpty || text.hasSuffix(".") || token.text == "." ? token.text : " \(token.text)"
      index += 1
    }
    if !text.isEmpty, conditions.undecided.isEmpty { found.imports.append(text) }
  }

  /// Reads `// modelc: class Module.Name`, which declares a type that this scanner cannot see.
  private mutating func readAnnotation(_ token: SourceToken) {
    let words = token.text.split(separator: " ")
    let path = words.last?.split(separator: ".").map(String.init) ?? []
    guard words.count == 2, path.count == 2, let kind = Self.typeKeywords[String(words[0])] else {
      found.issues.append(
        GenerationIssue(
          file: found.file, line: token.line,
          "A comment for modelc has the form “// modelc: class Module.Name”, with class, struct, enum or protocol."
        ))
      return
    }
    found.names.declareForeign(NominalType(kind, path[1], in: path[0]))
  }
}

// MARK: - Managed members

extension DeclarationScanner {
  private static let modifiersAndKeywords: Set<String> = [
    "public", "internal", "private", "fileprivate", "open", "package", "final", "override",
    "dynamic", "weak",
    "unowned",
    "nonisolated", "static", "class", "lazy", "optional", "required", "convenience", "mutating",
    "indirect", "func",
    "var", "let", "subscript", "init", "deinit", "case", "struct", "enum", "protocol", "extension",
    "typealias",
    "async",
  ]

  private static let memberModifiers: Set<String> = [
    "public", "internal", "private", "fileprivate", "open", "package", "final", "override",
    "dynamic", "weak",
    "unowned",
    "nonisolated", "optional", "unsafe", "set", "class", "indirect", "static", "lazy",
  ]

  private struct Modifiers {
    var access: AccessLevel?
    var setterAccess: AccessLevel?

    mutating func record(_ level: AccessLevel, isSetter: Bool) {
      if isSetter { setterAccess = level } else { access = level }
    }
  }

  /// The modifiers and attributes before a token, read backwards.
  private func modifiers(endingAt last: Int) -> Modifiers {
    var modifiers = Modifiers()
    var at = last
    var isSetter = false
    while let token = tokens[safely: at] {
      if token.isPunctuation(")") {
        guard let opening = openingParenthesis(closedAt: at) else { break }
        isSetter = at - opening == 2 && tokens[opening + 1].isWord("set")
        at = opening - 1
        continue
      }
      let isAttribute = token.isName && tokens[safely: at - 1]?.isPunctuation("@") == true
      if isAttribute {
        at -= 2
      } else if token.kind == .word, Self.memberModifiers.contains(token.text) {
        if let level = AccessLevel(rawValue: token.text) {
          modifiers.record(level, isSetter: isSetter)
        }
        at -= 1
      } else if case .directive = token.kind {
        // `#if` may surround an attribute.
        at -= 1
      } else {
        break
      }
      isSetter = false
    }
    return modifiers
  }

  private func openingParenthesis(closedAt last: Int) -> Int? {
    var depth = 0
    for at in stride(from: last, through: max(0, last - 200), by: -1) {
      if tokens[at].isPunctuation(")") { depth += 1 }
      if tokens[at].isPunctuation("(") { depth -= 1 }
      if depth == 0 { return at }
    }
    return nil
  }

  private mutating func managedMember(attribute: Int) {
    let line = tokens[attribute].line
    while let token = tokens[safely: index], !token.isWord("var"), !token.isWord("func") {
      guard !token.isPunctuation("{"), !token.isPunctuation("}"), !token.isPunctuation(";") else {
        return
      }
      index += 1
    }
    guard let keyword = tokens[safely: index], let owner = typePath, !owner.isEmpty else { return }
    let modifiers = modifiers(endingAt: index - 1)
    let access = modifiers.access ?? memberAccess
    index += 1
    let shape = ManagedDeclaration(
      file: found.file, line: line, owner: owner, name: "", member: .property(type: []),
      access: access,
      setterAccess: min(access, modifiers.setterAccess ?? access), conditions: conditions.undecided)
    if keyword.isWord("var") { properties(shape) } else { method(shape) }
  }

  /// Reads a managed member of a local class.
  private mutating func localManagedMember() {
    let local: (name: String, function: String?)? = scopes.reversed().lazy.compactMap {
      if case .localClass(let name, let function) = $0 { (name, function) } else { nil }
    }.first
    var at = index
    while let token = tokens[safely: at], !token.isWord("var"), !token.isWord("func"),
      at < index + 16
    { at += 1 }
    guard let local, let member = tokens[safely: at + 1], member.isName else { return }
    let place = local.function.map { "to \($0)()" } ?? "to a function"
    found.issues.append(
      GenerationIssue(
        file: found.file, line: tokens[index].line,
        "@NSManaged \(member.text): class \(local.name) is local \(place), so no other file can give the member accessors. Move the class to file scope."
      ))
  }

  private mutating func properties(_ shape: ManagedDeclaration) {
    var untyped: [ManagedDeclaration] = []
    while let name = tokens[safely: index], name.isName {
      index += 1
      var property = shape
      property.name = name.text
      untyped.append(property)
      if tokens[safely: index]?.isPunctuation(":") == true {
        index += 1
        let type = takeType()
        // In `var a, b: T` both properties have the type.
        for var property in untyped {
          property.member = .property(type: type)
          found.managed.append(property)
        }
        untyped = []
      }
      guard tokens[safely: index]?.isPunctuation(",") == true else { break }
      index += 1
    }
  }

  private mutating func method(_ shape: ManagedDeclaration) {
    guard let name = tokens[safely: index], name.isName else { return }
    index += 1
    guard tokens[safely: index]?.isPunctuation("(") == true else { return }
    index += 1
    var parameters: [ManagedDeclaration.Parameter] = []
    while let token = tokens[safely: index], !token.isPunctuation(")") {
      guard let parameter = takeParameter() else { return }
      parameters.append(parameter)
    }
    index += 1
    var method = shape
    method.name = name.text
    method.member = .method(parameters: parameters, result: takeResult())
    found.managed.append(method)
  }

  private mutating func takeParameter() -> ManagedDeclaration.Parameter? {
    var names: [String] = []
    while let token = tokens[safely: index], token.isName {
      names.append(token.text)
      index += 1
    }
    guard let first = names.first, tokens[safely: index]?.isPunctuation(":") == true else {
      return nil
    }
    index += 1
    let type = takeType()
    if tokens[safely: index]?.isPunctuation(",") == true { index += 1 }
    return .init(label: first == "_" ? nil : first, type: type)
  }

  private mutating func takeResult() -> [SourceToken] {
    guard tokens[safely: index]?.isPunctuation("-") == true,
      tokens[safely: index + 1]?.isPunctuation(">") == true
    else { return [] }
    index += 2
    return takeType()
  }

  /// Reads the tokens of a type: up to a comma, an end of line, a brace or a closing bracket
  /// outside its own brackets.
  private mutating func takeType() -> [SourceToken] {
    var type: [SourceToken] = []
    var depth = 0
    while let token = tokens[safely: index] {
      if depth == 0, token.startsLine, !type.isEmpty { break }
      if case .directive = token.kind { break }
      if token.kind == .annotation { break }
      let isArrow = token.text == ">" && type.last?.isPunctuation("-") == true
      if token.kind == .punctuation {
        if "([<".contains(token.text) { depth += 1 }
        if ")]>".contains(token.text), !isArrow {
          if depth == 0 { break }
          depth -= 1
        }
        if depth == 0, ",;={}".contains(token.text) { break }
      }
      type.append(token)
      index += 1
    }
    return type
  }
}

extension Array {
  fileprivate subscript(safely index: Int) -> Element? {
    indices.contains(index) ? self[index] : nil
  }
}
