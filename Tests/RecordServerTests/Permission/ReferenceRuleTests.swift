import RecordServer
import Testing

@Suite struct `References of public records` {
  /// A reference to a record of `_ada`, of a type that `_editor` may write.
  struct Case: CustomTestStringConvertible, Sendable {
    let created: String
    let saved: String
    let deleter: String?
    let constrains: Bool

    init(_ created: String, _ saved: String, by deleter: String?, _ constrains: Bool) {
      (self.created, self.saved, self.deleter, self.constrains) = (
        created, saved, deleter, constrains
      )
    }

    var testDescription: String {
      "by \(created), saved by \(saved), deleted by \(deleter ?? "an anonymous caller")"
    }
  }

  @Test(arguments: [
    // Only the owner's own records constrain the owner.
    Case("_ada", "_ada", by: "_ada", true), Case("_bob", "_bob", by: "_ada", false),
    Case("_editor", "_editor", by: "_ada", false), Case("_ada", "_bob", by: "_ada", false),
    Case("_bob", "_ada", by: "_ada", false),
    // Records of the owner and of permitted writers constrain other users.
    Case("_ada", "_ada", by: "_editor", true), Case("_editor", "_editor", by: "_editor", true),
    Case("_ada", "_editor", by: "_editor", true), Case("_bob", "_bob", by: "_editor", false),
    Case("_ada", "_bob", by: "_editor", false), Case("_editor", "_bob", by: "_editor", false),
    Case("_editor", "_ada", by: nil, true),
  ])
  func `Only references whose authors may write the target constrain its deletion`(_ one: Case) {
    let constrains = ReferenceRule.constrains(
      authors: [one.created, one.saved], owner: "_ada", deleter: one.deleter,
      mayWrite: { $0 == "_editor" })
    #expect(constrains == one.constrains)
  }
}
