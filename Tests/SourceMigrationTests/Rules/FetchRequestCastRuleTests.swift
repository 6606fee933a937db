import SourceMigration
import Testing

@Suite("The forced cast to NSFetchRequest<NSFetchRequestResult> goes away")
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
  func `A request that is just made takes its type from the context`(_ before: String, _ after: String) {
    let migrated = Migrated(before)
    #expect(migrated.text == after)
    #expect(migrated.plan.diagnostics.isEmpty)
  }

  @Test(arguments: [
    "let r = Post.fetchRequest() as NSFetchRequest<NSFetchRequestResult>",
    "let r = value as! NSFetchRequest<Post>",
    "let r: NSFetchRequest<NSFetchRequestResult> = Post.fetchRequest()",
  ])
  func `Other casts and coercions are left alone`(_ text: String) {
    let migrated = Migrated(text)
    #expect(migrated.plan.changes.isEmpty)
    #expect(migrated.plan.diagnostics.isEmpty)
  }

  @Test(arguments: [
    ("f(request as! NSFetchRequest<NSFetchRequestResult>)", "traps"),
    ("let r = Post.fetchRequest() as? NSFetchRequest<NSFetchRequestResult>", "gives nil"),
  ])
  func `A cast of a request made elsewhere is reported`(_ text: String, _ reason: String) {
    let migrated = Migrated(text)
    #expect(migrated.plan.changes.isEmpty)
    #expect(migrated.warnings.first?.contains(reason) == true)
  }
}
