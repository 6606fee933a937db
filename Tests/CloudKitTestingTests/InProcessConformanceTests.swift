import CloudKitTesting
import CloudTransportConformance
import TestSupport
import Testing

@Suite("In-process transport", .endsAtAll)
struct InProcessConformanceTests {
  @Test(arguments: TransportCheck.all)
  func `The transport passes the checks for all transports`(check: TransportCheck) async throws {
    try await withTemporaryDirectory { folder in
      let cloud = try await TestCloud()
      let device = cloud.device()
      try await check.run(
        in: CloudUnderTest(
          transport: device.transport, address: cloud.address,
          container: "\(cloud.container)/development",
          apiToken: cloud.apiToken, folder: folder
        ) { name in
          try #require(try await cloud.signIn(name).webAuthToken)
        })
      #expect(cloud.serverErrors == [])
      await cloud.end()
    }
  }
}
