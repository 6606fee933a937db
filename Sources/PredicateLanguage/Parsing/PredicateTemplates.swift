import Foundation
import Synchronization

/// The format strings that were read before, so that a format in a loop is read once.
///
/// A template is the predicate with variables in the places of the arguments. The first reading of a format makes it, and
/// keeps it only if the template with the arguments put in is the predicate that reading gave.
final class PredicateTemplates: Sendable {
  static let shared = PredicateTemplates()

  private let templates = Mutex<[ExactText: PredicateTemplate?]>([:])

  /// The predicate of a format string and its arguments.
  func predicate(_ text: String, _ arguments: [Any?]) throws(PredicateParseError) -> NSPredicate {
    guard text.utf8.count <= Limits.rememberedFormatBytes else {
      return try Parser.predicate(text, PlaceholderArguments(values: arguments))
    }
    let known = templates.withLock { $0[ExactText(text: text)] }
    if let template = known ?? nil, let predicate = template.filled(with: arguments) { return predicate }
    let predicate = try Parser.predicate(text, PlaceholderArguments(values: arguments))
    if known == nil { note(text, predicate, arguments) }
    return predicate
  }

  private func note(_ text: String, _ predicate: NSPredicate, _ arguments: [Any?]) {
    let template = PredicateTemplate(text, giving: predicate, for: arguments)
    templates.withLock { templates in
      if templates.count >= Limits.rememberedFormats { templates.removeAll() }
      templates[ExactText(text: text)] = .some(template)
    }
  }
}

/// A text that equals one of the same bytes only: characters that can be written in two ways are told apart.
private struct ExactText: Hashable {
  let text: String

  static func == (one: ExactText, other: ExactText) -> Bool {
    // Most texts are literals, whose equality is that of their bytes where it holds for characters of ASCII alone.
    guard one.text.utf8.count == other.text.utf8.count, one.text == other.text else { return false }
    return one.text.utf8.allSatisfy { $0 < 0x80 } || one.text.utf8.elementsEqual(other.text.utf8)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A predicate with variables in the places of the arguments.
// Sendable: predicates are immutable.
struct PredicateTemplate: @unchecked Sendable {
  private let predicate: NSPredicate
  private let placeholders: [Placeholder]
  /// The variables, in the order of the arguments.
  private let places: [NSExpression]

  /// Nil for a format whose arguments decide what it means.
  init?(_ text: String, giving read: NSPredicate, for arguments: [Any?]) {
    guard let tokens = try? Lexer.tokens(of: text) else { return nil }
    placeholders = tokens.compactMap { if case .placeholder(let placeholder) = $0.kind { placeholder } else { nil } }
    places = placeholders.map { _ in NSExpression(forVariable: "argument") }
    guard placeholders.allSatisfy({ $0.conversion != .keyPath }),
      let predicate = try? Parser.predicate(text, PlaceholderArguments(places: places))
    else { return nil }
    self.predicate = predicate
    guard filled(with: arguments)?.isEqual(read) == true else { return nil }
  }

  /// The predicate with arguments in their places, or nil where reading the format has to tell what is wrong with them.
  func filled(with arguments: [Any?]) -> NSPredicate? {
    var source = PlaceholderArguments(values: arguments)
    var expressions: [NSExpression] = []
    for placeholder in placeholders {
      guard let value = try? source.take(for: placeholder) else { return nil }
      if type(of: value) is AnyClass, value is NSExpression { return nil }
      expressions.append(NSExpression(forConstantValue: value))
    }
    return try? ExpressionReplacement { expression, _ throws(PredicateEvaluationError) in
      places.firstIndex { $0 === expression }.map { expressions[$0] }
    }.apply(to: predicate)
  }
}
