import Foundation
import PredicateLanguage
import Testing

@Suite("Parse errors")
struct ParseErrorTests {
  @Test(arguments: [
    ("", 0, "a value"), ("age >", 5, "a value"),
    ("age", 3, "a comparison operator such as == or CONTAINS"),
    ("a b", 2, "a comparison operator such as == or CONTAINS"),
    ("a == 1 b", 7, "AND, OR, or the end of the text"),
    ("a == 1)", 6, "AND, OR, or the end of the text"),
    ("(a == 1", 7, "“)” to close the parenthesis"),
    ("a == 1 AND", 10, "a value"),
    ("a AND b == 1", 2, "a comparison operator such as == or CONTAINS"),
    ("NOT a", 5, "a comparison operator such as == or CONTAINS"),
    ("any == 3", 4, "a value"), ("a ==[x] 1", 5, "options: letters of c, d, n and l"),
    ("a ==[c 1", 7, "“]” after the options"),
    ("{1, 2 == a", 6, "“,” or “}” after an element"), ("a[1 == 2", 4, "“]” after the index"),
    ("a. == 1", 3, "a key after the dot"),
    ("SUBQUERY(a, x, b == 1) == 1", 12, "the variable, such as $x"),
    ("SUBQUERY(a, $x) == 1", 14, "“,” after the variable"),
    ("TERNARY(a, 1, 2) == 1", 9, "a comparison operator such as == or CONTAINS"),
    ("FUNCTION(a, b) == 1", 12, "the selector’s name in quotes"),
    ("CAST(a) == 1", 6, "“,” after the value"),
    ("abs(1 2) == 1", 6, "“,” or “)” after an argument"),
    ("abs: == 1", 5, "“(” after the function’s name"),
  ])
  func `An error has its position and the expected token`(
    _ text: String, _ offset: Int, _ expected: String
  ) {
    let error = #expect(throws: PredicateParseError.self) { try NSPredicate(parsing: text) }
    #expect(error?.code == .unexpectedToken)
    #expect(error?.offset == offset)
    #expect(error?.expected == expected)
  }

  @Test(arguments: [
    ("foo(1) == 2", 0, "“foo” is not a function"),
    ("1 == abs(1, 2)", 5, "“abs:” takes 1 argument, not 2"),
    ("foo:bar:(1, 2) == 2", 0, "“foo:bar:” is not a function"),
    ("now(1) == 2", 0, "“now” takes 0 arguments, not 1"),
  ])
  func `An unknown function, or a wrong number of arguments, is an error with its name`(
    _ text: String, _ offset: Int, _ start: String
  ) {
    let error = #expect(throws: PredicateParseError.self) { try NSPredicate(parsing: text) }
    #expect(error?.code == .unknownFunction)
    #expect(error?.offset == offset)
    #expect(error?.message.hasPrefix(start) == true, "\(error?.message ?? "")")
  }

  @Test func `A predicate in the place of a value is reported as such`() {
    let error = #expect(throws: PredicateParseError.self) {
      try NSPredicate(parsing: "(a) == (b == 1)")
    }
    #expect(error?.offset == 8)
    #expect(
      error?.message
        == "expected a value, found a predicate; TERNARY(predicate, a, b) converts it to a value")
  }

  @Test func `A keyword in the place of a key comes with a hint`() {
    let error = #expect(throws: PredicateParseError.self) { try NSPredicate(parsing: "a == like") }
    #expect(
      error?.message
        == "expected a value, found “like”; write #like to name a property like a keyword")
  }

  @Test func `The description shows the line with a caret under the place`() {
    let error = #expect(throws: PredicateParseError.self) {
      try NSPredicate(parsing: "name == 'é' AND\n  (größe > 1 size < 2)")
    }
    #expect(error?.line == 2)
    #expect(error?.column == 14)
    #expect(error?.offset == 29)
    #expect(
      error?.description == """
        line 2, column 14: expected “)” to close the parenthesis, found “size”
          (größe > 1 size < 2)
                     ^
        """)
  }

  @Test func `A long line is shown only around the error`() {
    let text = String(repeating: "a == 1 AND ", count: 100) + "b"
    let error = #expect(throws: PredicateParseError.self) { try NSPredicate(parsing: text) }
    let lines = error?.description.split(separator: "\n") ?? []
    #expect(lines.count == 3)
    #expect(lines.last?.last == "^")
    #expect(lines.last?.count == lines[1].count + 1)
    #expect((error?.excerpt.count ?? 0) <= 100)
  }

  @Test func `A wrong format string in code stops the program with the error`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = NSPredicate(format: "age >")
    }
    #expect(text(result).contains("line 1, column 6: expected a value, found the end of the text"))
  }

  @Test func `A wrong expression in code stops the program with the error`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = NSExpression(format: "1 +")
    }
    #expect(
      text(result).contains("NSExpression(format:) cannot read the format string: line 1, column 4")
    )
  }
}

func text(_ result: ExitTest.Result?) -> String {
  String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}
