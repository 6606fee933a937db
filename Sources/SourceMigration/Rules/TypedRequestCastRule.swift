/// Warns of casts between requests with different result types.
///
/// Without Objective-C's generics, `NSFetchRequest<A>` is never an `NSFetchRequest<B>`. Casts to
/// `NSFetchRequest<NSFetchRequestResult>` are left to `FetchRequestCastRule`.
struct TypedRequestCastRule: MigrationRule {
  func apply(to draft: inout FileDraft) {
    let source = draft.source
    for index in source.tokens.indices
    where source.isWord(index, "as") && !source.needsObjectiveC(index) {
      guard source.isPunctuation(index + 1, "!") || source.isPunctuation(index + 1, "?"),
        source.isWord(index + 2, "NSFetchRequest"),
        source.isPunctuation(index + 3, "<"), let end = typeEnd(from: index + 4, in: source)
      else { continue }
      let type = source.text(source.bytes(from: index + 4, through: end - 1))
      guard type != "NSFetchRequestResult", type != "any NSFetchRequestResult" else { continue }
      let effect = source.isPunctuation(index + 1, "!") ? "traps" : "returns nil"
      draft.report(
        .warning, atToken: index,
        "this cast \(effect) without the Objective-C runtime; create the request with the required type, or write "
          + "“unsafeBitCast(request, to: NSFetchRequest<\(type)>.self)”, which is correct on every platform: a fetch returns "
          + "objects of the request's static type")
    }
  }

  /// The index of the `>` that closes the type.
  private func typeEnd(from start: Int, in source: ScannedSource) -> Int? {
    var depth = 1
    var index = start
    while index < source.tokens.count, index < start + Limits.declarationPrefix {
      if source.isPunctuation(index, "<") { depth += 1 }
      if source.isPunctuation(index, ">") { depth -= 1 }
      if depth == 0 { return index > start ? index : nil }
      index += 1
    }
    return nil
  }
}
