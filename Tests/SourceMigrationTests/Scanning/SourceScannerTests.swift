import SourceMigration
import Testing

/// The migration rewrites the marker `#keyPath(A.b)` only where the scanner finds code.
@Suite("The scanner separates code from strings, comments and patterns")
struct SourceScannerTests {
  @Test(arguments: [
    "// #keyPath(A.b)",
    "/* #keyPath(A.b) */",
    "/* /* nested */ #keyPath(A.b) */",
    "/* \" */ // #keyPath(A.b)",
    "let a = \"#keyPath(A.b)\"",
    "let a = \"\\\"#keyPath(A.b)\"",
    "let a = \"\\\\\" // #keyPath(A.b)",
    "let a = #\"\" #keyPath(A.b) \\(1)\"#",
    "let a = #\"\"\"#; let b = \"#keyPath(A.b)\"",
    "let a = ##\"\"# #keyPath(A.b)\"##",
    "let a = \"\"\"\n  #keyPath(A.b) \" \"\" \\\"\"\" #keyPath(A.b)\n  \"\"\"",
    "let a = #\"\"\"\n  #keyPath(A.b) \"\"\"\n  \"\"\"#",
    "let a = \"\\(b(\"#keyPath(A.b)\"))\"",
    "let a = \"\\(b /* #keyPath(A.b) */)\"",
    "let a = /#keyPath(A.b)/",
    "f(/[/]#keyPath(A.b)/, 1)",
    "let a = #/ #keyPath(A.b)\n \" /#",
    "#!/usr/bin/swift #keyPath(A.b)\nlet a = 1",
    "let `#keyPath(A.b)` = 1",
  ])
  func `Strings, comments and patterns are never changed`(_ text: String) {
    let migrated = Migrated(text)
    #expect(migrated.plan.changes.isEmpty)
    #expect(migrated.plan.diagnostics.isEmpty)
  }

  @Test(arguments: [
    "let a = b /* c */ + #keyPath(A.b)",
    "let a = \"\\(#keyPath(A.b))\"",
    "let a = \"\\(f(\"x\") + #keyPath(A.b)) y\"",
    "let a = \"\"\"\n  \\(#keyPath(A.b))\n  \"\"\"",
    "let a = #\"\\#(#keyPath(A.b))\"#",
    "let a = #\"\"\"#; #keyPath(A.b)",
    "let a = b / #keyPath(A.b) / c",
    "let a = b/2; let c = #keyPath(A.b)/3",
    "let a = \"\" + #keyPath(A.b) + \"\"",
    "let a = 1...3; #keyPath(A.b)",
    "let `class` = #keyPath(A.b)",
    "f(/a\\/b/, #keyPath(A.b))",
    "let a = #/ \" /#; #keyPath(A.b)",
  ])
  func `Code is found`(_ text: String) {
    let migrated = Migrated(text)
    #expect(migrated.text == text.replacing("#keyPath(A.b)", with: "\"b\""))
  }

  @Test(arguments: [
    ("let a = \"b", "1: this string literal is not closed"),
    ("\nlet a = \"\"\"\n b\"", "2: this string literal is not closed"),
    ("let a = \"\\(b", "1: this string interpolation has no closing parenthesis"),
    ("let a = 1 /* b", "1: this comment has no closing */"),
    ("let `a = 1", "1: this name in backticks has no closing backtick"),
    ("let a = #/ b", "1: this regular expression literal is not closed"),
    ("func a() {", "1: this { is never closed"),
    ("func a() }", "1: this } closes nothing"),
    ("let a = (1]", "1: this ] closes nothing"),
    ("#if DEBUG", "1: this #if has no #endif"),
    ("#endif", "1: this #endif has no #if"),
    ("#else", "1: this #else has no #if"),
  ])
  func `Broken source gives an error with its line and stays unchanged`(
    _ text: String, _ message: String
  ) {
    let migrated = Migrated("@objc class A {}\n" + text)
    let line = message.first?.wholeNumberValue.map { $0 + 1 } ?? 0
    #expect(migrated.plan.changes.isEmpty)
    #expect(migrated.errors == ["\(line):\(message.dropFirst(2)); the file is left as it is"])
  }

  static let deep = [
    Example("parentheses", String(repeating: "(", count: 100_000), ""),
    Example("comments", String(repeating: "/*", count: 100_000), ""),
    Example("interpolations", String(repeating: "\"\\(", count: 100_000), ""),
    Example("conditions", String(repeating: "#if A\n", count: 100_000), ""),
    Example("negations", "#if " + String(repeating: "!", count: 100_000) + "A\n#endif", ""),
    Example(
      "groups",
      "#if " + String(repeating: "(", count: 900) + String(repeating: ")", count: 900) + "\n#endif",
      ""),
    Example("attributes", String(repeating: "@objc(a) public ", count: 1_000), ""),
  ]

  @Test(arguments: deep)
  func `Deep nesting gives an error or nothing, never a crash`(_ example: Example) {
    let plan = Migrated(example.before).plan
    #expect(example.name == "attributes" || plan.changes.isEmpty)
  }
}
