import Cryptography
import Testing

@Suite struct PasswordHashTests {
  private func hash(_ password: String, cost: PasswordHash.Cost = .least) throws -> PasswordHash {
    try #require(PasswordHash(of: Array(password.utf8), cost: cost))
  }

  @Test func `A hash verifies its password and no other`() throws {
    let kept = PasswordHash(text: try hash("correct horse").text)
    #expect(kept.verifies(Array("correct horse".utf8)))
    for other in ["", "correct hors", "correct horse ", "Correct horse", "correct horse\u{0}"] {
      #expect(!kept.verifies(Array(other.utf8)), "\(other)")
    }
  }

  @Test func `Bytes after a null character count`() throws {
    let (kept, empty) = (try hash("a\u{0}b"), try hash(""))
    #expect(!kept.verifies(Array("a\u{0}c".utf8)))
    #expect(kept.verifies(Array("a\u{0}b".utf8)))
    #expect(empty.verifies([]))
    #expect(!empty.verifies([0]))
  }

  @Test func `Two hashes of one password differ`() throws {
    #expect(try hash("one") != hash("one"))
  }

  @Test func `The text names algorithm and cost`() throws {
    #expect(try hash("one").text.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$"))
    let cost = PasswordHash.Cost.standard
    let standard = try hash("one", cost: cost)
    #expect(standard.text.hasPrefix("$argon2id$v=19$m=65536,t=3,p=1$"))
    #expect(standard.verifies(Array("one".utf8)))
  }

  @Test func `A hash of another cost is due for renewal`() throws {
    let kept = try hash("one")
    #expect(!kept.needsRenewal(at: .least))
    #expect(kept.needsRenewal(at: PasswordHash.Cost(memoryBytes: 16 << 10, passes: 1)))
    #expect(kept.needsRenewal(at: PasswordHash.Cost(memoryBytes: 8 << 10, passes: 2)))
  }

  /// The hash is by libargon2, the reference implementation, with the salt `somesalt`.
  @Test func `A hash of another implementation verifies`() {
    let kept = PasswordHash(
      text: "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
    )
    #expect(kept.verifies(Array("password".utf8)))
    #expect(!kept.verifies(Array("differentpassword".utf8)))
  }

  @Test(arguments: [
    "", "$", "$argon2id$", "$argon2id$v=19$m=8,t=1,p=1$$", "plain",
    String(repeating: "$", count: 500),
  ])
  func `An invalid hash verifies nothing`(text: String) {
    #expect(!PasswordHash(text: text).verifies(Array("plain".utf8)))
    #expect(!PasswordHash(text: text).verifies([]))
  }

  @Test func `If memory is short, hashing fails`() {
    #expect(PasswordHash(of: [1], cost: PasswordHash.Cost(memoryBytes: 1 << 50, passes: 1)) == nil)
  }
}
