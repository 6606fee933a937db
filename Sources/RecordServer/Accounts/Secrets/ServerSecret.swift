import BinaryCoding
import Cryptography

/// The secret that a server makes at its first start and keeps: what is derived from it, nobody
/// else can derive.
///
/// It gives names and successors of tokens, these by another secret once they were renewed; it
/// proves nothing by itself. Whoever steals the storage learns with it which users of different
/// containers are one, and still no token, since these are kept as hashes.
struct ServerSecret: Hashable, Sendable {
  let bytes: [UInt8]

  /// The name of an account in a container: another in each, and none tells of the account.
  func userRecordName(ofAccount identifier: String, in container: String) -> String {
    name("user", identifier, container)
  }

  /// The name of a server's key in its container.
  func userRecordName(ofKey identifier: String, in container: String) -> String {
    name("key", identifier, container)
  }

  /// The one token that follows a web token.
  ///
  /// It can be made again from its predecessor, so that parallel requests and repeated answers all
  /// carry the same, and nothing but hashes has to be kept.
  func successor(of token: Secret) -> Secret {
    Secret(bytes: code("successor", token.text))
  }

  /// A number for a text, which nobody can foresee.
  func number(for text: String) -> UInt64 {
    code("number", text).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// What a form carries, to show that it was made here.
  func formCode(for text: String) -> String { Hexadecimal.text(code("form", text)) }

  private func name(_ parts: String...) -> String {
    "_" + Hexadecimal.text(Array(code(parts).prefix(16)))
  }

  private func code(_ parts: String...) -> [UInt8] { code(parts) }

  /// Each part follows its length, so that no two lists have the same bytes.
  private func code(_ parts: [String]) -> [UInt8] {
    var form = BinaryWriter(capacity: 128)
    for part in parts { form.text(part) }
    return MessageAuthenticationCode.make(of: form.bytes, key: bytes)
  }
}
