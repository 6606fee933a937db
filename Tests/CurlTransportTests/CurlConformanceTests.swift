import CloudRecords
import CloudTransportConformance
import Cryptography
import CurlTransport
import Foundation
import RecordServer
import RecordServerHTTP
import RecordStorage
import TestSupport
import Testing

@Suite("The transport over libcurl", .blockingThreads, .endsAtAll)
struct CurlConformanceTests {
  private static let container = ContainerAddress(
    container: "iCloud.com.example.app", environment: .development)

  @Test(arguments: TransportCheck.all)
  func `The transport conforms to the common checks`(check: TransportCheck) async throws {
    try await withTemporaryDirectory { folder in
      var configuration = CloudServer.Configuration()
      configuration.accounts.passwordCost = .least
      configuration.files = folder.appendingPathComponent("server").path
      configuration.service.report = { error, _ in
        if !(error is CancellationError) { Issue.record("\(error)") }
      }
      let server = try await CloudServer.start(on: MemoryStorageEngine(), configuration)
      var settings = CurlTransport.Settings()
      settings.proxy = .none
      let transport = CurlTransport(settings)
      let accounts = server.service.accounts
      let cloud = CloudUnderTest(
        transport: transport, address: server.address,
        container: "\(Self.container.container)/development",
        apiToken: try await accounts.createAPIToken(for: Self.container).text, folder: folder
      ) { name in
        _ = try await accounts.signUp(name: name, password: "a password of a test", from: nil)
        return try await accounts.signIn(
          name: name, password: "a password of a test", to: Self.container, from: nil
        ).webToken
      }
      do {
        try await check.run(in: cloud)
      } catch {
        Issue.record(error)
      }
      await transport.shutdown()
      #expect(await server.shutdown(within: .seconds(20)) == 0)
    }
  }
}
