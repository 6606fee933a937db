import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import Foundation
import Testing

/// Requesting access to a share and answering, through the API and with the real server.
@Suite("Access requests")
struct AccessRequestTests {
  private let anna: CKContainer
  private let bob: CKContainer
  private let share: CKShare
  private let url: URL

  init() async throws {
    let cloud = try await TestCloud()
    anna = try await cloud.signIn("anna@example.com").container
    bob = try await cloud.signIn("bob@example.com").container
    let zone = try await anna.privateCloudDatabase.save(CKRecordZone(zoneName: "Trips"))
    share = CKShare(recordZoneID: zone.zoneID)
    share.allowsAccessRequests = true
    try await anna.privateCloudDatabase.save(share)
    url = try #require(share.url)
  }

  /// The share that Anna fetches.
  private func fetched() async throws -> CKShare {
    try #require(try await anna.privateCloudDatabase.record(for: share.recordID) as? CKShare)
  }

  private func ask() async throws -> Result<Void, any Error>? {
    try await bob.requestShareAccess(for: [url])[url]
  }

  @Test func `The owner sees requests and admits the users`() async throws {
    #expect(share.allowsAccessRequests && share.requesters.isEmpty)
    try await ask()?.get()
    let asked = try await fetched()
    let requester = try #require(asked.requesters.first)
    #expect(asked.allowsAccessRequests && asked.requesters.count == 1)
    #expect(requester.userIdentity.nameComponents?.givenName == "bob@example.com")
    #expect(requester.participantLookupInfo.emailAddress == "bob@example.com")
    let user = try #require(requester.userIdentity.userRecordID)
    let guest = try await anna.shareParticipant(forUserRecordID: user)
    guest.permission = .readWrite
    asked.addParticipant(guest)
    try await anna.privateCloudDatabase.save(asked)
    #expect(asked.requesters.isEmpty)
    let participant = try #require(asked.participants.last)
    #expect(participant.isApprovedRequester && participant.acceptanceStatus == .pending)
    try await bob.accept(try await bob.shareMetadata(for: url))
    #expect(try await bob.sharedCloudDatabase.allRecordZones().count == 1)
    #expect(try await fetched().participants.last?.isApprovedRequester == true)
  }

  @Test func `A rejected user can ask again, and a blocked one cannot until unblocked`()
    async throws
  {
    try await ask()?.get()
    let asked = try await fetched()
    asked.denyRequesters(asked.requesters)
    #expect(asked.requesters.isEmpty)
    try await anna.privateCloudDatabase.save(asked)
    #expect(try await fetched().requesters.isEmpty)
    try await ask()?.get()
    let again = try await fetched()
    again.blockRequesters(again.requesters)
    try await anna.privateCloudDatabase.save(again)
    #expect(again.requesters.isEmpty && again.blockedIdentities.count == 1)
    await #expect { try await ask()?.get() } throws: { CKError.unknownItem ~= $0 }
    again.unblockIdentities(again.blockedIdentities)
    try await anna.privateCloudDatabase.save(again)
    #expect(try await fetched().blockedIdentities.isEmpty)
    try await ask()?.get()
  }

  @Test func `An invited user is asked to accept the invitation`() async throws {
    let guest = try await anna.shareParticipant(forEmailAddress: "bob@example.com")
    share.addParticipant(guest)
    try await anna.privateCloudDatabase.save(share)
    await #expect { try await ask()?.get() } throws: { CKError.participantAlreadyInvited ~= $0 }
    try await bob.accept(try await bob.shareMetadata(for: url))
    try await ask()?.get()
    #expect(try await fetched().requesters.isEmpty)
  }

  @Test func `An operation reports the result of each request`() async throws {
    let lost = url.deletingLastPathComponent().appendingPathComponent("nowhere")
    let operation = CKShareRequestAccessOperation(shareURLs: [url, lost])
    let transcript = Transcript()
    operation.perShareAccessRequestResultBlock = { [url] in
      transcript.note($0 == url ? "share" : "lost", $1)
    }
    operation.shareAccessRequestResultBlock = { transcript.note("end", $0) }
    await bob.carryOut(operation)
    #expect(transcript.lines == ["share: done", "lost: unknownItem", "end: done"])
    #expect(try await fetched().requesters.count == 1)
  }

  @Test func `A share without access requests does not reveal that it exists`() async throws {
    share.allowsAccessRequests = false
    try await anna.privateCloudDatabase.save(share)
    await #expect { try await ask()?.get() } throws: { CKError.unknownItem ~= $0 }
  }

  @Test func `A user who asks meanwhile is not rejected with others`() async throws {
    try await ask()?.get()
    let asked = try await fetched()
    asked.allowsAccessRequests = false
    asked.denyRequesters([])
    let saved = try await anna.privateCloudDatabase.modifyRecords(
      saving: [asked], deleting: [], savePolicy: .changedKeys)
    _ = try saved.saveResults[asked.recordID]?.get()
    let now = try await fetched()
    #expect(!now.allowsAccessRequests && now.requesters.count == 1)
  }

  @Test func `Archives keep requesters and blocked users`() async throws {
    try await ask()?.get()
    let asked = try await fetched()
    asked.blockRequesters(asked.requesters)
    let data = try NSKeyedArchiver.archivedData(withRootObject: asked, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.self, from: data))
    #expect(read.allowsAccessRequests && read.requesters.isEmpty)
    #expect(read.blockedIdentities == asked.blockedIdentities && read.blockedIdentities.count == 1)
    // Earlier changes are sent.
    try await anna.privateCloudDatabase.save(read)
    #expect(try await fetched().blockedIdentities.count == 1)
  }
}
