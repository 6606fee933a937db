import SourceMigration
import Testing

@Suite("addObserver with a selector becomes the form with a closure")
struct NotificationObserverRuleTests {
  private func observer(
    head: String = "final class Watcher",
    call: String = "NotificationCenter.default.addObserver(self, selector: "
      + "#selector(saved(_:)), name: .didSave, object: context)",
    in function: String = "func start()", method: String = "func saved(_ note: Notification) {}",
    more: String = ""
  ) -> String {
    "\(head) {\n  \(function) {\n    \(call)\n  }\n  \(method)\n\(more)}\n"
  }

  @Test func `A plain observation is rewritten`() {
    let migrated = Migrated(observer())
    let call =
      "_ = NotificationCenter.default.addObserver(forName: .didSave, object: context, queue: nil) "
      + "{ [weak self] notification in self?.saved(notification) }"
    #expect(migrated.text == observer(call: call))
    #expect(migrated.plan.diagnostics.map(\.severity) == [.note])
    #expect(Migrated(migrated.text).plan.changes.isEmpty, "a second run changes nothing")
  }

  @Test(arguments: [
    ("func saved() {}", "#selector(saved)", "_ in self?.saved()"),
    (
      "func saved(note: Notification) {}", "#selector(saved(note:))",
      "notification in self?.saved(note: notification)"
    ),
    (
      "func saved(in note: Notification) {}", "#selector(Watcher.saved(in:))",
      "notification in self?.saved(in: notification)"
    ),
    (
      "func saved(_ note: NSNotification) {}", "#selector(self.saved(_:))",
      "notification in self?.saved(notification as NSNotification)"
    ),
  ])
  func `The closure calls the method as declared`(
    _ method: String, _ selector: String, _ closure: String
  ) {
    let call =
      "NotificationCenter.default.addObserver(self, selector: \(selector), name: .didSave, object: nil)"
    let migrated = Migrated(observer(call: call, method: method))
    #expect(migrated.text.contains("object: nil, queue: nil) { [weak self] \(closure) }\n"))
    #expect(migrated.warnings.isEmpty)
  }

  @Test
  func `Arguments on separate lines keep their layout, and their key paths are migrated`() {
    let call = """
      NotificationCenter.default.addObserver(
            self,
            selector: #selector(saved(_:)),
            name: Notification.Name(#keyPath(Post.title)),
            object: nil
          )
      """
    let result = """
      _ = NotificationCenter.default.addObserver(
            forName: Notification.Name("title"),
            object: nil
          , queue: nil) { [weak self] notification in self?.saved(notification) }
      """
    #expect(Migrated(observer(call: call)).text == observer(call: result))
  }

  @Test func `An observation in an extension is rewritten if the class is in the files`() {
    let files = [
      SourceFile(path: "A.swift", text: observer(head: "extension Watcher")),
      SourceFile(path: "B.swift", text: "class Watcher {}"),
    ]
    #expect(Migrated(files).plan.changes.count == 1)
    #expect(Migrated([files[0]]).plan.changes.isEmpty)
  }

  @Test func `Removing the observer in deinit is allowed`() {
    #expect(
      Migrated(observer(more: "  deinit { NotificationCenter.default.removeObserver(self) }\n"))
        .warnings.isEmpty)
  }

  @Test func `An observation that cannot be rewritten is reported`() {
    let defaultCall =
      "NotificationCenter.default.addObserver(self, selector: #selector(saved(_:)), name: n, object: o)"
    let cases: [(String, String)] = [
      (observer(head: "struct Watcher"), "the class of self is not in these files"),
      (observer(head: "@MainActor class Watcher"), "isolated to an actor"),
      (observer(head: "class Watcher: UIViewController"), "isolated to an actor"),
      (observer(in: "static func start()"), "self is a class here"),
      (observer(method: "func other() {}"), "declared nowhere"),
      (
        observer(method: "func saved(_ n: Notification) {}\n  func saved(n: Int) {}"),
        "declared more than once"
      ),
      (observer(method: "func saved(_ n: Notification) async {}"), "not a plain method"),
      (observer(method: "func saved(_ n: Notification) -> Bool { true }"), "not a plain method"),
      (observer(method: "@MainActor func saved(_ n: Notification) {}"), "not a plain method"),
      (observer(method: "func saved(_ n: Any) {}"), "not a plain method"),
      (observer(more: "  func stop() { center.removeObserver(self) }\n"), "removeObserver"),
      (observer(more: "  deinit { center.removeObserver(token) }\n"), "removeObserver"),
      (observer(call: "return \(defaultCall)"), "needs the Objective-C runtime"),
      (
        observer(call: defaultCall.replacing("self,", with: "other,")),
        "needs the Objective-C runtime"
      ),
    ]
    for (text, reason) in cases {
      let migrated = Migrated(text)
      #expect(migrated.plan.changes.isEmpty, "\(text)")
      #expect(migrated.warnings.count == 1, "\(text)")
      #expect(migrated.warnings.first?.contains(reason) == true, "\(migrated.warnings)")
    }
  }

  @Test func `In Swift 6 mode only a Sendable class is captured`() {
    let options = MigrationOptions(isSwift6Mode: true)
    #expect(Migrated(observer(), options: options).plan.changes.isEmpty)
    for inherited in ["@unchecked Sendable", "NSObject, Sendable"] {
      let migrated = Migrated(
        observer(head: "final class Watcher: \(inherited)"), options: options)
      #expect(migrated.plan.changes.count == 1, "\(inherited)")
      #expect(migrated.warnings.isEmpty, "\(inherited)")
    }
  }
}
