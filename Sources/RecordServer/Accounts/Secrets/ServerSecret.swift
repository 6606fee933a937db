import BinaryCoding
import Cryptography

/// The secret that a server creates at its first start, from which others are derived.
///
/// It derives user record names and, until the signing secret is first renewed, successors of
/// tokens and codes of forms. A thief of the storage can link the users of different containers,
/// but gets no token, since those are stored as hashes.
struct ServerSecret: Hashable, Sendable {
  let bytes: [UInt8]

  /// The user record name of an account in a container.
  ///
  /// It differs in each and does not reveal the account.
  func userRecordName(ofAccount identifier: String, in container: String) -> String {
    name("user", identifier, container)
  }

  /// The user record name of a server's key in its container.
  func userRecordName(ofKey identifier: String, in container: String) -> String {
    name("key", identifier, container)
  }

  /// The successor of a web token.
  ///
  /// It is derived from its predecessor, so that concurrent requests and repeated responses carry
  /// the same one, and only hashes are stored.
  func successor(of token: Secret) -> Secret {
    Secret(bytes: code("successor", token.text))
  }

  /// An unpredictable number for a text.
  func number(for text: String) -> UInt64 {
    code("number", text).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The authentication code of a form.
  func formCode(for text: String) -> String { Hexadecimal.text(code("form", text)) }

  private func name(_ parts: String...) -> String {
    "_" + Hexadecimal.text(Array(code(parts).prefix(16)))
  }

  private func code(_ parts: String...) -> [UInt8] { code(parts) }

  /// Each part is prefixed by its length, so that different lists have different bytes.
  private func code(_ parts: [String]) -> [UInt8] {
    var form = BinaryWriter(capacity: 128)
    for part in parts { form.text(part) }
    return MessageAuthenticationCode.make(of: form.bytes, key: bytes)
  }
}
