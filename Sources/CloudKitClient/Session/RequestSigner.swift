import CloudTransport
import Cryptography
import Foundation

/// Signs requests with a server-to-server key, as CloudKit Web Services specifies.
///
/// The signed text is `date:hash of the body:path`. Three headers carry the key ID, the date and
/// the signature.
struct RequestSigner: Sendable {
  let keyIdentifier: String
  let key: SignaturePrivateKey

  /// The headers of a signed request.
  func headers(path: String, body: [UInt8], at date: Date) -> [(name: String, value: String)] {
    let time = Self.text(date)
    let hash = Data(DigestAlgorithm.sha256.hash(body)).base64EncodedString()
    let signature = key.sign(Array("\(time):\(hash):\(path)".utf8))
    return [
      ("X-Apple-CloudKit-Request-KeyID", keyIdentifier),
      ("X-Apple-CloudKit-Request-ISO8601Date", time),
      ("X-Apple-CloudKit-Request-SignatureV1", Data(signature).base64EncodedString()),
    ]
  }

  /// A date in ISO 8601 with whole seconds, such as `2026-11-22T08:00:00Z`.
  static func text(_ date: Date) -> String {
    Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)).formatted(.iso8601)
  }
}
