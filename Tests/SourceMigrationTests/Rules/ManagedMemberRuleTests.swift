import SourceMigration
import Testing

@Suite("@NSManaged members get bodies on request")
struct ManagedMemberRuleTests {
  static let options = MigrationOptions(replacesManagedMembers: true)

  private static func property(_ key: String, primitive: String = "") -> String {
    "    get { _get\(primitive)(\"\(key)\") }\n    set { _set\(primitive)(\"\(key)\", newValue) }\n"
  }

  private static func example(_ name: String, _ before: String, plain: String, body: String)
    -> Example
  {
    Example(
      name, "class Post {\n  \(before)\n}\n",
      "class Post {\n  #if canImport(ObjectiveC)\n  \(before)\n  #else\n  \(plain) {\n\(body)  }\n  #endif\n}\n"
    )
  }

  static let examples = [
    example(
      "a property", "@NSManaged public var title: String?", plain: "public var title: String?",
      body: property("title")),
    example(
      "a setter's access", "@NSManaged public private(set) var n: Int // count",
      plain: "public private(set) var n: Int", body: property("n")),
    example(
      "attributes on lines before", "@objc(isRead)\n  @MainActor\n  @NSManaged var read: Bool",
      plain: "@MainActor\n  var read: Bool", body: property("read")),
    example(
      "an attribute that is migrated already",
      "#if canImport(ObjectiveC)\n  @objc(isRead)\n  #endif\n  @NSManaged var read: Bool",
      plain: "var read: Bool",
      body: property("read")),
    example(
      "a primitive value", "@NSManaged var primitiveTitle: String?",
      plain: "var primitiveTitle: String?",
      body: property("title", primitive: "Primitive")),
    example(
      "a name in backticks", "@NSManaged var `default`: [String: Int]",
      plain: "var `default`: [String: Int]",
      body: property("default")),
    example(
      "adding", "@NSManaged func addToTags(_ value: Tag)", plain: "func addToTags(_ value: Tag)",
      body: "    _add(value, to: \"tags\")\n"),
    example(
      "removing several", "@NSManaged func removeFromTags(_ values: Set<Tag>)",
      plain: "func removeFromTags(_ values: Set<Tag>)",
      body: "    _remove(contentsOf: values, from: \"tags\")\n"),
    example(
      "inserting", "@NSManaged func insertIntoTags(_ v: [Tag], at i: NSIndexSet)",
      plain: "func insertIntoTags(_ v: [Tag], at i: NSIndexSet)",
      body: "    _insert(contentsOf: v, into: \"tags\", at: i)\n"),
    example(
      "removing at an index", "@NSManaged func removeFromTags(at i: Int)",
      plain: "func removeFromTags(at i: Int)",
      body: "    _remove(at: i, from: \"tags\")\n"),
    example(
      "replacing", "@NSManaged func replaceTags(at i: Int, with v: Tag)",
      plain: "func replaceTags(at i: Int, with v: Tag)",
      body: "    _replace(at: i, with: v, in: \"tags\")\n"),
  ]

  @Test(arguments: examples, ["\n", "\r\n"])
  func `A member gets a body once`(example: Example, newline: String) {
    let lines = { (text: String) in
      text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: newline)
    }
    let migrated = Migrated(lines(example.before), options: Self.options)
    #expect(migrated.text == lines(example.after))
    #expect(migrated.plan.diagnostics.isEmpty)
    #expect(Migrated(migrated.text, options: Self.options).plan.changes.isEmpty)
  }

  @Test func `Members that share a line are moved to separate lines`() {
    let migrated = Migrated(
      "class A { @NSManaged var a: Int; @NSManaged var b: Int }", options: Self.options)
    #expect(migrated.errors.isEmpty)
    #expect(migrated.text.contains("  get { _get(\"b\") }\n"))
    #expect(!migrated.text.contains(";"))
  }

  @Test(arguments: [
    "@NSManaged func publish()", "@NSManaged var a: Int, b: Int", "@NSManaged let a: Int",
    "@NSManaged var a",
    "@NSManaged func addToTags(_ value: Tag) -> Bool", "@NSManaged var a: Int = 1",
  ])
  func `A member that cannot have a body is reported with its line`(member: String) {
    let migrated = Migrated("class A {\n  \(member)\n}\n", options: Self.options)
    #expect(migrated.plan.changes.isEmpty)
    #expect(
      migrated.warnings.count == 1
        && migrated.warnings.allSatisfy { $0.hasPrefix("2: @NSManaged ") })
  }

  @Test func `Without the option nothing changes`() {
    #expect(Migrated("class A {\n  @NSManaged var a: Int\n}\n").plan.changes.isEmpty)
  }

  @Test func `Strings and comments stay`() {
    let text = "class A {\n  // @NSManaged var a: Int\n  let b = \"@NSManaged var a: Int\"\n}\n"
    #expect(Migrated(text, options: Self.options).plan.changes.isEmpty)
  }
}
