import Foundation
import PredicateLanguage
import Testing

/// Pairs of equivalent texts.
///
/// The second one is the printer's form.
@Suite("Grammar")
struct GrammarTests {
  private func expectPrinted(_ text: String, _ printed: String) throws {
    #expect(try NSPredicate(parsing: text).formatText == printed)
  }

  @Test(arguments: [
    ("a = 1", "a == 1"), ("a==1", "a == 1"), ("a => 1", "a >= 1"), ("a >= 1", "a >= 1"),
    ("a =< 1", "a <= 1"),
    ("a <> 1", "a != 1"), ("a != 1", "a != 1"), ("a<-1", "a < -1"), ("a > 1", "a > 1"),
    ("a contains 'x'", "a CONTAINS \"x\""),
    ("a beginswith[c] 'x'", "a BEGINSWITH[c] \"x\""),
    ("a ENDSWITH[dc] 'x'", "a ENDSWITH[cd] \"x\""),
    ("a like[N] 'x'", "a LIKE[n] \"x\""), ("a matches[l] 'x'", "a MATCHES[l] \"x\""),
    ("a ==[c] 'x'", "a ==[c] \"x\""),
    ("a in {1}", "a IN {1}"), ("a between {1, 2}", "a BETWEEN {1, 2}"),
    ("a TOKENMATCHES[cd] 'x y'", "a TOKENMATCHES[cd] \"x y\""),
  ])
  func `Every comparison has its spellings`(_ text: String, _ printed: String) throws {
    try expectPrinted(text, printed)
  }

  @Test(arguments: [
    ("a=1 and b=2 or c=3", "(a == 1 AND b == 2) OR c == 3"),
    ("a=1 or b=2 and c=3", "a == 1 OR (b == 2 AND c == 3)"),
    ("a=1 && (b=2 || c=3)", "a == 1 AND (b == 2 OR c == 3)"),
    ("not a=1 and b=2", "NOT a == 1 AND b == 2"),
    ("!(a=1 and b=2)", "NOT (a == 1 AND b == 2)"), ("! ! a = 1", "NOT NOT a == 1"),
    ("((a=1))", "a == 1"),
    ("not a in {1} or not b in {2}", "NOT a IN {1} OR NOT b IN {2}"),
    ("truepredicate or FALSEPREDICATE", "TRUEPREDICATE OR FALSEPREDICATE"),
    ("(a=1 and b=2) and c=3", "(a == 1 AND b == 2) AND c == 3"),
    ("a=1 and b=2 and c=3", "a == 1 AND b == 2 AND c == 3"),
  ])
  func `NOT binds more tightly than AND, and AND more tightly than OR`(
    _ text: String, _ printed: String
  ) throws {
    try expectPrinted(text, printed)
  }

  @Test(arguments: [
    ("any a.b = 1", "ANY a.b == 1"), ("some a.b = 1", "ANY a.b == 1"),
    ("ALL a.b > 1", "ALL a.b > 1"),
    ("none a.b = 1", "NOT ANY a.b == 1"), ("not any a.b = 1", "NOT ANY a.b == 1"),
  ])
  func `A quantifier applies to the left side`(_ text: String, _ printed: String) throws {
    try expectPrinted(text, printed)
  }

  @Test(arguments: [
    ("1 + 2 * 3", "1 + 2 * 3"), ("(1 + 2) * 3", "(1 + 2) * 3"), ("1 - 2 - 3", "1 - 2 - 3"),
    ("1 - (2 - 3)", "1 - (2 - 3)"),
    ("8 / 4 / 2", "8 / 4 / 2"), ("8 / (4 / 2)", "8 / (4 / 2)"), ("2 ** 3 ** 2", "2 ** 3 ** 2"),
    ("2 ** (3 ** 2)", "2 ** 3 ** 2"), ("(2 ** 3) ** 2", "(2 ** 3) ** 2"),
    ("-a", "0 - a"), ("-a * b", "(0 - a) * b"), ("-2 ** 2", "0 - 2 ** 2"),
    ("(-2) ** 2", "(-2) ** 2"),
    ("2 ** -1", "2 ** -1"),
    ("a - -1", "a - -1"), ("a union b minus c", "a UNION b MINUS c"),
    ("a union (b intersect c)", "a UNION (b INTERSECT c)"),
    ("1 + a UNION b", "1 + a UNION b"), ("(a UNION b) + 1", "(a UNION b) + 1"),
  ])
  func `Arithmetic has its usual precedence`(_ text: String, _ printed: String) throws {
    let expression = try NSExpression(parsing: text)
    #expect(expression.description == printed)
    #expect(try NSExpression(parsing: printed) == expression)
  }

  @Test(arguments: [
    ("self.name = 1", "name == 1"), ("SELF = 1", "SELF == 1"),
    ("self.a.SELF.b = 1", "a.SELF.b == 1"),
    ("#and = 1", "#and == 1"),
    ("a.and = 1", "a.and == 1"), ("@'a.b c' = 1", "@\"a.b c\" == 1"),
    ("@\"#and.b\" = 1", "#and.b == 1"),
    ("a.@count = 1", "a.@count == 1"),
    ("@count = 1", "@count == 1"), ("a.b.@sum = 1", "a.b.@sum == 1"),
    ("a.@avg.b.c = 1", "a.@avg.b.c == 1"),
    ("größe = 1", "größe == 1"),
    ("$x = 1", "$x == 1"), ("$x.a.b = 1", "$x.a.b == 1"), ("a[0] = 1", "a[0] == 1"),
    ("a[first].b = 1", "a[FIRST].b == 1"),
    ("a[LAST] = 1", "a[LAST] == 1"), ("a[size] = 1", "a[SIZE] == 1"),
    ("a['k'] = 1", "a[\"k\"] == 1"),
    ("a[b + 1] = 1", "a[b + 1] == 1"),
    ("a[1][2].c.d = 1", "a[1][2].c.d == 1"), ("first = 1", "#first == 1"),
    ("a.first = 1", "a.first == 1"),
  ])
  func `Key paths, variables and indexes are parsed`(_ text: String, _ printed: String) throws {
    try expectPrinted(text, printed)
  }

  @Test(arguments: [
    ("abs(x) = 1", "abs:(x) == 1"), ("abs:(x) = 1", "abs:(x) == 1"), ("now() < d", "now() < d"),
    ("modulus:by:(a, 2) = 0", "modulus:by:(a, 2) == 0"),
    ("add(a, b) = 1", "a + b == 1"), ("sum(1, 2, 3) = 6", "sum:(1, 2, 3) == 6"),
    ("sum({1, 2}) = 3", "sum:({1, 2}) == 3"),
    ("canonical:(name) = 'x'", "canonical:(name) == \"x\""), ("random() > 1", "random() > 1"),
    ("random(6) > 1", "random:(6) > 1"),
    ("cast(a, 'NSDate') = b", "CAST(a, \"NSDate\") == b"),
    ("CAST(5, 'NSDate') = b", "CAST(5.000000, \"NSDate\") == b"),
    ("ternary(a = 1, 'x', 'y') = b", "TERNARY(a == 1, \"x\", \"y\") == b"),
    ("function(a, 'b:', 1) = c", "FUNCTION(a, \"b:\", 1) == c"),
    ("FUNCTION(a, 'b') = c", "FUNCTION(a, \"b\") == c"),
    (
      "subquery(a, $x, $x.b = 1 and $x.c = 2).@count > 0",
      "SUBQUERY(a, $x, $x.b == 1 AND $x.c == 2).@count > 0"
    ),
    ("{} = a", "{} == a"), ("{1, {2, 'x'}, b} = a", "{1, {2, \"x\"}, b} == a"),
    ("noindex:(a) = 1", "noindex:(a) == 1"),
    ("ANYKEY = 1", "ANYKEY == 1"),
  ])
  func `Functions and other constructs are parsed`(_ text: String, _ printed: String) throws {
    try expectPrinted(text, printed)
  }
}
