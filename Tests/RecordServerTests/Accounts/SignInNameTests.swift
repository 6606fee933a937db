import CloudRecords
import RecordServer
import Testing

@Suite struct SignInNameTests {
  @Test(arguments: [
    ("ann", "ann"), ("  Ann\t", "ann"), ("Ann@Example.COM", "ann@example.com"),
    ("a.b-c_d9", "a.b-c_d9"),
    ("o'neil+tag@mail.example", "o'neil+tag@mail.example"), ("x@localhost", "x@localhost"),
  ])
  func `A user name has one normal form`(typed: String, kept: String) throws {
    let name = try SignInName(typed)
    #expect(name.text == kept)
    #expect(name.emailAddress == (kept.contains("@") ? kept : nil))
  }

  @Test(arguments: [
    "", " ", "a", "ann lee", "аnn", "ann\u{0}", "ann\n lee", "@example.com", "ann@",
    "ann@@example.com", "a@b@c",
    "ann@exa mple.com", "ann@.com", "ann@example..com", "ann@exa_mple.com", "ann!", "ann/",
    "a\"b@example.com",
    "a<b>@example.com", String(repeating: "a", count: 255), "ann@exämple.com",
  ])
  func `A name that could be mistaken for another is rejected`(typed: String) {
    #expect(throws: CloudError.self) { try SignInName(typed) }
  }

  @Test func `A name may be as long as an address`() throws {
    #expect(try SignInName(String(repeating: "a", count: 254)).text.utf8.count == 254)
  }
}
