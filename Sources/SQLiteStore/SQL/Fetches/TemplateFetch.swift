import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// A fetch without the arguments of its predicate's template, and without its order.
struct TemplateFetch: Hashable, Sendable {
  /// The template; the reference keeps its address from being used again.
  private let template: PredicateTemplate
  private let layoutIndex: Int
  let result: FetchResult
  private let includesSubentities: Bool
  private let hasLimit: Bool
  private let hasOffset: Bool

  /// Creates the form of a fetch; nil if the predicate must be read each time.
  init?(_ fetch: RowFetch, giving result: FetchResult) {
    let specification = fetch.specification
    guard !result.isOfDictionaries, specification.propertiesToGroupBy == nil,
      let template = specification.predicate?.template
    else { return nil }
    self.template = template
    self.result = result
    layoutIndex = fetch.layout.index
    includesSubentities = specification.includesSubentities
    hasLimit = specification.fetchLimit > 0
    hasOffset = specification.fetchOffset > 0
  }

  /// Calls a closure with the arguments of a fetch of this form, always in the same order.
  func forEachArgument(of fetch: RowFetch, _ body: (PredicateLanguage.NSExpression) -> Void) {
    guard let predicate = fetch.specification.predicate else { return }
    template.forEachArgument(of: predicate, body)
  }

  static func == (one: TemplateFetch, other: TemplateFetch) -> Bool {
    one.template === other.template && one.layoutIndex == other.layoutIndex
      && one.includesSubentities == other.includesSubentities && one.hasLimit == other.hasLimit
      && one.hasOffset == other.hasOffset && one.result == other.result
  }

  /// Hashes only the values that usually distinguish fetches.
  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(template))
    hasher.combine(layoutIndex)
  }
}
