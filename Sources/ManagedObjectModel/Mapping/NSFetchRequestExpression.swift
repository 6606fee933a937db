public import Foundation
public import PredicateLanguage

/// An expression for the results of a fetch.
///
/// The source expressions of mapping models have this form. Its `expressionType` is `function`:
/// Apple's own type, 50, is not a case of the type's Swift form.
// Sendable: immutable, like its superclass.
open class NSFetchRequestExpression: PredicateLanguage.NSExpression, @unchecked Sendable {
  /// The expression for the fetch request.
  public let request: PredicateLanguage.NSExpression
  /// The expression for the context that performs the fetch.
  public let context: PredicateLanguage.NSExpression
  /// Whether the value is the number of results.
  public let isCountOnlyRequest: Bool

  init(
    request: PredicateLanguage.NSExpression, context: PredicateLanguage.NSExpression,
    isCountOnlyRequest: Bool
  ) {
    self.request = request
    self.context = context
    self.isCountOnlyRequest = isCountOnlyRequest
    super.init(expressionType: .function)
  }

  /// Creates an expression for the results of a fetch.
  open class func expression(
    forFetch fetch: PredicateLanguage.NSExpression, context: PredicateLanguage.NSExpression,
    countOnly countFlag: Bool
  ) -> PredicateLanguage.NSExpression {
    NSFetchRequestExpression(request: fetch, context: context, isCountOnlyRequest: countFlag)
  }

  /// Returns the results of the fetch, or their number.
  ///
  /// A fetch that cannot be performed stops the program; Apple's platforms raise an exception.
  open override func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    do {
      return try fetched(with: object, context: context)
    } catch {
      preconditionFailure("\(self) cannot be evaluated: \(error)")
    }
  }

  /// The results of the fetch, or their number.
  package func fetched(with object: Any?, context variables: NSMutableDictionary?) throws -> Any? {
    let value = try request.evaluated(with: object, context: variables)
    guard let request = value as? NSPersistentStoreRequest else {
      throw PredicateEvaluationError(
        .badFunctionCall,
        """
        FETCH needs a fetch request; \(self.request) is \
        \(value.map { "a value of type \(type(of: $0))" } ?? "nil").
        """
      )
    }
    guard
      let performer = try context.evaluated(with: object, context: variables)
        as? any FetchPerforming
    else {
      throw PredicateEvaluationError(
        .badFunctionCall, "FETCH needs a managed object context; \(context) is something else.")
    }
    let results = try performer.results(ofFetch: request)
    return isCountOnlyRequest ? results.count : results
  }

  /// The expression in Apple's format.
  open override var description: String {
    "FETCH(\(request), \(context), \(isCountOnlyRequest ? "YES" : "NO"))"
  }

  /// Whether the other expression has equal parts.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSFetchRequestExpression else { return false }
    return request == other.request && context == other.context
      && isCountOnlyRequest == other.isCountOnlyRequest
  }

  /// A hash value that equal expressions share.
  open override var hash: Int { request.hash }
}
