/// The type of expressions for the results of a fetch.
public let NSFetchRequestExpressionType = NSExpression.ExpressionType.fetchRequest

/// An expression for the results of a fetch: `FETCH(request, context, NO)` in a format string.
///
/// The source expressions of mapping models have this form.
///
/// ```swift
/// let count = NSExpression(format: "FETCH(%@, %@, YES)", request, context)
/// ```
// Sendable: immutable, like its superclass.
open class NSFetchRequestExpression: NSExpression, @unchecked Sendable {
  /// The expression for the fetch request.
  public let request: NSExpression
  /// The expression for the context that performs the fetch.
  public let context: NSExpression
  /// Whether the value is the number of results.
  public let isCountOnlyRequest: Bool

  init(request: NSExpression, context: NSExpression, isCountOnlyRequest: Bool) {
    self.request = request
    self.context = context
    self.isCountOnlyRequest = isCountOnlyRequest
    super.init(.fetch(request: request, context: context, countOnly: isCountOnlyRequest))
  }

  /// Creates an expression for the results of a fetch.
  open class func expression(
    forFetch fetch: NSExpression, context: NSExpression, countOnly countFlag: Bool
  ) -> NSExpression {
    NSFetchRequestExpression(request: fetch, context: context, isCountOnlyRequest: countFlag)
  }
}
