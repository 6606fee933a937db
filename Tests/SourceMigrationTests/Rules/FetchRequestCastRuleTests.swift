import SourceMigration
import Testing

@Suite("The forced cast to NSFetchRequest<NSFetchRequestResult> is removed")
struct FetchRequestCastRuleTests {
  @Test(arguments: [
    (
      "NSBatchDeleteRequest(fetchRequest: Post.fetchRequest() as! NSFetchRequest<NSFetchRequestResult>)",
      "NSBatchDeleteRequest(fetchRequest: Post.fetchRequest())"
    ),
    (
      "f(fetchRequest: Post.fetchRequest() as! NSFetchRequest<any NSFetchRequestResult>, 1)",
      "f(fetchRequest: Post.fetchRequest(), 1)"
    ),
    (
      "let r = Post.fetchRequest() as! NSFetchRequest<NSFetchRequestResult>",
      "let r = Post.fetchRequest() as NSFetchRequest<NSFetchRequestResult>"
    ),
    (
      "let r = NSFetchRequest<Post>(entityName: \"Post\") as! NSFetchRequest<NSFetchRequestResult>",
      "let r = NSFetchRequest<NSFetchRequestResult>(entityName: \"Post\")"
    ),
  ])
  func `A new request takes its type from the context`(
    _ before: String, _ after: String
  ) {
    let migrated = Migrated(before)
    #expect(migrated.text == after)
    #expect(migrated.plan.diagnostics.isEmpty)
  }

  @Test(arguments: [
    "let r = Post.fetchRequest() as NSFetchRequest<NSFetchRequestResult>",
    "let r = Post.fetchRequest() as NSFetchRequest<Post>",
    "let r: NSFetchRequest<NSFetchRequestResult> = Post.fetchRequest()",
  ])
  func `Other casts and coercions stay`(_ text: String) {
    let migrated = Migrated(text)
    #expect(migrated.plan.changes.isEmpty)
    #expect(migrated.plan.diagnostics.isEmpty)
  }

  @Test func `A request made earlier keeps its cast on Apple's platforms only`() {
    let before = """
      func clear() throws {
        let request: NSFetchRequest<Post> = Post.fetchRequest()
        let delete = NSBatchDeleteRequest(
          fetchRequest: request as! NSFetchRequest<NSFetchRequestResult>) // #keyPath(A.b)
        try context.execute(delete)
        return try context.fetch(self.request as! NSFetchRequest<NSFetchRequestResult>)
          .map { $0 }
        _ = try context.fetch(request as! NSFetchRequest<NSFetchRequestResult>)
          .sorted(by: #keyPath(Post.title))
      }
      """
    let after = """
      func clear() throws {
        let request: NSFetchRequest<Post> = Post.fetchRequest()
        #if canImport(ObjectiveC)
        let delete = NSBatchDeleteRequest(
          fetchRequest: request as! NSFetchRequest<NSFetchRequestResult>) // #keyPath(A.b)
        #else
        let delete = NSBatchDeleteRequest(
          fetchRequest: request)
        #endif
        try context.execute(delete)
        return try context.fetch(self.request as! NSFetchRequest<NSFetchRequestResult>)
          .map { $0 }
        #if canImport(ObjectiveC)
        _ = try context.fetch(request as! NSFetchRequest<NSFetchRequestResult>)
          .sorted(by: "title")
        #else
        _ = try context.fetch(request)
          .sorted(by: "title")
        #endif
      }
      """
    let migrated = Migrated(before)
    #expect(migrated.text == after)
    #expect(
      migrated.warnings.map { $0.prefix(2) } == ["6:"],
      "a statement that cannot be duplicated is reported")
    #expect(Migrated(after).plan.changes.isEmpty, "a second run changes nothing")
  }

  @Test(arguments: [
    "if try context.fetch(request as! NSFetchRequest<NSFetchRequestResult>).isEmpty {\n}",
    "guard let all = try? context.fetch(request as! NSFetchRequest<NSFetchRequestResult>) else { return }",
    "public lazy var all = try? context.fetch(request as! NSFetchRequest<NSFetchRequestResult>)",
    "@Cached\n  var all = try? context.fetch(request as! NSFetchRequest<NSFetchRequestResult>)",
    "#if canImport(ObjectiveC)\n  @objc\n  #endif\n  var all = try? context.fetch(request as! NSFetchRequest<NSFetchRequestResult>)",
    "do { try context.fetch(request as! NSFetchRequest<NSFetchRequestResult>) }",
    "let c = NSFetchedResultsController(fetchRequest: request as! NSFetchRequest<NSFetchRequestResult>)",
    "f(\n  try context.fetch(request as! NSFetchRequest<NSFetchRequestResult>), { 1 })",
  ])
  func `A statement that cannot be duplicated is reported`(_ text: String) {
    let migrated = Migrated("func f() {\n  \(text)\n}")
    #expect(migrated.plan.changes.isEmpty)
    #expect(migrated.warnings.count == 1)
  }

  @Test(arguments: [
    ("f(request as! NSFetchRequest<NSFetchRequestResult>)", "traps"),
    ("let r = Post.fetchRequest() as? NSFetchRequest<NSFetchRequestResult>", "returns nil"),
  ])
  func `A cast of a request made elsewhere is reported`(_ text: String, _ reason: String) {
    let migrated = Migrated(text)
    #expect(migrated.plan.changes.isEmpty)
    #expect(migrated.warnings.first?.contains(reason) == true)
  }
}
