import SourceMigration
import Testing

@Suite("#keyPath becomes its string")
struct KeyPathRuleTests {
  @Test(arguments: [
    ("#keyPath(Post.title)", "\"title\""),
    ("#keyPath(Post.author.name)", "\"author.name\""),
    ("#keyPath(Model.Post.author.name)", "\"author.name\""),
    ("#keyPath(title)", "\"title\""),
    ("#keyPath(author.name)", "\"author.name\""),
    ("#keyPath(Self.title)", "\"title\""),
    ("#keyPath(self.title)", "\"title\""),
    ("#keyPath(Post.URL)", "\"URL\""),
    ("#keyPath(URL)", "\"URL\""),
    ("#keyPath(Post.`default`)", "\"default\""),
    ("#keyPath(\n  Post.author.name\n)", "\"author.name\""),
    ("#keyPath(_Post.title)", "\"title\""),
  ])
  func `Leading type names are dropped`(_ before: String, _ after: String) {
    #expect(Migrated("let key = \(before) // end").text == "let key = \(after) // end")
  }

  @Test func `Declarations distinguish types from properties if capitals do not`() {
    let declarations =
      "class post { var ID: Identifier; var author: post }\nclass Identifier { var name = 1 }\n"
    #expect(Migrated(declarations + "#keyPath(post.author)").text == declarations + "\"author\"")
    #expect(Migrated(declarations + "#keyPath(post.ID.name)").text == declarations + "\"ID.name\"")
  }

  @Test func `A key path in an interpolation is code`() {
    #expect(
      Migrated(#"let f = "\(#keyPath(Post.title)) == %@""#).text == #"let f = "\("title") == %@""#)
    #expect(
      Migrated(##"let f = #"\#(#keyPath(Post.title)) == %@"#"##).text
        == ##"let f = #"\#("title") == %@"#"##)
  }

  @Test(arguments: [
    "#keyPath()", "#keyPath(Post.)", "#keyPath(List<Post>.count)", "#keyPath(Post.author?.name)",
  ])
  func `Anything but a plain path is reported`(_ text: String) {
    let migrated = Migrated("let key =\n  " + text)
    #expect(migrated.plan.changes.isEmpty)
    #expect(migrated.warnings == ["2: this #keyPath is not a plain path; write its string by hand"])
  }

  @Test func `A key path that contains a comment is reported`() {
    let migrated = Migrated("let key = #keyPath(Post./* first */title)")
    #expect(migrated.plan.changes.isEmpty)
    #expect(migrated.warnings.count == 1)
  }

  @Test func `A property with another name in Objective-C is reported`() {
    let text =
      "class Post {\n  #if canImport(ObjectiveC)\n  @objc(isRead)\n  #endif\n  @NSManaged var read: Bool\n"
    let plain = "class Post {\n  @objc(isRead) @NSManaged var read: Bool\n"
    #expect(Migrated(plain + "  let key = #keyPath(Post.read)\n}").warnings.count == 1)
    #expect(
      Migrated(text + "  let key = #keyPath(Post.read)\n}").warnings.count == 1,
      "after a first migration too")
  }

  @Test func `Code for Apple's platforms stays`() {
    #expect(
      Migrated("#if canImport(UIKit)\nlet key = #keyPath(UIView.frame)\n#endif").plan.changes
        .isEmpty)
  }
}
