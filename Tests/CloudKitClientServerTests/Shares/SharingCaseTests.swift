import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import CloudRecords
import Foundation
import Testing

/// The numbered cases of sharing that concern shares and the server, without mirroring.
@Suite("Sharing cases")
struct SharingCaseTests {
  private let cloud: TestCloud
  private let anna: CKContainer
  private let bob: CKContainer
  private let carol: CKContainer
  private let zoneID: CKRecordZone.ID
  /// Anna's share of a zone, saved.
  private let share: CKShare

  init() async throws {
    cloud = try await TestCloud(chance: TestRandomness()) { limits in
      limits.zonesPerDatabase = 3
      limits.participantsPerShare = 5
    }
    anna = try await cloud.signIn("anna@example.com").container
    bob = try await cloud.signIn("bob@example.com").container
    carol = try await cloud.signIn("carol@example.com").container
    let zone = try await anna.privateCloudDatabase.save(CKRecordZone(zoneName: "Trips"))
    zoneID = zone.zoneID
    share = CKShare(recordZoneID: zoneID)
    share[CKShare.SystemFieldKey.title] = "Trips"
    try await anna.privateCloudDatabase.save(share)
  }

  private func fetched(_ container: CKContainer? = nil) async throws -> CKShare {
    let container = container ?? anna
    guard container != anna else {
      return try #require(
        try await anna.privateCloudDatabase.record(for: share.recordID) as? CKShare)
    }
    let zone = try #require(try await container.sharedCloudDatabase.allRecordZones().first)
    let name = CKRecord.ID(recordName: share.recordID.recordName, zoneID: zone.zoneID)
    return try #require(try await container.sharedCloudDatabase.record(for: name) as? CKShare)
  }

  private func invite(
    _ address: String, _ permission: CKShare.ParticipantPermission = .readOnly,
    _ role: CKShare.ParticipantRole = .privateUser
  ) async throws {
    let guest = try await anna.shareParticipant(forEmailAddress: address)
    (guest.permission, guest.role) = (permission, role)
    share.addParticipant(guest)
    try await anna.privateCloudDatabase.save(share)
  }

  private func url() throws -> URL { try #require(share.url) }

  private func accept(_ container: CKContainer, _ url: URL? = nil) async throws {
    let metadata = try await container.shareMetadata(for: url ?? self.url())
    try await container.accept(metadata)
  }

  /// The participants in short, after the owner.
  private func people(_ share: CKShare) -> [String] {
    share.participants.dropFirst().map { person in
      let name =
        person.userIdentity.nameComponents?.givenName
        ?? person.userIdentity.lookupInfo?.emailAddress ?? "-"
      return "\(name.prefix { $0 != "@" }) \(person.acceptanceStatus) \(person.permission)"
    }
  }

  private func zoneCount(_ container: CKContainer) async throws -> Int {
    try await container.sharedCloudDatabase.allRecordZones().count
  }

  // MARK: Creating

  @Test func `Case 24: At the limit of zones nothing is created`() async throws {
    let database = anna.privateCloudDatabase
    var names = ["Trips"]
    while let zone = try? await database.save(CKRecordZone(zoneName: "Zone \(names.count)")) {
      names.append(zone.zoneID.zoneName)
      try #require(names.count < 10)
    }
    await #expect {
      try await database.save(CKRecordZone(zoneName: "Another"))
    } throws: { CKError.limitExceeded ~= $0 }
    let found = try await database.allRecordZones().map(\.zoneID.zoneName)
    #expect(Set(found).isSuperset(of: names) && !found.contains("Another"))
    // Removing a zone makes room for another.
    try await database.deleteRecordZone(withID: CKRecordZone.ID(zoneName: names[1]))
    _ = try await database.save(CKRecordZone(zoneName: "Another"))
  }

  // MARK: Inviting

  @Test func `Case 25: An address without an account is invited, and bound when it accepts`()
    async throws
  {
    let guest = try await anna.shareParticipant(forEmailAddress: "dora@example.com")
    #expect(!guest.userIdentity.hasiCloudAccount && guest.userIdentity.userRecordID == nil)
    #expect(guest.userIdentity.lookupInfo?.emailAddress == "dora@example.com")
    share.addParticipant(guest)
    try await anna.privateCloudDatabase.save(share)
    #expect(people(share) == ["dora pending readOnly"])
    #expect(share.participants.last?.userIdentity.hasiCloudAccount == false)
    let dora = try await cloud.signIn("dora@example.com").container
    try await accept(dora)
    let bound = try #require(try await fetched().participants.last)
    #expect(bound.userIdentity.hasiCloudAccount && bound.acceptanceStatus == .accepted)
    #expect(try await zoneCount(dora) == 1)
  }

  @Test func `Case 26: A person who is added twice is one participant, with the last permission`()
    async throws
  {
    try await invite("bob@example.com")
    try await invite("Bob@example.com", .readWrite)
    #expect(people(share) == ["bob pending readWrite"])
    #expect(try await fetched().participants.count == 2)
  }

  @Test func `Case 27: Adding a participant to a public share stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let share = CKShare(recordZoneID: CKRecordZone.ID(zoneName: "Trips"))
      share.publicPermission = .readOnly
      share.addParticipant(.oneTimeURLParticipant())
    }
  }

  @Test(arguments: [CKShare.ParticipantPermission.readOnly, .readWrite])
  func `Case 28: Opening a share removes pending participants, and keeps accepted ones`(
    permission: CKShare.ParticipantPermission
  ) async throws {
    try await invite("bob@example.com")
    try await invite("carol@example.com")
    try await accept(bob)
    let known = try await fetched()
    known.publicPermission = permission
    #expect(people(known) == ["bob accepted readOnly"])
    try await anna.privateCloudDatabase.save(known)
    let saved = try await fetched()
    #expect(people(saved) == ["bob accepted readOnly"] && saved.publicPermission == permission)
    #expect(try await zoneCount(bob) == 1)
    // Anyone with the link may join now.
    try await accept(carol)
    #expect(try await fetched().participants.last?.role == .publicUser)
  }

  @Test func `Case 29: Closing a share removes all participants but those added before the save`()
    async throws
  {
    try await invite("bob@example.com")
    try await accept(bob)
    let open = try await fetched()
    open.publicPermission = .readOnly
    try await anna.privateCloudDatabase.save(open)
    try await accept(carol)
    let closing = try await fetched()
    #expect(closing.participants.count == 3)
    closing.publicPermission = .none
    #expect(closing.participants.count == 1)
    closing.addParticipant(try await anna.shareParticipant(forEmailAddress: "dora@example.com"))
    try await anna.privateCloudDatabase.save(closing)
    let closed = try await fetched()
    #expect(people(closed) == ["dora pending readOnly"] && closed.publicPermission == .none)
    for former in [bob, carol] { #expect(try await zoneCount(former) == 0) }
    await #expect { try await accept(carol) } throws: { CKError.unknownItem ~= $0 }
  }

  @Test func `Case 30: A participant above the limit is rejected, and nothing changes`()
    async throws
  {
    for number in 1...4 {
      share.addParticipant(
        try await anna.shareParticipant(forEmailAddress: "guest\(number)@example.com"))
    }
    try await anna.privateCloudDatabase.save(share)
    share.addParticipant(try await anna.shareParticipant(forEmailAddress: "more@example.com"))
    await #expect {
      try await anna.privateCloudDatabase.save(share)
    } throws: { CKError.tooManyParticipants ~= $0 }
    #expect(try await fetched().participants.count == 5)
  }

  // MARK: Accepting

  @Test func `Case 33: Accepting twice, on two devices, leaves one participant`() async throws {
    try await invite("bob@example.com")
    let second = try await cloud.signIn("bob@example.com").container
    let first = try await bob.shareMetadata(for: try url())
    let again = try await second.shareMetadata(for: try url())
    async let one = bob.accept(first)
    async let two = second.accept(again)
    for accepted in [try await one, try await two] {
      #expect(accepted.currentUserParticipant?.acceptanceStatus == .accepted)
    }
    try await bob.accept(first)
    #expect(people(try await fetched()) == ["bob accepted readOnly"])
    for device in [bob, second] { #expect(try await zoneCount(device) == 1) }
  }

  @Test func `Case 34: The owner's own link leads to the private database`() async throws {
    let metadata = try await anna.shareMetadata(for: try url())
    #expect(metadata.participantRole == .owner && metadata.participantStatus == .accepted)
    #expect(metadata.participantPermission == .readWrite)
    #expect(metadata.share.recordID.zoneID == zoneID)
    let accepted = try await anna.accept(metadata)
    #expect(accepted.currentUserParticipant?.role == .owner)
    #expect(try await zoneCount(anna) == 0)
    #expect(try await fetched().participants.count == 1)
  }

  @Test(arguments: [false, true])
  func `Case 35: A share that was stopped meanwhile cannot be accepted and leaves no zone`(
    deletesZone: Bool
  ) async throws {
    try await invite("bob@example.com")
    let metadata = try await bob.shareMetadata(for: try url())
    if deletesZone {
      try await anna.privateCloudDatabase.deleteRecordZone(withID: zoneID)
    } else {
      try await anna.privateCloudDatabase.deleteRecord(withID: share.recordID)
    }
    await #expect {
      try await bob.accept(metadata)
    } throws: { CKError.unknownItem ~= $0 || CKError.zoneNotFound ~= $0 }
    #expect(try await zoneCount(bob) == 0)
    await #expect { try await bob.shareMetadata(for: try url()) } throws: {
      CKError.unknownItem ~= $0
    }
  }

  @Test func `Case 36: A private share rejects people without an invitation`() async throws {
    share.allowsAccessRequests = true
    try await anna.privateCloudDatabase.save(share)
    let metadata = try await carol.shareMetadata(for: try url())
    #expect(metadata.participantStatus == .unknown && metadata.participantRole == .privateUser)
    await #expect { try await carol.accept(metadata) } throws: { CKError.permissionFailure ~= $0 }
    #expect(try await zoneCount(carol) == 0)
  }

  /// Everything that the link reveals to a person, without the link's name.
  private func revealed(to container: CKContainer, by url: URL) async -> [String] {
    func text(_ work: () async throws -> Void) async -> String {
      do { try await work() } catch let error as CKError {
        return "\(error.code) \(error.localizedDescription)"
          .replacing(url.lastPathComponent, with: "NAME")
      } catch { return "\(error)" }
      return "success"
    }
    return [
      await text { _ = try await container.shareMetadata(for: url) },
      await text { _ = try await container.requestShareAccess(for: [url])[url]?.get() },
    ]
  }

  @Test(arguments: ["uninvited", "pending for another", "blocked", "left"])
  func `Case 36: Without access requests a share looks like one that does not exist`(
    situation: String
  ) async throws {
    share.allowsAccessRequests = true
    try await anna.privateCloudDatabase.save(share)
    let metadata = try await carol.shareMetadata(for: try url())
    switch situation {
    case "pending for another": try await invite("bob@example.com")
    case "blocked":
      _ = try await carol.requestShareAccess(for: [try url()])
      let asked = try await fetched()
      asked.blockRequesters(asked.requesters)
      try await anna.privateCloudDatabase.save(asked)
    case "left":
      try await invite("carol@example.com")
      try await accept(carol)
      let zone = try #require(try await carol.sharedCloudDatabase.allRecordZones().first)
      try await carol.sharedCloudDatabase.deleteRecord(
        withID: CKRecord.ID(recordName: share.recordID.recordName, zoneID: zone.zoneID))
    default: break
    }
    let closed = try await fetched()
    closed.allowsAccessRequests = false
    try await anna.privateCloudDatabase.save(closed)
    let nowhere = try url().deletingLastPathComponent().appendingPathComponent("nowhere")
    let (hidden, missing) = (
      await revealed(to: carol, by: try url()), await revealed(to: carol, by: nowhere)
    )
    #expect(hidden == missing && hidden.allSatisfy { $0.hasPrefix("unknownItem") }, "\(hidden)")
    await #expect { try await carol.accept(metadata) } throws: { CKError.unknownItem ~= $0 }
    // Invited people are not affected.
    if situation == "pending for another" { try await accept(bob) }
  }

  @Test func `Case 41: The first of two people who open a one-time URL becomes the participant`()
    async throws
  {
    let guest = CKShare.Participant.oneTimeURLParticipant()
    guest.permission = .readWrite
    share.addParticipant(guest)
    #expect(share.oneTimeURL(for: guest.participantID) == nil)
    try await anna.privateCloudDatabase.save(share)
    let link = try #require(share.oneTimeURL(for: guest.participantID))
    #expect(link != share.url && people(share) == ["- pending readWrite"])
    #expect(share.participants.last?.dateAddedToShare != nil)
    // The link stays while the participant waits, also when another change is saved.
    let later = try await fetched()
    later[CKShare.SystemFieldKey.title] = "Journeys"
    later.allowsAccessRequests = true
    try await anna.privateCloudDatabase.save(later)
    #expect(later.oneTimeURL(for: guest.participantID) == link)
    let (first, second) = (
      try await bob.shareMetadata(for: link), try await carol.shareMetadata(for: link)
    )
    #expect(first.participantStatus == .pending && second.participantPermission == .readWrite)
    #expect(first.share.participants.count == 1)
    try await bob.accept(first)
    await #expect { try await carol.accept(second) } throws: { CKError.permissionFailure ~= $0 }
    let claimed = try await fetched()
    #expect(people(claimed) == ["bob accepted readWrite"])
    #expect(claimed.oneTimeURL(for: guest.participantID) == claimed.url && claimed.url != nil)
    // The participant's own link still leads that person to the share, and no one else.
    #expect(try await bob.shareMetadata(for: link).participantStatus == .accepted)
    try await bob.accept(first)
    #expect(try await zoneCount(bob) == 1)
    #expect(try await zoneCount(carol) == 0)
    claimed.removeParticipant(try #require(claimed.participants.last))
    try await anna.privateCloudDatabase.save(claimed)
    await #expect { try await bob.shareMetadata(for: link) } throws: { CKError.unknownItem ~= $0 }
    #expect(try await zoneCount(bob) == 0)
  }

  @Test func `Case 41: Two people who open a one-time URL at once`() async throws {
    let guest = CKShare.Participant.oneTimeURLParticipant()
    share.addParticipant(guest)
    try await anna.privateCloudDatabase.save(share)
    let link = try #require(share.oneTimeURL(for: guest.participantID))
    let metadata = [
      try await bob.shareMetadata(for: link), try await carol.shareMetadata(for: link),
    ]
    async let one = try? bob.accept(metadata[0])
    async let two = try? carol.accept(metadata[1])
    let accepted = [await one, await two].compactMap { $0 }
    #expect(accepted.count == 1)
    #expect(try await fetched().participants.count == 2)
    #expect(try await zoneCount(bob) + zoneCount(carol) == 1)
  }

  // MARK: Access requests

  private func ask() async throws {
    try await bob.requestShareAccess(for: [try url()])[url()]?.get()
  }

  @Test func `Case 42: Requests are approved, denied, blocked and unblocked`() async throws {
    share.allowsAccessRequests = true
    try await anna.privateCloudDatabase.save(share)
    // Denied: may ask again.
    try await ask()
    let denied = try await fetched()
    denied.denyRequesters(denied.requesters)
    try await anna.privateCloudDatabase.save(denied)
    try await ask()
    // Approved, then blocked: removed as a participant, and may not ask.
    let approved = try await fetched()
    let requester = try #require(approved.requesters.first)
    let info = requester.participantLookupInfo
    let guest = try await anna.shareParticipant(
      forEmailAddress: try #require(info.emailAddress))
    approved.addParticipant(guest)
    try await anna.privateCloudDatabase.save(approved)
    #expect(approved.requesters.isEmpty && approved.participants.last?.isApprovedRequester == true)
    try await accept(bob)
    let blocked = try await fetched()
    blocked.blockRequesters([requester])
    #expect(blocked.participants.count == 1)
    try await anna.privateCloudDatabase.save(blocked)
    #expect(try await fetched().participants.count == 1)
    #expect(try await zoneCount(bob) == 0)
    await #expect { try await ask() } throws: { CKError.unknownItem ~= $0 }
    // Unblocked: may ask again.
    blocked.unblockIdentities(blocked.blockedIdentities)
    try await anna.privateCloudDatabase.save(blocked)
    try await ask()
    #expect(try await fetched().requesters.count == 1)
  }

  @Test func `Case 42: Only the owner and administrators answer requests`() async throws {
    try await invite("bob@example.com", .readWrite)
    try await invite("carol@example.com", .readWrite, .administrator)
    for guest in [bob, carol] { try await accept(guest) }
    let open = try await fetched()
    open.allowsAccessRequests = true
    try await anna.privateCloudDatabase.save(open)
    let dora = try await cloud.signIn("dora@example.com").container
    try await dora.requestShareAccess(for: [try url()])[url()]?.get()
    // A participant does not see requests, and cannot answer them.
    let seen = try await fetched(bob)
    #expect(seen.requesters.isEmpty && !seen.allowsAccessRequests)
    seen.allowsAccessRequests = true
    await #expect { try await bob.sharedCloudDatabase.save(seen) } throws: {
      CKError.permissionFailure ~= $0
    }
    let managed = try await fetched(carol)
    #expect(managed.requesters.count == 1)
    managed.denyRequesters(managed.requesters)
    try await carol.sharedCloudDatabase.save(managed)
    #expect(try await fetched().requesters.isEmpty)
  }

  // MARK: Administrators

  @Test func `Case 43: An administrator adds and removes participants, and changes nothing else`()
    async throws
  {
    try await invite("bob@example.com", .readWrite, .administrator)
    try await accept(bob)
    let managed = try await fetched(bob)
    #expect(managed.currentUserParticipant?.role == .administrator)
    managed.addParticipant(try await bob.shareParticipant(forEmailAddress: "carol@example.com"))
    try await bob.sharedCloudDatabase.save(managed)
    try await accept(carol)
    let known = try await fetched()
    #expect(people(known) == ["bob accepted readWrite", "carol accepted readOnly"])
    #expect(known.participants[1].role == .administrator)
    // Others see only the owner and themselves.
    #expect(try await fetched(carol).participants.map(\.role) == [.owner, .privateUser])
    let renamed = try await fetched(bob)
    renamed[CKShare.SystemFieldKey.title] = "Mine"
    await #expect { try await bob.sharedCloudDatabase.save(renamed) } throws: {
      CKError.permissionFailure ~= $0
    }
    let opened = try await fetched(bob)
    opened.publicPermission = .readWrite
    await #expect { try await bob.sharedCloudDatabase.save(opened) } throws: {
      CKError.permissionFailure ~= $0
    }
    let removing = try await fetched(bob)
    removing.removeParticipant(try #require(removing.participants.last))
    try await bob.sharedCloudDatabase.save(removing)
    #expect(try await zoneCount(carol) == 0)
  }
}
