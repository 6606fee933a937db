import SourceMigration
import Testing

@Suite struct PredicateNameRuleTests {
  private static let options = MigrationOptions(importsPredicateNames: true)

  @Test(arguments: [
    (
      "import CoreData\nimport Foundation\n\nlet e = NSExpression(forConstantValue: 1)\n",
      "import CoreData\n#if !canImport(ObjectiveC)\nimport typealias CoreData.NSExpression\n#endif\nimport Foundation\n\nlet e = NSExpression(forConstantValue: 1)\n"
    ),
    (
      "public import CoreData\nfunc f(_ p: NSCompoundPredicate, _ q: NSComparisonPredicate.Operator) {}\n",
      "public import CoreData\n#if !canImport(ObjectiveC)\npublic import typealias CoreData.NSComparisonPredicate\npublic import typealias CoreData.NSCompoundPredicate\n#endif\nfunc f(_ p: NSCompoundPredicate, _ q: NSComparisonPredicate.Operator) {}\n"
    ),
  ])
  func `A file imports the names that it uses`(_ before: String, _ after: String) {
    #expect(Migrated(before, options: Self.options).text == after)
    #expect(Migrated(after, options: Self.options).plan.changes.isEmpty)
  }

  @Test(arguments: [
    "import Foundation\nlet e = NSExpression(forConstantValue: 1)\n",
    "import CoreData\nlet e = CoreData.NSExpression(forConstantValue: 1)\n",
    "import CoreData\nlet p = NSPredicate(value: true)\n",
    "import CoreData\ntypealias NSExpression = CoreData.NSExpression\nlet e = NSExpression(forConstantValue: 1)\n",
  ])
  func `Other files stay`(_ text: String) {
    #expect(Migrated(text, options: Self.options).plan.changes.isEmpty)
  }

  @Test(arguments: ["", "private "])
  func `An alias of another file resolves the name unless it is private`(access: String) {
    let aliases = "import CoreData\n\(access)typealias NSExpression = CoreData.NSExpression\n"
    let use = "import CoreData\nlet e = NSExpression(forConstantValue: 1)\n"
    let files = [
      SourceFile(path: "Aliases.swift", text: aliases), SourceFile(path: "Use.swift", text: use),
    ]
    let changes = Migrated(files, options: Self.options).plan.changes
    #expect(changes.map(\.file.path) == (access.isEmpty ? [] : ["Use.swift"]))
  }

  @Test func `If a build plug-in provides the names, nothing is imported`() {
    #expect(
      Migrated("import CoreData\nlet e = NSExpression(forConstantValue: 1)\n").plan.changes.isEmpty)
  }
}
