import Foundation
import TextMatching

/// Comparisons of type `customSelector`: the predefined methods, and those of types that adopt
/// `SelectorPerforming`.
extension NSComparisonPredicate {
  func call(_ left: Value, _ right: Value) throws(PredicateEvaluationError) -> Bool {
    let name = customSelectorName ?? ""
    guard let target = left.any else { return false }
    if name == Self.fullTextSelectorName { return containsWords(left, right) }
    if let performer = target as? any SelectorPerforming {
      return try perform(name, on: performer, right)
    }
    if name == Self.tokenMatchesSelectorName { return tokensMatch(left, right) }
    if name.hasPrefix("isEqual") { return left.isEqual(to: right) }
    if case .collection(let elements) = left, name == "containsObject:" {
      return elements.values.contains { right.isEqual(to: Value($0)) }
    }
    guard case .string(let text) = left, case .string(let other) = right,
      let method = TextMethod(rawValue: name)
    else {
      throw PredicateEvaluationError(
        .badFunctionCall,
        "A value of type \(type(of: target)) has no method “\(name)” that a comparison can call. "
          + "Make the type adopt SelectorPerforming.")
    }
    return try preparation.pattern(method.operation, other, method.options).matches(text)
  }

  private func perform(
    _ name: String, on performer: any SelectorPerforming, _ right: Value
  ) throws(PredicateEvaluationError) -> Bool {
    do {
      let result = try performer.perform(selectorNamed: name, with: [right.any])
      return result.flatMap(Number.init).map { $0.double != 0 } ?? false
    } catch {
      throw PredicateEvaluationError(
        .badFunctionCall, "“\(name)” of a value of type \(type(of: performer)) failed: \(error)")
    }
  }

  /// Whether the words of a full-text query are in the left text or texts.
  private func containsWords(_ left: Value, _ right: Value) -> Bool {
    guard case .string(let query) = right else { return false }
    switch left {
    case .string(let text): return FullTextQuery(query).matches([text])
    case .collection(let texts):
      return FullTextQuery(query).matches(texts.values.compactMap { $0 as? String })
    default: return false
    }
  }

  /// Whether every word of the right text is a word of the left one.
  private func tokensMatch(_ left: Value, _ right: Value) -> Bool {
    guard case .string(let text) = left, case .string(let query) = right else { return false }
    let folding = TextFolding(TextOptions(rawValue: options.rawValue))
    let words = Self.words(of: folding.fold(text))
    return Self.words(of: folding.fold(query)).isSubset(of: words)
  }

  private static func words(of text: String) -> Set<Substring> {
    Set(text.split { !$0.isLetter && !$0.isNumber })
  }

  private enum TextMethod: String {
    case hasPrefix = "hasPrefix:"
    case hasSuffix = "hasSuffix:"
    case contains = "containsString:"
    case localizedCaseInsensitiveContains = "localizedCaseInsensitiveContainsString:"
    case localizedStandardContains = "localizedStandardContainsString:"

    var operation: TextOperator {
      switch self {
      case .hasPrefix: .beginsWith
      case .hasSuffix: .endsWith
      default: .contains
      }
    }

    var options: TextOptions {
      switch self {
      case .localizedCaseInsensitiveContains: [.caseInsensitive, .localeSensitive]
      case .localizedStandardContains: [.caseInsensitive, .diacriticInsensitive, .localeSensitive]
      default: []
      }
    }
  }
}
