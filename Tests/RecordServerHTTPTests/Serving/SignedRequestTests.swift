import CloudRecords
import Cryptography
import Foundation
import RecordServer
import TestSupport
import Testing

@Suite("Requests that a server's key signs", .blockingThreads)
struct SignedRequestTests {
  private struct Server {
    let client: WebClient
    let key = SignaturePrivateKey()
    let identifier: String
    let userRecordName: String
    var path: String { "/database/1/\(client.container)/public" }

    init(_ site: Site) async throws {
      let stored = try await site.accounts.addServerKey(publicKey: key.publicPEM, for: Site.container)
      (identifier, userRecordName) = (stored.identifier, site.accounts.userRecordName(of: stored))
      client = try site.client()
    }

    func fields(_ message: (String) -> String) -> String {
      let date = ISO8601DateFormatter().string(from: Date())
      let signature = Data(key.sign(Array(message(date).utf8))).base64EncodedString()
      return """
        X-Apple-CloudKit-Request-KeyID: \(identifier)\r
        X-Apple-CloudKit-Request-ISO8601Date: \(date)\r
        X-Apple-CloudKit-Request-SignatureV1: \(signature)\r

        """
    }
  }

  private static func hash(_ body: String) -> String {
    Data(DigestAlgorithm.sha256.hash(Array(body.utf8))).base64EncodedString()
  }

  private static let save =
    #"{"operations":[{"operationType":"create","record":{"recordType":"Note","recordName":"n","fields":{}}}]}"# + "\n"

  @Test func `Are taken with the path alone and with the query, over the body as it came`() async throws {
    try await Site.run { site in
      let server = try await Server(site)
      let target = "\(server.path)/records/modify"
      let plain = server.fields { "\($0):\(Self.hash(Self.save)):\(target)" }
      let first = try server.client.post(target, Self.save, plain)
      #expect(first["records"][0]["created"]["userRecordName"].text == server.userRecordName, "\(first)")
      #expect(first.fields["x-apple-cloudkit-web-auth-token"] == nil)
      let query = "\(target)?remapEnums=true"
      let second = try server.client.post(
        query, Self.save, server.fields { "\($0):\(Self.hash(Self.save)):\(query)" })
      #expect(second["records"][0]["serverErrorCode"].text == "EXISTS", "\(second)")
    }
  }

  @Test(arguments: ["", SignedRequestTests.hash("")])
  func `Are taken without a body, with the hash of nothing or without any`(hash: String) async throws {
    try await Site.run { site in
      let server = try await Server(site)
      let target = "\(server.path)/zones/list"
      #expect(try server.client.get(target, server.fields { "\($0):\(hash):\(target)" }).status == 200)
    }
  }

  @Test func `Are refused with another body, beside an API token, and in databases that belong to users`() async throws
  {
    try await Site.run { site in
      let server = try await Server(site)
      let target = "\(server.path)/records/modify"
      let fields = server.fields { "\($0):\(Self.hash(Self.save)):\(target)" }
      #expect(try server.client.post(target, Self.save + " ", fields).code == "AUTHENTICATION_FAILED")
      #expect(try server.client.post(target + server.client.query, Self.save, fields).status == 401)
      let one = fields.split(separator: "\r\n").prefix(1).joined() + "\r\n"
      #expect(try server.client.post(target, Self.save, one).status == 401)
      let own = "/database/1/\(server.client.container)/private/zones/list"
      let reply = try server.client.get(own, server.fields { "\($0)::\(own)" })
      #expect((reply.status, reply.code) == (403, "ACCESS_DENIED"))
    }
  }
}
