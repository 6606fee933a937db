import SourceMigration
import Testing

@Suite("@objc moves into #if canImport(ObjectiveC)")
struct ObjectiveCAttributeRuleTests {
  static let examples = [
    Example(
      "an attribute on its own line stays where it is",
      """
      class Post {
        @MainActor
        @objc
        func save() {}
      }
      """,
      """
      class Post {
        @MainActor
        #if canImport(ObjectiveC)
        @objc
        #endif
        func save() {}
      }
      """),
    Example(
      "an attribute before a modifier gets lines of its own",
      "  @objc private dynamic func save() {}\n",
      """
        #if canImport(ObjectiveC)
        @objc
        #endif
        private dynamic func save() {}

      """),
    Example(
      "an attribute after a modifier moves in front of it",
      "\tpublic @objc(saveIt) override func save() {}",
      "\t#if canImport(ObjectiveC)\n\t@objc(saveIt)\n\t#endif\n\tpublic override func save() {}"),
    Example(
      "modifiers on the line above are kept together",
      "public\n@objc func save() {}",
      "#if canImport(ObjectiveC)\n@objc\n#endif\npublic\nfunc save() {}"),
    Example(
      "an Objective-C name with labels",
      "@objc(insert:at:) @NSManaged public func insert(_ value: Tag, at index: Int)",
      """
      #if canImport(ObjectiveC)
      @objc(insert:at:)
      #endif
      @NSManaged public func insert(_ value: Tag, at index: Int)
      """),
    Example(
      "two attributes share a block",
      "@objc @objcMembers final class Post {}",
      "#if canImport(ObjectiveC)\n@objc\n@objcMembers\n#endif\nfinal class Post {}"),
    Example(
      "two attributes with another one between them",
      "@objc @MainActor @objcMembers final class Post {}",
      "#if canImport(ObjectiveC)\n@objc\n@objcMembers\n#endif\n@MainActor final class Post {}"),
    Example(
      "a class on one line",
      "class Post { @objc func save() {} }",
      "class Post { \n#if canImport(ObjectiveC)\n@objc\n#endif\nfunc save() {} }"),
    Example(
      "a comment after the attribute stays",
      "@objc // for the timer\nfunc save() {}",
      "#if canImport(ObjectiveC)\n@objc\n#endif\n// for the timer\nfunc save() {}"),
    Example(
      "an enumeration case named like a modifier is not part of the next declaration",
      "enum Kind {\n  case open\n  @objc func save() {}\n}",
      "enum Kind {\n  case open\n  #if canImport(ObjectiveC)\n  @objc\n  #endif\n  func save() {}\n}"
    ),
    Example(
      "the line endings of the file are used",
      "class Post {\r\n  @objc func save() {}\r\n}\r\n",
      "class Post {\r\n  #if canImport(ObjectiveC)\r\n  @objc\r\n  #endif\r\n  func save() {}\r\n}\r\n"
    ),
    Example(
      "a byte order mark stays in front",
      "\u{FEFF}@objc class Post {}",
      "\u{FEFF}#if canImport(ObjectiveC)\n@objc\n#endif\nclass Post {}"),
    Example(
      "the branch without Objective-C of a condition is migrated",
      "#if os(Linux)\n@objc class Post {}\n#endif",
      "#if os(Linux)\n#if canImport(ObjectiveC)\n@objc\n#endif\nclass Post {}\n#endif"),
    Example(
      "code for a module that Parhelion has is migrated",
      "#if canImport(CoreLocation)\n@objc class Post {}\n#endif",
      """
      #if canImport(CoreLocation)
      #if canImport(ObjectiveC)
      @objc
      #endif
      class Post {}
      #endif
      """),
  ]

  @Test(arguments: examples)
  func `The attribute is wrapped, and everything else stays`(_ example: Example) {
    let migrated = Migrated(example.before)
    #expect(migrated.text == example.after)
    #expect(migrated.plan.diagnostics.isEmpty)
    #expect(Migrated(migrated.text).plan.changes.isEmpty, "a second run changes nothing")
  }

  @Test(arguments: [
    "#if canImport(ObjectiveC)\n@objc\n#endif\nclass Post {}",
    "#if os(iOS) || os(macOS)\n@objc class Post {}\n#endif",
    "#if canImport(UIKit) && DEBUG\n@objc class Post {}\n#endif",
    "#if !canImport(ObjectiveC)\nclass Post {}\n#else\n@objc class Post {}\n#endif",
    "#if !(os(iOS) || targetEnvironment(simulator))\n#elseif DEBUG\n@objc class Post {}\n#endif",
    "#if os(macOS)\n#if DEBUG\n@objc class Post {}\n#endif\n#endif",
  ])
  func `Code that only Apple's platforms compile stays`(_ text: String) {
    #expect(Migrated(text).plan.changes.isEmpty)
  }

  @Test(arguments: [
    "@objcSomething class Post {}", "@NSManaged var objc: Int", "let x = a.objc",
    "@`objc` class Post {}",
  ])
  func `Other attributes and names stay`(_ text: String) {
    #expect(Migrated(text).plan.changes.isEmpty)
  }

  @Test func `An optional requirement is reported`() {
    let migrated = Migrated("@objc protocol Watcher {\n  @objc optional func saved()\n}")
    #expect(migrated.warnings.map { $0.prefix(27) } == ["2: an optional requirement "])
  }
}
