import ClientTestSupport
import CloudKitClient
import CurlTransport
import Foundation
import HTTPServer
import RecordServerHTTP
import TestSupport
import Testing

@Suite("Untrusted servers", .blockingThreads, .endsAtAll)
struct WrongCertificateTests {
  private let zoneID = CKRecordZone.ID(zoneName: "Notes")

  /// A reason not to trust the server.
  ///
  /// The client trusts another authority, or only the system's authorities. The certificate names
  /// another host. The connection has no TLS.
  private enum Mistake: CaseIterable, Sendable {
    case otherAuthority, systemAuthority, otherHost, noSecurity
  }

  @Test func `An untrusted connection is a network failure, and the server saves nothing`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      let authority = DevelopmentAuthority(folder: folder.path + "/own")
      let other = DevelopmentAuthority(folder: folder.path + "/other")
      let (certificate, key) = try authority.files(hosts: [])
      _ = try other.files(hosts: [])
      try await withDistantCloud {
        $0.http.host = "0.0.0.0"
        $0.http.security = .files(certificate: certificate, key: key)
      } _: { cloud in
        for mistake in Mistake.allCases {
          let trusted =
            mistake == .systemAuthority ? nil : mistake == .otherAuthority ? other : authority
          let transport = DistantCloud.transport(trusting: trusted?.certificate)
          let container = cloud.container(
            cloud.credentials(.ada), at: address(mistake, cloud.proxy.port), over: transport,
            DistantCloud.impatient())
          try await DistantCloud.closing([transport]) {
            try await expectFailures(container, mistake)
          }
        }
        let transport = DistantCloud.transport(trusting: authority.certificate)
        let container = cloud.container(
          cloud.credentials(.ada), at: "https://localhost:\(cloud.proxy.port)", over: transport,
          DistantCloud.impatient())
        try await DistantCloud.closing([transport]) {
          let zones = try await container.privateCloudDatabase.allRecordZones()
          #expect(zones.map(\.zoneID) == [.default])
          #expect(try await container.privateCloudDatabase.allSubscriptions().isEmpty)
        }
      }
    }
  }

  @Test func `A configuration that names unusable files is reported as invalid`() async throws {
    try await withTemporaryDirectory { folder in
      let (certificate, key) = try DevelopmentAuthority(folder: folder.path + "/own").files(
        hosts: [])
      let nowhere = folder.path + "/nowhere.pem"
      try await withDistantCloud {
        $0.http.host = "0.0.0.0"
        $0.http.security = .files(certificate: certificate, key: key)
      } _: { cloud in
        var (authority, identity) = (CurlTransport.Settings(), CurlTransport.Settings())
        authority.security.authorityFile = nowhere
        identity.security.authorityFile = certificate
        identity.security.clientCertificate = CurlTransport.ClientCertificate(
          certificateFile: nowhere, keyFile: nowhere)
        for settings in [authority, identity] {
          let transport = CurlTransport(settings)
          let container = cloud.container(
            cloud.credentials(.ada), at: "https://localhost:\(cloud.proxy.port)", over: transport,
            DistantCloud.impatient())
          try await DistantCloud.closing([transport]) {
            let error = await #expect(throws: CKError.self) { try await container.accountStatus() }
            #expect(error?.code == .badContainer, "\(String(describing: error))")
          }
        }
      }
    }
  }

  private func address(_ mistake: Mistake, _ port: UInt16) -> String {
    switch mistake {
    case .otherAuthority, .systemAuthority: "https://localhost:\(port)"
    case .otherHost: "https://127.0.0.2:\(port)"
    case .noSecurity: "http://localhost:\(port)"
    }
  }

  /// Expects that one request of each kind fails.
  private func expectFailures(_ container: CKContainer, _ mistake: Mistake) async throws {
    let database = container.privateCloudDatabase
    let requests: [(String, () async throws -> Void)] = [
      ("zones", { try await database.save(CKRecordZone(zoneID: zoneID)) }),
      ("records", { _ = try await database.record(for: CKRecord.ID(recordName: "one")) }),
      ("subscriptions", { try await database.save(CKDatabaseSubscription(subscriptionID: "all")) }),
      (
        "shares",
        { _ = try await container.shareMetadata(for: webAddress("https://localhost/share/abc")) }
      ),
      ("encryption", { _ = try await container.encryption.status() }),
      ("users", { _ = try await container.userRecordID() }),
    ]
    let codes: Set<CKError.Code> =
      mistake == .noSecurity ? [.networkFailure, .serverResponseLost] : [.networkFailure]
    for (name, request) in requests {
      let error = await #expect(throws: CKError.self, "\(mistake): \(name)") {
        try await request()
      }
      #expect(
        error.map { codes.contains($0.code) } == true,
        "\(mistake): \(name): \(String(describing: error))")
    }
    var signals = try container.binding().signals.makeAsyncIterator()
    guard case .silent(let error)? = await signals.next() else {
      Issue.record("The client accepted a push channel to an untrusted server.")
      return
    }
    #expect(codes.contains(error.code), "\(mistake): \(error)")
  }
}
