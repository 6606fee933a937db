/// Removes the forced cast to `NSFetchRequest<NSFetchRequestResult>`, which traps if generic
/// classes are not Objective-C classes.
///
/// - After `X.fetchRequest()`, the type alone selects the inherited method. So the forced cast
///   becomes a plain `as`, or is removed if an argument's label already determines the type.
/// - A constructed request gets the result type of the cast instead.
/// - A request from an earlier statement needs its cast on Apple's platforms, so the statement is
///   written twice, with and without the cast.
///
/// All these forms mean the same on Apple's platforms.
struct FetchRequestCastRule: MigrationRule {
  func apply(to draft: inout FileDraft) {
    let source = draft.source
    var writtenEnd = 0
    for index in source.tokens.indices
    where isCast(index, in: source) && !source.needsObjectiveC(index) {
      if source.isPunctuation(index + 1, "?") {
        draft.report(
          .warning, atToken: index,
          "this cast returns nil without the Objective-C runtime; declare the request as "
            + "NSFetchRequest<NSFetchRequestResult> where it is created")
      } else if followsFetchRequestCall(index, in: source) {
        rewrite(index, in: &draft)
      } else if let argument = constructedResult(before: index, in: source) {
        if removeCast(index, in: &draft) {
          draft.add(Edit(source.tokens[argument].range, "NSFetchRequestResult"))
        }
      } else if index < writtenEnd {
        continue
      } else if takesAnyRequest(index, in: source),
        let statement = Statement(around: index, in: source)
      {
        writeTwice(statement, in: &draft)
        writtenEnd = statement.tokens.upperBound
      } else {
        draft.report(
          .warning, atToken: index,
          "this cast traps without the Objective-C runtime; declare the request itself as "
            + "“let request: NSFetchRequest<NSFetchRequestResult> = Entity.fetchRequest()” and drop the cast"
        )
      }
    }
  }

  /// `as!` or `as?` before `NSFetchRequest<NSFetchRequestResult>`.
  private func isCast(_ index: Int, in source: ScannedSource) -> Bool {
    guard source.isWord(index, "as"),
      source.isPunctuation(index + 1, "!") || source.isPunctuation(index + 1, "?"),
      source.isWord(index + 2, "NSFetchRequest"), source.isPunctuation(index + 3, "<")
    else { return false }
    return source.isPunctuation(typeEnd(of: index, in: source), ">")
      && source.isWord(typeEnd(of: index, in: source) - 1, "NSFetchRequestResult")
  }

  /// The index of the `>`; the result may be written `any NSFetchRequestResult`.
  private func typeEnd(of index: Int, in source: ScannedSource) -> Int {
    source.isWord(index + 4, "any") ? index + 6 : index + 5
  }

  private func followsFetchRequestCall(_ index: Int, in source: ScannedSource) -> Bool {
    source.isPunctuation(index - 1, ")") && source.isPunctuation(index - 2, "(")
      && source.isWord(index - 3, "fetchRequest")
      && source.isPunctuation(index - 4, ".")
  }

  private func rewrite(_ index: Int, in draft: inout FileDraft) {
    if isLabelled(index, in: draft.source) {
      removeCast(index, in: &draft)
    } else {
      let range = draft.source.bytes(from: index, through: index + 1)
      draft.replace(range, by: "as", advice: "write “as” instead of the forced cast")
    }
  }

  /// Whether the whole expression is the argument `fetchRequest:` of a call.
  private func isLabelled(_ index: Int, in source: ScannedSource) -> Bool {
    let end = typeEnd(of: index, in: source)
    guard source.isPunctuation(end + 1, ")") || source.isPunctuation(end + 1, ",") else {
      return false
    }
    var start = index - 4
    while source.isPunctuation(start, "."), source.isName(start - 1) { start -= 2 }
    return source.isPunctuation(start, ":") && source.isWord(start - 1, "fetchRequest")
  }

  /// The index of `Post` in `NSFetchRequest<Post>(…)` before the cast.
  private func constructedResult(before index: Int, in source: ScannedSource) -> Int? {
    guard source.isPunctuation(index - 1, ")"), let open = source.partners[index - 1],
      source.isPunctuation(open - 1, ">"),
      source.isName(open - 2), source.isPunctuation(open - 3, "<"),
      source.isWord(open - 4, "NSFetchRequest")
    else { return nil }
    return open - 2
  }

  /// Whether the value is the argument of a function that takes every request type without
  /// Objective-C: `NSBatchDeleteRequest(fetchRequest:)`, `fetch(_:)` or `count(for:)`.
  private func takesAnyRequest(_ index: Int, in source: ScannedSource) -> Bool {
    var start = index - 1
    while source.isName(start), source.isPunctuation(start - 1, ".") { start -= 2 }
    guard source.isName(start) else { return false }
    var open = start - 1
    let label = source.isPunctuation(open, ":") ? source.spelling(open - 1) : ""
    if !label.isEmpty { open -= 2 }
    guard source.isPunctuation(open, "("), let close = source.partners[open] else { return false }
    let isOnly = close == typeEnd(of: index, in: source) + 1
    return isOnly && Self.callsTakingAnyRequest.contains("\(source.spelling(open - 1))(\(label):)")
  }

  private static let callsTakingAnyRequest: Set<String> = [
    "NSBatchDeleteRequest(fetchRequest:)", "fetch(:)", "count(for:)",
  ]

  private func writeTwice(_ statement: Statement, in draft: inout FileDraft) {
    let source = draft.source
    let range = source.bytes(
      from: statement.tokens.lowerBound, through: statement.tokens.upperBound)
    let casts = statement.tokens.filter {
      isCast($0, in: source) && source.isPunctuation($0 + 1, "!")
    }
    let removals = casts.map { index in
      Edit(
        source.tokens[index - 1].range
          .upperBound..<source.tokens[typeEnd(of: index, in: source)].range.upperBound, "")
    }
    let withoutCasts = draft.text(of: range, adding: removals)
    let lineBreak = source.newline + source.indentation(of: range.lowerBound)
    draft.add(.insertion("#if canImport(ObjectiveC)" + lineBreak, at: range.lowerBound))
    draft.add(
      .insertion(
        "\(lineBreak)#else\(lineBreak)\(withoutCasts)\(lineBreak)#endif",
        at: source.lineEnd(after: range.upperBound)))
  }

  @discardableResult
  private func removeCast(_ index: Int, in draft: inout FileDraft) -> Bool {
    let source = draft.source
    let start = source.tokens[index - 1].range.upperBound
    let end = source.tokens[typeEnd(of: index, in: source)].range.upperBound
    return draft.replace(start..<end, by: "", advice: "drop the cast")
  }
}
