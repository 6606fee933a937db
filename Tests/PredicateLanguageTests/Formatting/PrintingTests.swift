import Foundation
import PredicateLanguage
import Testing

@Suite("Printing format strings")
struct PrintingTests {
  @Test(arguments: [
    "name == \"bob\" AND age > 3", "ANY tags.name == \"x\"",
    "SUBQUERY(pages, $x, $x.n > 1).@count > 2",
    "name CONTAINS[cd] \"é\"", "x IN {1, 2}", "NOT (a == 1 OR b == 2)", "a + b * c ** 2 > -3",
    "(a + b) * c == 1",
    "date > CAST(712345678.000000, \"NSDate\")", "x == nil", "items[FIRST].name == \"a\"",
    "abs:(x) == 3", "now() > d",
    "TERNARY(a == 1, 2, 3) == 2", "a UNION b == {1}", "#first == 1",
    "FUNCTION(a, \"foo:\", 3) == 1",
    "SELF BETWEEN {1, 3}", "a.@sum.b > 3", "(-2) ** 2 == 4", "TRUEPREDICATE",
  ])
  func `A format string in the printer's style prints as itself`(_ text: String) throws {
    #expect(try NSPredicate(parsing: text).formatText == text)
  }
}
