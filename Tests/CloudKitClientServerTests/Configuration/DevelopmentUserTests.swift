import ClientTestSupport
import CloudKitClient
import CurlTransport
import Foundation
import RecordServer
import RecordServerHTTP
import RecordStorage
import TestSupport
import Testing

@Suite("Development users", .blockingThreads, .endsAtAll)
struct DevelopmentUserTests {
  @Test func `A configuration needs only a container's name and a user`() {
    let configuration = CKContainer.Configuration.development(
      "iCloud.com.example.notes", user: "ada")
    #expect(configuration.containerIdentifier == "iCloud.com.example.notes")
    #expect(configuration.server == URL(string: "http://127.0.0.1:8080"))
    #expect(configuration.environment == .development)
    guard case .developmentUser("ada") = configuration.credentials else {
      Issue.record("\(configuration.credentials)")
      return
    }
  }

  /// The container of a device with its own transport and keys.
  private func device(_ user: String, _ cloud: DistantCloud, _ transport: CurlTransport)
    -> CKContainer
  {
    DistantCloud.device(
      .development(
        "iCloud.com.example.fresh", user: user, server: webAddress(cloud.server.address)), transport
    )
  }

  @Test func `Devices of users without accounts save, fetch and stay separate`() async throws {
    try await withDistantCloud {
      $0.wantsDevelopmentUsers = true
    } _: { cloud in
      let transports = (0..<3).map { _ in DistantCloud.transport() }
      try await DistantCloud.closing(transports) {
        let (first, second) = (
          device("ada", cloud, transports[0]), device("ada", cloud, transports[1])
        )
        let other = device("bob", cloud, transports[2])
        #expect(try await first.accountStatus() == .available)
        #expect(try await first.userRecordID() == second.userRecordID())
        #expect(try await first.userRecordID() != other.userRecordID())
        let note = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "one"))
        note["title"] = "Eclipse"
        try await first.privateCloudDatabase.save(note)
        #expect(
          try await second.privateCloudDatabase.record(for: note.recordID)["title"] == "Eclipse")
        let missing = await #expect(throws: CKError.self) {
          try await other.privateCloudDatabase.record(for: note.recordID)
        }
        #expect(missing?.code == .unknownItem)
      }
    }
  }

  @Test func `A server without development users gives the reason`() async throws {
    try await withDistantCloud { cloud in
      let transport = DistantCloud.transport()
      try await DistantCloud.closing([transport]) {
        let error = await #expect(throws: CKError.self) {
          try await device("ada", cloud, transport).privateCloudDatabase.allRecordZones()
        }
        #expect(error?.code == .permissionFailure)
        #expect(
          error?.localizedDescription.contains("--no-development-users") == true,
          "\(String(describing: error))")
      }
    }
  }

  @Test func `Signing in or out is impossible with a development user`() async throws {
    try await withDistantCloud {
      $0.wantsDevelopmentUsers = true
    } _: { cloud in
      let transport = DistantCloud.transport()
      try await DistantCloud.closing([transport]) {
        let container = device("ada", cloud, transport)
        let signingIn = await #expect(throws: CKError.self) { try await container.signInPage() }
        let signingOut = await #expect(throws: CKError.self) { try await container.signOut() }
        #expect(signingIn?.code == .permissionFailure)
        #expect(signingOut?.code == .permissionFailure)
      }
    }
  }
}
