/// An `@NSManaged` property or method, and an equivalent body for platforms without Objective-C.
struct ManagedMember {
  /// Why a member cannot have such a body, in a sentence.
  struct UnsupportedReason: Error { let message: String }

  let prefix: DeclarationPrefix
  let introducer: Int
  /// The first token, including an `#if canImport(ObjectiveC)` block of attributes before the
  /// member.
  let start: Int
  /// The last token.
  let end: Int
  /// The lines between the braces.
  let body: [String]

  init(_ member: MemberDeclaration, in source: ScannedSource) throws(UnsupportedReason) {
    prefix = member.prefix
    introducer = member.introducer
    start = try Self.start(of: member, in: source)
    switch member.keyword {
    case "var":
      end = try Self.end(from: introducer + 2, in: source)
      guard source.isPunctuation(introducer + 2, ":"), end > introducer + 2 else {
        throw UnsupportedReason(
          message: "declare the property alone and with its type, so that it can be given a body")
      }
      body = Self.propertyBody(member.name)
    case "func":
      guard let parameters = member.parameters else {
        throw UnsupportedReason(
          message: "a generic method cannot be given a body; write it by hand")
      }
      end = try Self.end(from: parameters.lowerBound, in: source)
      guard end == parameters.upperBound,
        let statement = Self.statement(member.name, parameters, in: source)
      else {
        throw UnsupportedReason(
          message:
            "the method is not one that Core Data provides, such as addToTags(_:) or replaceTags(at:with:); "
            + "write its body by hand")
      }
      body = [statement]
    default:
      throw UnsupportedReason(
        message: "only a var or a func can be managed; write the member by hand")
    }
  }

  private static func start(of member: MemberDeclaration, in source: ScannedSource)
    throws(UnsupportedReason) -> Int
  {
    let start = member.prefix.start(before: member.introducer)
    guard source.isDirective(start - 1, "#endif"),
      let first = DeclarationPrefix(before: start - 1, in: source).elements.first?.tokens.lowerBound
    else { return start }
    let isObjectiveC =
      source.isDirective(first - 5, "#if") && source.isWord(first - 4, "canImport")
      && source.isWord(first - 2, "ObjectiveC") && source.isPunctuation(first - 1, ")")
    guard isObjectiveC else {
      throw UnsupportedReason(
        message: "its attributes are in an #if block; write the member twice by hand")
    }
    return first - 5
  }

  /// The last token of a declaration without a body.
  private static func end(from start: Int, in source: ScannedSource) throws(UnsupportedReason)
    -> Int
  {
    var index = start
    while index < source.tokens.count, index == start || !source.tokens[index].startsLine {
      if source.isPunctuation(index, "}") || source.isPunctuation(index, ";") { break }
      if ["{", "=", ","].contains(where: { source.isPunctuation(index, $0) }) {
        throw UnsupportedReason(
          message: "declare it alone, without a value or a body, so that it can be rewritten")
      }
      if let partner = source.partners[index], partner > index { index = partner }
      index += 1
    }
    if [".", "&", "-", ":", "=", "{", "?"].contains(where: { source.isPunctuation(index, $0) }) {
      throw UnsupportedReason(
        message: "write the declaration on one line, so that it can be rewritten")
    }
    return index - 1
  }

  // MARK: - Bodies

  private static func propertyBody(_ name: String) -> [String] {
    let rest = after("primitive", in: name).flatMap { $0.first?.isUppercase == true ? $0 : nil }
    let suffix = rest == nil ? "" : "Primitive"
    let key = rest.map(decapitalized) ?? name
    return ["get { _get\(suffix)(\"\(key)\") }", "set { _set\(suffix)(\"\(key)\", newValue) }"]
  }

  private struct Parameter {
    let label: String
    let name: String
    let isCollection: Bool
  }

  private static func statement(
    _ method: String, _ parentheses: ClosedRange<Int>, in source: ScannedSource
  ) -> String? {
    let parameters = parameters(parentheses, in: source)
    guard let first = parameters.first else { return nil }
    let of = first.isCollection ? "contentsOf: " : ""
    switch parameters.map(\.label) {
    case ["_"]:
      if let rest = after("addTo", in: method) {
        return "_add(\(of)\(first.name), to: \"\(decapitalized(rest))\")"
      }
      return after("removeFrom", in: method).map {
        "_remove(\(of)\(first.name), from: \"\(decapitalized($0))\")"
      }
    case ["at"]:
      return after("removeFrom", in: method).map {
        "_remove(at: \(first.name), from: \"\(decapitalized($0))\")"
      }
    case ["_", "at"]:
      return after("insertInto", in: method).map {
        "_insert(\(of)\(first.name), into: \"\(decapitalized($0))\", at: \(parameters[1].name))"
      }
    case ["at", "with"]:
      let with = parameters[1].isCollection ? "withContentsOf" : "with"
      return after("replace", in: method).map {
        "_replace(at: \(first.name), \(with): \(parameters[1].name), in: \"\(decapitalized($0))\")"
      }
    default: return nil
    }
  }

  private static let collections: Set<String> = [
    "Array", "NSArray", "NSMutableArray", "NSMutableOrderedSet", "NSMutableSet", "NSOrderedSet",
    "NSSet", "Set",
  ]

  /// Parses the parameters, each of which must be a label, a name, a colon and a type.
  private static func parameters(_ parentheses: ClosedRange<Int>, in source: ScannedSource)
    -> [Parameter]
  {
    var parameters: [Parameter] = []
    var index = parentheses.lowerBound + 1
    while source.isName(index) {
      let name = source.isName(index + 1) ? index + 1 : index
      guard source.isPunctuation(name + 1, ":") else { return [] }
      let type = name + 2
      let isDictionary = source.isPunctuation(type, "[") && hasColon(in: type, of: source)
      let isCollection =
        source.isPunctuation(type, "[") && !isDictionary
        || collections.contains(source.spelling(type)) && !source.isPunctuation(type + 1, ".")
      parameters.append(
        Parameter(
          label: source.spelling(index), name: source.text(source.tokens[name].range),
          isCollection: isCollection))
      index = type
      while index < parentheses.upperBound, !source.isPunctuation(index, ",") {
        if let partner = source.partners[index], partner > index { index = partner }
        index += 1
      }
      if index == parentheses.upperBound { return parameters }
      index += 1
    }
    return []
  }

  private static func hasColon(in bracket: Int, of source: ScannedSource) -> Bool {
    (bracket..<(source.partners[bracket] ?? bracket)).contains { source.isPunctuation($0, ":") }
  }

  private static func after(_ prefix: String, in name: String) -> String? {
    name.hasPrefix(prefix) && name.count > prefix.count ? String(name.dropFirst(prefix.count)) : nil
  }

  private static func decapitalized(_ name: String) -> String {
    name.prefix(1).lowercased() + name.dropFirst()
  }
}
