import Foundation
import ManagedObjectModel
import ManagedObjects
import PredicateLanguage
import Testing

@Suite struct `Fetch request expressions` {
  @Test func `The value is the result of the fetch, or the number of results`() throws {
    let book = try Notebook(.plain)
    book.note("a", "text")
    book.note("b", "text")
    try book.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.predicate = NSPredicate(format: "title == 'a'")
    let (fetch, context) = (
      PredicateLanguage.NSExpression(forConstantValue: request),
      PredicateLanguage.NSExpression(forConstantValue: book.context)
    )
    let objects = NSFetchRequestExpression.expression(
      forFetch: fetch, context: context, countOnly: false)
    let count = NSFetchRequestExpression.expression(
      forFetch: fetch, context: context, countOnly: true)
    let found = objects.expressionValue(with: nil, context: nil) as? [NSManagedObject]
    #expect(found?.map { $0.value(forKey: "title") as? String } == ["a"])
    #expect(count.expressionValue(with: nil, context: nil) as? Int == 1)
    #expect(
      count.expressionType == NSFetchRequestExpressionType && count.expressionType.rawValue == 50)
    let parts = try #require(count as? NSFetchRequestExpression)
    #expect(parts.isCountOnlyRequest && parts.requestExpression == fetch)
    #expect(parts.contextExpression == context && parts != objects)
  }
}
