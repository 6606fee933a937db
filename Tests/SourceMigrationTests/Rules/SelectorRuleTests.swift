import SourceMigration
import Testing

@Suite("#selector of a comparison becomes Selector")
struct SelectorRuleTests {
  @Test(arguments: [
    ("NSString.localizedStandardCompare(_:)", "localizedStandardCompare:"),
    ("NSString.localizedStandardCompare", "localizedStandardCompare:"),
    ("NSString.caseInsensitiveCompare(_:)", "caseInsensitiveCompare:"),
    ("NSString.localizedCaseInsensitiveCompare(_:)", "localizedCaseInsensitiveCompare:"),
    ("NSString.localizedCompare(_:)", "localizedCompare:"),
    ("NSString.compare(_:)", "compare:"),
    ("NSNumber.compare(_:)", "compare:"),
    ("NSDate.compare(_:)", "compare:"),
  ])
  func `Foundation's comparisons have their Objective-C spelling`(
    _ method: String, _ selector: String
  ) {
    let migrated = Migrated(
      "NSSortDescriptor(key: k, ascending: true, selector: #selector(\(method)))")
    #expect(
      migrated.text
        == "NSSortDescriptor(key: k, ascending: true, selector: Selector((\"\(selector)\")))")
    #expect(migrated.plan.diagnostics.isEmpty)
  }

  @Test(arguments: [
    ("let s = #selector(tick)", "tick"),
    ("let s: Selector = #selector(Post.saved(_:))", "saved:"),
    ("private static let s = #selector(saved(by:at:))", "savedWithBy:at:"),
    ("var s = #selector(getter: Post.title)", "title"),
  ])
  func `A selector in a declaration is made from its name without Objective-C`(
    _ text: String, _ name: String
  ) {
    let end = text.firstRange(of: "#selector").map { text[..<$0.lowerBound] } ?? ""
    let after = """
      class A {
        #if canImport(ObjectiveC)
        \(text)
        #else
        \(end)Selector(("\(name)"))
        #endif
      }
      """
    let migrated = Migrated("class A {\n  \(text)\n}")
    #expect(migrated.text == after)
    #expect(migrated.warnings.isEmpty)
    #expect(Migrated(after).plan.changes.isEmpty)
  }

  @Test func `A comparison in a declaration needs one form only`() {
    #expect(
      Migrated("let s = #selector(NSString.compare(_:))").text == "let s = Selector((\"compare:\"))"
    )
  }

  @Test(arguments: [
    (
      "NSSortDescriptor(key: k, ascending: true, selector: #selector(Post.compare(to:)))",
      "sort descriptor"
    ),
    (
      "NSSortDescriptor(key: k, ascending: true, selector: #selector(NSString.compare(_:options:)))",
      "sort descriptor"
    ),
    (
      "Timer.scheduledTimer(timeInterval: 1, target: self, selector: #selector(tick), userInfo: nil)",
      "Timer"
    ),
    ("button.addTarget(self, action: #selector(tapped), for: .touchUpInside)", "pass a closure"),
    ("perform(#selector(getter: Post.title))", "pass a closure"),
  ])
  func `Every other selector is reported with advice`(_ text: String, _ advice: String) {
    let migrated = Migrated("let a = 1\n" + text)
    #expect(migrated.plan.changes.isEmpty)
    #expect(migrated.warnings.count == 1)
    #expect(migrated.warnings.first?.hasPrefix("2: ") == true)
    #expect(migrated.warnings.first?.contains(advice) == true)
  }
}
