import Foundation
import Synchronization

/// A cache of templates by format string, so that a format in a loop is parsed once.
///
/// The first parse of a format creates a template. It is kept only if it creates the predicate that
/// the parse returned.
final class PredicateTemplates: Sendable {
  static let shared = PredicateTemplates()

  private let templates = Mutex<[ExactText: PredicateTemplate?]>([:])

  /// The predicate of a format string and its arguments.
  func predicate(_ text: String, _ arguments: FormatArguments) throws(PredicateParseError)
    -> NSPredicate
  {
    guard text.utf8.count <= Limits.cachedFormatBytes else {
      return try Parser.predicate(text, PlaceholderArguments(arguments))
    }
    let known = templates.withLock { $0[ExactText(text: text)] }
    if let template = known ?? nil, let predicate = template.filled(with: arguments) {
      return predicate
    }
    let predicate = try Parser.predicate(text, PlaceholderArguments(arguments))
    if known == nil { cache(text, predicate, arguments) }
    return predicate
  }

  private func cache(_ text: String, _ predicate: NSPredicate, _ arguments: FormatArguments) {
    let key = ExactText(text: text, isASCII: text.utf8.allSatisfy { $0 < 0x80 })
    let template = PredicateTemplate(text, giving: predicate, for: arguments)
    templates.withLock { templates in
      if templates.count >= Limits.cachedFormats { templates.removeAll() }
      templates[key] = .some(template)
    }
  }
}

/// A text that equals only texts of the same bytes, without canonical equivalence.
private struct ExactText: Hashable {
  let text: String
  /// Whether the text is known to be ASCII only.
  var isASCII = false

  static func == (one: ExactText, other: ExactText) -> Bool {
    guard one.text.utf8.count == other.text.utf8.count, one.text == other.text else { return false }
    // An ASCII text has fewer bytes than any other text that is canonically equivalent to it.
    return one.isASCII || other.isASCII || one.text.utf8.elementsEqual(other.text.utf8)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
