import CloudWire
import Cryptography

/// What a server's key signed of a request: `date:hash of the body:path`.
///
/// Real clients differ in two of the parts, so each form that one is known to sign is good:
///
/// | client | hash where there is no body | path |
/// |---|---|---|
/// | MistKit | nothing | without the query |
/// | CloudKit JS, requests-cloudkit | that of no bytes | with the query |
/// | icloud-go, OpenCloudKit | that of no bytes | without the query |
///
/// The same request may come twice within the ten minutes: clients send again what was not answered, signature and all. What is sent twice
/// changes little, since a record that was saved has another tag; the transport keeps others from hearing it.
package struct RequestSignature: Hashable, Sendable {
  /// Three headers as they came; empty where one is missing.
  package var keyIdentifier: String
  package var date: String
  package var signature: String
  /// SHA-256 of the body's bytes, as they came.
  package var bodyHash: [UInt8]
  package var hasBody: Bool
  /// The path as it came, without the query.
  package var path: String
  /// The query as it came, without its question mark; nil where there is none.
  package var query: String?

  package init(
    keyIdentifier: String, date: String, signature: String, bodyHash: [UInt8], hasBody: Bool, path: String,
    query: String?
  ) {
    self.keyIdentifier = keyIdentifier
    self.date = date
    self.signature = signature
    self.bodyHash = bodyHash
    self.hasBody = hasBody
    self.path = path
    self.query = query
  }

  /// The longest signature, in base64: more than any of the curve has.
  private static let maximumCharacters = 200

  /// Every text that may have been signed.
  var messages: [String] {
    let hashes = [Base64Text.text(bodyHash)] + (hasBody ? [] : [""])
    let paths = [path] + (query.map { ["\(path)?\($0)"] } ?? [])
    return hashes.flatMap { hash in paths.map { "\(date):\(hash):\($0)" } }
  }

  /// Whether the key signed one of these texts.
  func isGood(by key: SignaturePublicKey) -> Bool {
    guard signature.utf8.count <= Self.maximumCharacters, let signature = Base64Text.bytes(signature) else {
      return false
    }
    return messages.contains { key.verifies(signature, of: Array($0.utf8)) }
  }
}
