import Foundation
import SourceMigration
import Testing

@Suite struct InitializerRuleTests {
  @Test(arguments: [
    (
      "class Post: NSManagedObject {\n  convenience init(context: NSManagedObjectContext) {}\n}",
      "class Post: NSManagedObject {\n  required convenience init(context: NSManagedObjectContext) {}\n}"
    ),
    (
      "class Post: NSManagedObject {\n  public convenience init(context moc: NSManagedObjectContext) {}\n}",
      "class Post: NSManagedObject {\n  public required convenience init(context moc: NSManagedObjectContext) {}\n}"
    ),
  ])
  func `A custom init(context:) becomes required`(_ before: String, _ after: String) {
    #expect(Migrated(before).text == after)
    #expect(Migrated(after).plan.changes.isEmpty)
  }

  @Test func `A custom init(context:) becomes required in indirect subclasses of every file`() {
    let own = "  convenience init(context: C) {}\n}\n"
    let texts = [
      "class Draft: Post {\n\(own)", "class Post: Base {\n\(own)",
      "enum Shared {\n  class Base: NSManagedObject {}\n}\nclass Base: NSManagedObject {}\n",
      "class Page: Shared.Base {\n\(own)", "class Other: Plain {\n\(own)",
      "class Plain: NSObject {\n\(own)",
      "class Ring: Loop {\n\(own)class Loop: Ring {\n\(own)",
    ]
    let files = texts.enumerated().map { SourceFile(path: "\($0.offset).swift", text: $0.element) }
    let migrated = Migrated(files)
    let isRequired = migrated.results.map {
      $0.text.contains("required convenience init(context: C)")
    }
    #expect(isRequired == [true, true, false, true, false, false, false])
    #expect(Migrated(migrated.results).plan.changes.isEmpty)
  }

  @Test func `An override of init(context:) becomes required, which implies override`() {
    let before =
      "class Base: NSManagedObject {}\nclass Post: Base {\n  public override init(context: C) {}\n}\n"
    #expect(Migrated(before).text == before.replacingOccurrences(of: "override", with: "required"))
  }

  @Test(arguments: [
    "class Post: NSManagedObject {\n  convenience init(context: C, title: String) {}\n}",
    "class Post: NSObject {\n  convenience init(context: C) {}\n}",
    "func make<T: NSManagedObject>(_ c: C) -> T { T(context: c) }",
    "let post = Post(entity: entity, insertInto: context)",
  ])
  func `Other initializers stay`(_ text: String) {
    #expect(Migrated(text).plan.changes.isEmpty && Migrated(text).warnings.isEmpty)
  }

  @Test(arguments: [
    (
      "static func make() -> Self { Self(entity: entity(), insertInto: nil) }",
      "Self(context: context)"
    ),
    (
      "func make<T: NSManagedObject>(_ e: E) -> T {\n  T.init(entity: e, insertInto: nil)\n}",
      "T(context: context)"
    ),
    (
      "func make<A, T: NSManagedObject>(_ e: E) -> T { T(entity: e, insertInto: nil) }",
      "T(context: context)"
    ),
  ])
  func `An object of an unknown type is reported`(_ text: String, _ advice: String) {
    let migrated = Migrated(text)
    #expect(migrated.warnings.count == 1)
    #expect(migrated.warnings.first?.contains(advice) == true)
  }
}
