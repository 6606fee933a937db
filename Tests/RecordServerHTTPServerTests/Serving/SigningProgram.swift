import Cryptography
import Foundation
import RecordServer

/// A program with its own key, which signs its requests to the public database.
struct SigningProgram {
  let client: WebClient
  let key = SignaturePrivateKey()
  let identifier: String
  let userRecordName: String
  var path: String { "/database/1/\(client.container)/public" }

  init(_ testService: TestService) async throws {
    let stored = try await testService.accounts.addServerKey(
      publicKey: key.publicPEM, for: TestService.container)
    (identifier, userRecordName) = (
      stored.identifier, testService.accounts.userRecordName(of: stored)
    )
    client = try testService.client()
  }

  /// Sends a request as documented.
  func post(_ operation: String, _ body: String) throws -> Reply {
    let target = "\(path)/\(operation)"
    return try client.post(target, body, fields { "\($0):\(Self.hash(body)):\(target)" })
  }

  /// The header fields of a request.
  ///
  /// - Parameter message: The signed text for a date.
  func fields(_ message: (String) -> String) -> String {
    let date = ISO8601DateFormatter().string(from: Date())
    let signature = Data(key.sign(Array(message(date).utf8))).base64EncodedString()
    return """
      X-Apple-CloudKit-Request-KeyID: \(identifier)\r
      X-Apple-CloudKit-Request-ISO8601Date: \(date)\r
      X-Apple-CloudKit-Request-SignatureV1: \(signature)\r

      """
  }

  static func hash(_ body: String) -> String {
    Data(DigestAlgorithm.sha256.hash(Array(body.utf8))).base64EncodedString()
  }
}
