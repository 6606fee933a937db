/// Replaces `#selector` of Foundation's comparison methods with `Selector((…))`.
///
/// Every other `#selector` is reported.
struct SelectorRule: MigrationRule {
  /// The comparison methods of NSString, NSNumber and NSDate, by their Swift name, with their
  /// Objective-C names.
  private static let comparisons: [String: String] = [
    "compare": "compare:",
    "caseInsensitiveCompare": "caseInsensitiveCompare:",
    "localizedCompare": "localizedCompare:",
    "localizedCaseInsensitiveCompare": "localizedCaseInsensitiveCompare:",
    "localizedStandardCompare": "localizedStandardCompare:",
  ]

  private static let owners: Set<String> = [
    "NSString", "NSMutableString", "NSNumber", "NSDecimalNumber", "NSDate",
  ]

  func apply(to draft: inout FileDraft) {
    let source = draft.source
    let handled = NotificationObserverRule.handledSelectors(in: draft)
      .union(SelectorDeclarationRule.handledSelectors(in: source))
    for index in source.tokens.indices where source.isDirective(index, "#selector") {
      guard !source.needsObjectiveC(index), !handled.contains(index),
        source.isPunctuation(index + 1, "("),
        let end = source.partners[index + 1]
      else { continue }
      if let selector = Self.comparison(between: index + 1, and: end, in: source) {
        let text = "Selector((\"\(selector)\"))"
        draft.replace(source.bytes(from: index, through: end), by: text, advice: "write \(text)")
      } else {
        draft.report(.warning, atToken: index, advice(for: index, in: source))
      }
    }
  }

  /// Whether this rule rewrites a `#selector`.
  static func isComparison(_ index: Int, in source: ScannedSource) -> Bool {
    source.partners[index + 1].map { comparison(between: index + 1, and: $0, in: source) != nil }
      ?? false
  }

  private static func comparison(between open: Int, and close: Int, in source: ScannedSource)
    -> String?
  {
    guard owners.contains(source.spelling(open + 1)), source.isPunctuation(open + 2, "."),
      source.isName(open + 3),
      let selector = comparisons[source.spelling(open + 3)]
    else { return nil }
    let labels = ((open + 4)..<close).map(source.spelling).joined()
    return labels.isEmpty || labels == "(_:)" ? selector : nil
  }

  private func advice(for index: Int, in source: ScannedSource) -> String {
    let isSorting = source.isPunctuation(index - 1, ":") && source.isWord(index - 2, "selector")
    let call = isSorting ? enclosingCall(of: index, in: source) : nil
    return switch call {
    case "NSSortDescriptor":
      "a sort descriptor cannot call this method without the Objective-C runtime; "
        + "sort by one of NSString's comparisons, or in memory"
    case "scheduledTimer", "Timer":
      "#selector needs the Objective-C runtime; use the form of Timer that takes a block"
    default:
      "#selector needs the Objective-C runtime; pass a closure, "
        + "or keep the call in #if canImport(ObjectiveC) and write the other branch"
    }
  }

  /// The name before the parenthesis around the token.
  private func enclosingCall(of index: Int, in source: ScannedSource) -> String? {
    var position = index - 1
    while position >= 0 {
      if let partner = source.partners[position] {
        guard partner < position else { return source.spelling(position - 1) }
        position = partner
      }
      position -= 1
    }
    return nil
  }
}
