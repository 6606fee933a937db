import ClientTestSupport
import CloudKitClient
import CloudTransport
import Foundation
import TestSupport
import Testing

/// Errors advise the user if a container's credentials cause them.
@Suite("Remedies for credentials")
struct CredentialRemedyTests {
  /// The error of a request that the server rejects.
  private func rejection(
    of credentials: CKContainer.Configuration.Credentials, _ status: Int, _ code: String
  ) async -> CKError? {
    let transport = ScriptedTransport { _ throws(TransportError) in .error(status, code) }
    let configuration = CKContainer.Configuration(
      containerIdentifier: "iCloud.remedy", server: webAddress("https://cloud.example.com"),
      credentials: credentials)
    let container = CKContainer(
      ContainerBinding(configuration, transport: transport, store: MemoryCredentialStore()))
    return await #expect(throws: CKError.self) {
      try await container.privateCloudDatabase.allRecordZones()
    }
  }

  static let cases: [(CKContainer.Configuration.Credentials, Int, String, String)] = [
    (.none, 401, "AUTHENTICATION_FAILED", "Because. Set PARHELION_DEVELOPMENT_USER"),
    (
      .program(apiToken: "a"), 421, "AUTHENTICATION_REQUIRED",
      "Because. Sign in, or set PARHELION_WEB_AUTH_TOKEN"
    ),
    (
      .user(apiToken: "a", webAuthToken: "w"), 401, "AUTHENTICATION_FAILED",
      "Because. Set PARHELION_WEB_AUTH_TOKEN"
    ),
  ]

  @Test(arguments: cases.indices)
  func `A credential error names the variables to set`(index: Int) async {
    let (credentials, status, code, words) = Self.cases[index]
    let error = await rejection(of: credentials, status, code)
    #expect(error?.code == .notAuthenticated)
    #expect(error?.localizedDescription.hasPrefix(words) == true, "\(String(describing: error))")
    #expect(error?.userInfo["ServerErrorDescription"] as? String == "Because.")
  }

  @Test(arguments: cases.indices)
  func `Other errors have only the server's reason`(index: Int) async {
    let error = await rejection(of: Self.cases[index].0, 403, "ACCESS_DENIED")
    #expect(error?.localizedDescription == "Because.")
  }
}
