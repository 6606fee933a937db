import ClassGeneration
import Testing

@Suite struct DeclarationScannerTests {
  /// The symbols of the getters and functions of a source's managed members.
  private func names(in source: String) -> [String] {
    ManagedAccessors(module: "M", sources: [SourceFile(path: "A.swift", text: source)]).symbols
      .filter { $0.hasSuffix("g") || $0.hasSuffix("F") }
  }

  /// Texts that declare no managed member; the test adds one after each.
  static let distractions = [
    "// @NSManaged var no: String",
    "/* @NSManaged var no: String /* { */ } */",
    #"let text = "@NSManaged var no: String } {""#,
    ##"let text = #"@NSManaged var no: "String" \(x) } {"#"##,
    #"let text = "\(names.map { "{\($0)" }.joined(separator: ")"))""#,
    "let text = \"\"\"\n  } } @NSManaged var no: String \"quoted\" \\(a(\"}\"))\n  \"\"\"",
    ##"let quote = #"""#"##,
    "let pattern = #/ { @NSManaged var no: String /#",
    #"func unquoted(s: String) -> String { s.replacing(/"/, with: "") }"#,
    #"func scheme(s: String) -> Bool { s.contains(/https?:\/\//) }"#,
    #"var braces: Regex<Substring> { /[/{]\{/ }"#,
    "func halve() { x = a/2; y = b /= 2 }; func third() { z = { c/3 }() }",
    "static func ./(a: V, b: V) -> V { V(a.x/b.x) }",
    "func f() { struct Local { @NSManaged var no: String }; if a { b { } } }",
    "var computed: Int { get { 1 } set { g { h() } } }",
    "#if canImport(ObjectiveC)\n @NSManaged var no: String\n#endif",
    "#if os(macOS) || os(iOS)\n @NSManaged var no: String\n#endif",
    "#if !canImport(ObjectiveC)\n#else\n @NSManaged var no: String\n#endif",
    "#if os(iOS) && DEBUG\n @NSManaged var no: String\n#elseif canImport(UIKit)\n @NSManaged var no: String\n#endif",
    "#if !(DEBUG || !os(macOS))\n @NSManaged var no: String\n#endif",
    "#if DEBUG && (os(macOS) || os(iOS))\n @NSManaged var no: String\n#endif",
    "enum Inner { case `class`, `var`; static let x = 1 }",
    "class func make() -> Int { 1 }",
    "@objc(name) @available(macOS 10, *) func f() {}",
    "subscript(i: Int) -> Int { i }",
    "struct Generic<T: Equatable> where T: Hashable { var t: T }",
  ]

  @Test(arguments: distractions)
  func `Members are found after any other declaration`(distraction: String) {
    let source = "class Car: NSManagedObject {\n\(distraction)\n@NSManaged var yes: String\n}"
    #expect(names(in: source) == ["$s1M3CarC3yesSSvg"], "\(distraction)")
  }

  /// Spellings of members, and the symbols of their getters or functions.
  static let spellings: [(source: String, symbols: [String])] = [
    ("class Car { public @NSManaged var a: Int }", ["$s1M3CarC1aSivg"]),
    (
      "class Car {\n#if !(DEBUG && os(macOS) && swift(>=6))\n@NSManaged var a: Int\n#endif\n}",
      ["$s1M3CarC1aSivg"]
    ),
    (
      "class Car {\n#if (os(iOS) || !canImport(UIKit)) && DEBUG\n@NSManaged var a: Int\n#endif }",
      ["$s1M3CarC1aSivg"]
    ),
    ("class Car {\n  @NSManaged\n  public\n  var a: Int\n}", ["$s1M3CarC1aSivg"]),
    (
      "class Car { @NSManaged @objc(b) public var a: Int; @NSManaged var c: Int }",
      ["$s1M3CarC1aSivg", "$s1M3CarC1cSivg"]
    ),
    (
      "class Car {\n#if canImport(ObjectiveC)\n@objc\n#endif\n@NSManaged public var a: Int\n}",
      ["$s1M3CarC1aSivg"]
    ),
    ("class Car {}\nextension Car { @NSManaged var a: Int }", ["$s1M3CarC1aSivg"]),
    (
      "enum Space {}\nextension Space { class Car { @NSManaged var a: Car? } }",
      ["$s1M5SpaceO3CarC1aAESgvg"]
    ),
    (
      "class Car { @NSManaged var a: Int // : String\n @NSManaged var b: /* Int */ Bool }",
      ["$s1M3CarC1aSivg", "$s1M3CarC1bSbvg"]
    ),
    ("class Car { @NSManaged var a: [\n  String:\n  Int\n] }", ["$s1M3CarC1aSDySSSiGvg"]),
    ("class Car { @NSManaged func addToA(_ v: Car) }", ["$s1M3CarC6addToAyyACF"]),
    ("class Car { @NSManaged func addToA(_ v: Car) -> Void }", []),
    ("typealias Name = String\nclass Car { @NSManaged var a: Name? }", ["$s1M3CarC1aSSSgvg"]),
    (
      "class Car { typealias Key = Wheel; class Wheel {}; @NSManaged var a: Key? }",
      ["$s1M3CarC1aAC5WheelCSgvg"]
    ),
    (
      "struct Wheel {}\nclass Car { struct Wheel {}; @NSManaged var a: Wheel; @NSManaged var b: M.Wheel }",
      ["$s1M3CarC1aAC5WheelVvg", "$s1M3CarC1bAA5WheelVvg"]
    ),
    ("typealias Loop = Loop\nclass Car { @NSManaged var a: Loop }", []),
  ]

  @Test(arguments: spellings.indices)
  func `Members are found however they are written`(index: Int) {
    let (source, symbols) = Self.spellings[index]
    #expect(names(in: source) == symbols, "\(source)")
  }

  @Test func `A private extension's members are named by their file`() {
    let source = "class Car {}\nprivate extension Car { @NSManaged var a: Int }"
    #expect(names(in: source).first?.contains("LLSivg") == true)
  }

  @Test func `Truncated text yields only members that it declares`() {
    let source =
      "#if DEBUG\nclass Car { @NSManaged public private(set) var a: [String: Set<Int>]? /* \"\"\" */ @NSManaged func addToA(_ v: Car, at i: Int) \"\\(a)\" #/x/# }"
    for length in 0...source.count {
      let (head, tail) = (String(source.prefix(length)), String(source.dropFirst(length)))
      #expect(names(in: head).isEmpty || head.contains("var a:"), "\(head)")
      #expect(names(in: tail).isEmpty || tail.contains("class Car"), "\(tail)")
    }
  }
}
