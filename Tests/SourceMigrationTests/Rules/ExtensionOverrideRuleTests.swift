import SourceMigration
import Testing

@Suite("Overrides in extensions move into the class")
struct ExtensionOverrideRuleTests {
  @Test func `An override moves with its comments, and other rules apply to it`() {
    let before = """
      class Post: NSManagedObject {
        var a = 1
      }

      extension Post {
        func keep() {}

        /// Sets the date.
        @objc override func awakeFromInsert() {
          super.awakeFromInsert() // first
          setPrimitiveValue(Date(), forKey: #keyPath(Post.created))
        }
      }
      """
    let after = """
      class Post: NSManagedObject {
        var a = 1

        /// Sets the date.
        #if canImport(ObjectiveC)
        @objc
        #endif
        override func awakeFromInsert() {
          super.awakeFromInsert() // first
          setPrimitiveValue(Date(), forKey: "created")
        }
      }

      extension Post {
        func keep() {}
      }
      """
    let migrated = Migrated(before)
    #expect(migrated.text == after)
    #expect(migrated.plan.diagnostics.isEmpty)
    #expect(Migrated(after).plan.changes.isEmpty, "a second run changes nothing")
  }

  @Test func `An extension that becomes empty is removed`() {
    let migrated = Migrated(
      "class Post {\n}\n\nextension Post {\n  override func willSave() {}\n\n  override func didSave() {}\n}\n"
    )
    #expect(
      migrated.text
        == "class Post {\n  override func willSave() {}\n\n  override func didSave() {}\n}\n")
  }

  @Test func `An extension that declares a conformance stays`() {
    let migrated = Migrated(
      "class Post {}\nextension Post: Item {\n  override func willSave() {}\n}\n")
    #expect(
      migrated.text == "class Post {\n  override func willSave() {}\n}\nextension Post: Item {\n}\n"
    )
  }

  @Test func `The extension's access level is written on the member`() {
    let migrated = Migrated(
      "public class Post {\n}\npublic extension Post {\n  override func willSave() {}\n  func b() {}\n}\n"
    )
    #expect(
      migrated.text
        == "public class Post {\n  public override func willSave() {}\n}\npublic extension Post {\n  func b() {}\n}\n"
    )
  }

  @Test func `A property moves like a function`() {
    let migrated = Migrated(
      "class Post {}\nextension Post { override var description: String { \"}\" }; func a() {} }\n")
    #expect(
      migrated.text
        == "class Post {\noverride var description: String { \"}\" }\n}\nextension Post { ; func a() {} }\n"
    )
  }

  @Test func `The class may be in another file with other line endings`() {
    let migrated = Migrated([
      SourceFile(
        path: "Hooks.swift",
        text: "import CoreData\nextension Post {\n  override func willSave() {\n  }\n}\n"),
      SourceFile(path: "Post.swift", text: "import CoreData\r\nclass Post {\r\n}\r\n"),
    ])
    #expect(migrated.results[0].text == "import CoreData\n")
    #expect(
      migrated.results[1].text
        == "import CoreData\r\nclass Post {\r\n  override func willSave() {\r\n  }\r\n}\r\n")
  }

  @Test func `A nested class is found by its full name`() {
    let migrated = Migrated(
      "enum A {\n  class Post {\n  }\n}\nclass Post {}\nextension A.Post {\n  override func x() {}\n}\n"
    )
    #expect(
      migrated.text == "enum A {\n  class Post {\n  override func x() {}\n  }\n}\nclass Post {}\n")
  }

  @Test func `A member that cannot move safely is reported at its line`() {
    let hook = "{\n  override func willSave() { secret() }\n}\n"
    let cases: [(files: [String], reason: String)] = [
      (["extension Post \(hook)"], "not in these files"),
      (["extension Post \(hook)", "class Post {}", "class Post {}"], "declared more than once"),
      (
        ["extension Post {\n  override var a: Int\n  func b() {}\n}", "class Post {}"],
        "the end of “a” was not found"
      ),
      (["extension Post where A == Int \(hook)", "class Post {}"], "attributes or requirements"),
      (
        ["@available(iOS 15, *) extension Post \(hook)", "class Post {}"],
        "attributes or requirements"
      ),
      (["extension Post \(hook)private func secret() {}", "class Post {}"], "private to its file"),
      (["extension Post \(hook)import Combine", "class Post {}"], "does not import Combine"),
      (["extension Post \(hook)", "#if DEBUG\nclass Post {}\n#endif"], "#if block"),
      (
        ["extension Post {\n#if DEBUG\noverride func willSave() {}\n#endif\n}", "class Post {}"],
        "#if block"
      ),
    ]
    for (texts, reason) in cases {
      let files = texts.enumerated().map {
        SourceFile(path: "\($0.offset).swift", text: $0.element)
      }
      let migrated = Migrated(files)
      #expect(migrated.plan.changes.isEmpty, "\(texts)")
      #expect(migrated.warnings.count == 1, "\(texts)")
      #expect(migrated.warnings.first?.contains(reason) == true, "\(migrated.warnings)")
    }
  }

  @Test func `Overrides that only Apple's platforms compile stay`() {
    let text = "class Post {}\nextension Post {\n#if os(iOS)\n  override func a() {}\n#endif\n}"
    #expect(Migrated(text).plan.changes.isEmpty)
    #expect(Migrated(text).warnings.isEmpty)
  }
}
