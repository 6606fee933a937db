import BinaryCoding
import Cryptography

/// A secret from which the server derives user record names, token successors or form codes.
///
/// The server creates one at its first start, and always derives user record names from it. After
/// the first renewal, it derives token successors and form codes from another secret. A thief of
/// the storage can link the users of different containers, but gets no token, since tokens are
/// stored as hashes.
struct ServerSecret: Hashable, Sendable {
  let bytes: [UInt8]

  /// The user record name of an account in a container.
  ///
  /// It differs in each container, and does not reveal the account.
  func userRecordName(ofAccount identifier: String, in container: String) -> String {
    name("user", identifier, container)
  }

  /// The user record name of a server's key in its container.
  func userRecordName(ofKey identifier: String, in container: String) -> String {
    name("key", identifier, container)
  }

  /// The successor of a web token.
  ///
  /// It is derived from its predecessor. So concurrent requests and repeated responses carry the
  /// same successor, although only hashes are stored.
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
