import SourceMigration
import Testing

@Suite struct PlaceWarningTests {
  @Test func `A class with managed members inside a function is reported`() {
    let text = """
      final class Tests {
        func testEntity() {
          class Abstract: NSManagedObject {
            @NSManaged var name: String?
          }
        }
      }
      """
    let warnings = Migrated(text).warnings
    #expect(warnings.count == 1)
    #expect(
      warnings.first?.hasPrefix("4: class Tests.Abstract is declared inside of a function") == true)
  }

  @Test func `Nested classes with managed members are allowed`() {
    let text =
      "enum Space {\n  class Post: NSManagedObject {\n    @NSManaged var name: String?\n  }\n}"
    #expect(Migrated(text).warnings.isEmpty)
  }

  @Test func `The bundle of a class is reported`() {
    let warnings = Migrated(
      "let m = NSManagedObjectModel.mergedModel(from: [Bundle(for: Post.self)])"
    ).warnings
    #expect(warnings.count == 1 && warnings.first?.contains("Bundle.module") == true)
    #expect(Migrated("let b = Bundle(path: p)").warnings.isEmpty)
  }
}
