import CloudWire
import Cryptography

/// The message that a server's key signed for a request: `date:hash of the body:path`.
///
/// Clients differ in two of its parts, so every form that a known client signs is valid:
///
/// | client | hash without a body | path |
/// |---|---|---|
/// | MistKit | empty | without the query |
/// | CloudKit JS, requests-cloudkit | of zero bytes | with the query |
/// | icloud-go, OpenCloudKit | of zero bytes | without the query |
///
/// A reading request may be replayed within ten minutes; a changing one is accepted once
/// (`UsedSignatures`).
package struct RequestSignature: Hashable, Sendable {
  /// The three headers as received; empty if missing.
  package var keyIdentifier: String
  package var date: String
  package var signature: String
  /// The SHA-256 hash of the body as received.
  package var bodyHash: [UInt8]
  package var hasBody: Bool
  /// The path as received, without the query.
  package var path: String
  /// The query as received, without its question mark; nil if there is none.
  package var query: String?

  package init(
    keyIdentifier: String, date: String, signature: String, bodyHash: [UInt8], hasBody: Bool,
    path: String,
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

  /// The maximum length of a signature in Base64, above that of any valid one.
  private static let maximumCharacters = 200

  /// The minimum size of a DER sequence of two integers.
  private static let leastBytes = 8

  /// All messages that the client may have signed.
  var messages: [String] {
    let hashes = [Base64Text.text(bodyHash)] + (hasBody ? [] : [""])
    let paths = [path] + (query.map { ["\(path)?\($0)"] } ?? [])
    return hashes.flatMap { hash in paths.map { "\(date):\(hash):\($0)" } }
  }

  /// The signature, decoded from Base64; nil if it cannot be a DER sequence.
  var bytes: [UInt8]? {
    guard signature.utf8.count <= Self.maximumCharacters, let bytes = Base64Text.bytes(signature),
      bytes.count >= Self.leastBytes, bytes[0] == 0x30, Int(bytes[1]) == bytes.count - 2
    else { return nil }
    return bytes
  }

  /// The fingerprint of the signature if the key signed one of the messages; nil otherwise.
  func proof(by key: SignaturePublicKey) -> UsedSignatures.Fingerprint? {
    guard let signature = bytes,
      messages.contains(where: { key.verifies(signature, of: Array($0.utf8)) })
    else { return nil }
    return UsedSignatures.Fingerprint(ofVerified: signature)
  }
}
