import SourceMigration
import Testing

@Suite struct TypedRequestCastRuleTests {
  @Test(arguments: [
    ("let r = value as! NSFetchRequest<Post>", "traps", "Post"),
    ("let r = value as? NSFetchRequest<NSManagedObject>", "returns nil", "NSManagedObject"),
    (
      "return NSFetchRequest<NSManagedObject>(entityName: n) as! NSFetchRequest<Self>", "traps",
      "Self"
    ),
    ("f(request as! NSFetchRequest<Result<A, B>>)", "traps", "Result<A, B>"),
  ])
  func `A cast between request types is reported with a portable form`(
    _ text: String, _ effect: String, _ type: String
  ) {
    let migrated = Migrated(text)
    #expect(migrated.plan.changes.isEmpty)
    #expect(migrated.warnings.count == 1)
    #expect(migrated.warnings.first?.contains("this cast \(effect) without") == true)
    #expect(
      migrated.warnings.first?.contains("unsafeBitCast(request, to: NSFetchRequest<\(type)>.self)")
        == true)
  }

  @Test func `A cast that only Apple's platforms compile stays`() {
    #expect(
      Migrated("#if canImport(ObjectiveC)\nlet r = a as! NSFetchRequest<Post>\n#endif").plan
        .diagnostics.isEmpty)
  }
}
