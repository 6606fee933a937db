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
/// What asks for something may come again within the ten minutes, signature and all. What changes
/// something is taken once (`UsedSignatures`).
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

  /// The longest signature, in base64: more than any of the curve has.
  private static let maximumCharacters = 200

  /// The shortest sequence of two integers.
  private static let leastBytes = 8

  /// Every text that may have been signed.
  var messages: [String] {
    let hashes = [Base64Text.text(bodyHash)] + (hasBody ? [] : [""])
    let paths = [path] + (query.map { ["\(path)?\($0)"] } ?? [])
    return hashes.flatMap { hash in paths.map { "\(date):\(hash):\($0)" } }
  }

  /// The signature; nil if the text cannot be one, which is a sequence in DER.
  var bytes: [UInt8]? {
    guard signature.utf8.count <= Self.maximumCharacters, let bytes = Base64Text.bytes(signature),
      bytes.count >= Self.leastBytes, bytes[0] == 0x30, Int(bytes[1]) == bytes.count - 2
    else { return nil }
    return bytes
  }

  /// What the signature is known by, where the key signed one of these texts; nil where it did not.
  func proof(by key: SignaturePublicKey) -> UsedSignatures.Fingerprint? {
    guard let signature = bytes,
      messages.contains(where: { key.verifies(signature, of: Array($0.utf8)) })
    else { return nil }
    return UsedSignatures.Fingerprint(ofVerified: signature)
  }
}
