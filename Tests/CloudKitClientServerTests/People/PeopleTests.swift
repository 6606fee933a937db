import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import Foundation
import RecordServer
import RecordServerHTTP
import Synchronization
import Testing

/// Finding and inviting users, through the API and with the real server.
@Suite("User discovery")
struct PeopleTests {
  private static let address = "bob@example.com"
  private static let number = "+15550100"
  private let cloud: TestCloud
  private let anna: CKContainer
  private let annasName: String
  private let bobsID: CKRecord.ID

  init() async throws {
    cloud = try await TestCloud()
    let (device, other) = (
      try await cloud.signIn("anna@example.com"), try await cloud.signIn(Self.address)
    )
    anna = device.container
    annasName = try #require(device.userRecordName)
    bobsID = CKRecord.ID(recordName: try #require(other.userRecordName))
  }

  // MARK: Identities

  private func expectBob(_ identity: CKUserIdentity?) {
    #expect(identity?.userRecordID == bobsID && identity?.hasiCloudAccount == true)
    #expect(
      identity?.nameComponents?.givenName == Self.address && identity?.contactIdentifiers == [])
  }

  @Test func `A user is found by an address or a record, and not by unknown ones`() async throws {
    let found = try await anna.userIdentity(forEmailAddress: Self.address)
    expectBob(found)
    #expect(found?.lookupInfo == CKUserIdentity.LookupInfo(emailAddress: Self.address))
    expectBob(try await anna.userIdentity(forUserRecordID: bobsID))
    #expect(try await anna.userIdentity(forEmailAddress: "nobody@example.com") == nil)
    #expect(try await anna.userIdentity(forPhoneNumber: Self.number) == nil)
    #expect(try await anna.userIdentity(forUserRecordID: CKRecord.ID(recordName: "_nobody")) == nil)
  }

  @Test func `The case of an address does not matter`() async throws {
    let found = try await anna.userIdentity(forEmailAddress: "Bob@Example.COM")
    expectBob(found)
    #expect(found?.lookupInfo?.emailAddress == "Bob@Example.COM")
    expectGuest(try await anna.shareParticipant(forEmailAddress: "BOB@example.com"), bobsID)
  }

  @Test func `An invitation of a user without an account ignores the case of the address`()
    async throws
  {
    let zone = try await anna.privateCloudDatabase.save(CKRecordZone(zoneName: "Trips"))
    // The user is invited before the account exists.
    let guest = try await anna.shareParticipant(forEmailAddress: "Carol@Example.com")
    expectGuest(guest, nil)
    let share = CKShare(recordZoneID: zone.zoneID)
    share.addParticipant(guest)
    try await anna.privateCloudDatabase.save(share)
    let carol = try await cloud.signIn("carol@example.com").container
    try await carol.accept(try await carol.shareMetadata(for: try #require(share.url)))
    #expect(
      try await carol.sharedCloudDatabase.allRecordZones().map(\.zoneID.zoneName) == ["Trips"])
  }

  @Test func `Several users are found at once, each by their lookup`() async throws {
    let found = try await anna.userIdentities(forEmailAddresses: [
      Self.address, "nobody@example.com", "anna@example.com", Self.address,
    ])
    #expect(
      found.mapValues { $0.userRecordID?.recordName } == [
        Self.address: bobsID.recordName, "anna@example.com": CKCurrentUserDefaultName,
      ])
    #expect(try await anna.userIdentities(forPhoneNumbers: [Self.number]).isEmpty)
    let byRecord = try await anna.userIdentities(forUserRecordIDs: [
      bobsID, CKRecord.ID(recordName: "_nobody"),
    ])
    #expect(Set(byRecord.keys) == [bobsID])
    expectBob(byRecord[bobsID])
  }

  @Test func `Completion handlers get the users that were found`() async throws {
    let byAddress = await completion {
      anna.discoverUserIdentity(withEmailAddress: Self.address, completionHandler: $0)
    }
    expectBob(byAddress.value)
    let byRecord = await completion {
      anna.discoverUserIdentity(withUserRecordID: bobsID, completionHandler: $0)
    }
    expectBob(byRecord.value)
    let byNumber = await completion {
      anna.discoverUserIdentity(withPhoneNumber: Self.number, completionHandler: $0)
    }
    #expect(byNumber.value == nil && byNumber.error == nil)
    let signedOut = cloud.device().container
    let refused = await completion {
      signedOut.discoverUserIdentity(withEmailAddress: Self.address, completionHandler: $0)
    }
    #expect(refused.value == nil && refused.error?.code == .notAuthenticated)
  }

  @available(*, deprecated)
  @Test func `An operation reports each user found, then the end`() async {
    let transcript = Transcript()
    let operation = CKDiscoverUserIdentitiesOperation(
      userIdentityLookupInfos: CKUserIdentity.LookupInfo.lookupInfos(withEmails: [
        "nobody@example.com", Self.address, "anna@example.com",
      ]))
    operation.userIdentityDiscoveredBlock = { identity, info in
      transcript.note("\(info.emailAddress ?? "") is \(identity.userRecordID?.recordName ?? "")")
    }
    operation.discoverUserIdentitiesResultBlock = { transcript.note("end", $0) }
    operation.discoverUserIdentitiesCompletionBlock = { transcript.note("older end", $0) }
    await anna.carryOut(operation)
    #expect(
      transcript.lines == [
        "\(Self.address) is \(bobsID.recordName)",
        "anna@example.com is \(CKCurrentUserDefaultName)", "end: done",
        "older end: done",
      ])
  }

  // MARK: Participants to invite

  private func expectGuest(_ guest: CKShare.Participant?, _ userRecordID: CKRecord.ID?) {
    #expect(guest?.userIdentity.userRecordID == userRecordID && guest?.role == .privateUser)
    #expect(guest?.acceptanceStatus == .pending && guest?.permission == .readOnly)
  }

  @Test func `Known and unknown users can be invited`() async throws {
    expectGuest(try await anna.shareParticipant(forEmailAddress: Self.address), bobsID)
    expectGuest(try await anna.shareParticipant(forUserRecordID: bobsID), bobsID)
    let stranger = try await anna.shareParticipant(forPhoneNumber: Self.number)
    expectGuest(stranger, nil)
    #expect(
      stranger.userIdentity.lookupInfo?.phoneNumber == Self.number
        && !stranger.userIdentity.hasiCloudAccount)
  }

  @Test func `Several users can be invited at once`() async throws {
    let byAddress = try await anna.shareParticipants(forEmailAddresses: [
      Self.address, "nobody@example.com",
    ])
    #expect(Set(byAddress.keys) == [Self.address, "nobody@example.com"])
    expectGuest(try byAddress[Self.address]?.get(), bobsID)
    expectGuest(try byAddress["nobody@example.com"]?.get(), nil)
    let byNumber = try await anna.shareParticipants(forPhoneNumbers: [Self.number])
    expectGuest(try byNumber[Self.number]?.get(), nil)
    let byRecord = try await anna.shareParticipants(forUserRecordIDs: [bobsID])
    expectGuest(try byRecord[bobsID]?.get(), bobsID)
    await #expect {
      try await cloud.device().container.shareParticipants(forEmailAddresses: [Self.address])
    } throws: {
      CKError.notAuthenticated ~= $0
    }
  }

  @Test func `Completion handlers get the participants to invite`() async {
    let byAddress = await completion {
      anna.fetchShareParticipant(withEmailAddress: Self.address, completionHandler: $0)
    }
    expectGuest(byAddress.value, bobsID)
    let byNumber = await completion {
      anna.fetchShareParticipant(withPhoneNumber: Self.number, completionHandler: $0)
    }
    expectGuest(byNumber.value, nil)
    let byRecord = await completion {
      anna.fetchShareParticipant(withUserRecordID: bobsID, completionHandler: $0)
    }
    expectGuest(byRecord.value, bobsID)
    let signedOut = cloud.device().container
    let refused = await completion {
      signedOut.fetchShareParticipant(withPhoneNumber: Self.number, completionHandler: $0)
    }
    #expect(refused.value == nil && refused.error?.code == .notAuthenticated)
  }

  @available(*, deprecated)
  @Test func `An operation reports each participant to invite, then the end`() async {
    let transcript = Transcript()
    let infos =
      CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: [Self.number])
      + CKUserIdentity.LookupInfo.lookupInfos(with: [bobsID])
    let operation = CKFetchShareParticipantsOperation(userIdentityLookupInfos: infos)
    operation.perShareParticipantResultBlock = { info, result in
      transcript.note(info.phoneNumber ?? info.userRecordID?.recordName ?? "", result)
    }
    operation.shareParticipantFetchedBlock = {
      transcript.note("older: \($0.userIdentity.hasiCloudAccount)")
    }
    operation.fetchShareParticipantsResultBlock = { transcript.note("end", $0) }
    operation.fetchShareParticipantsCompletionBlock = { transcript.note("older end", $0) }
    await anna.carryOut(operation)
    #expect(
      transcript.lines == [
        "\(Self.number): done", "older: false", "\(bobsID.recordName): done", "older: true",
        "end: done",
        "older end: done",
      ])
  }

  // MARK: Discoverability

  @available(*, deprecated)
  @Test func `The permission to be found is the account's`() async throws {
    #expect(try await anna.applicationPermissionStatus(for: .userDiscoverability) == .granted)
    #expect(try await anna.requestApplicationPermission(.userDiscoverability) == .granted)
    try await cloud.service.accounts.setDiscoverable(false, accountNamed: "anna@example.com")
    #expect(try await anna.applicationPermissionStatus(for: .userDiscoverability) == .denied)
    #expect(try await anna.requestApplicationPermission(.userDiscoverability) == .denied)
    await #expect { try await anna.applicationPermissionStatus(for: []) } throws: {
      CKError.invalidArguments ~= $0
    }
  }

  @available(*, deprecated)
  @Test func `Completion handlers get the permission, or the reason why it is unknown`() async {
    typealias Answer = (CKContainer.ApplicationPermissionStatus, CKError.Code?)
    func answer(_ begin: (@escaping CKContainer.ApplicationPermissionBlock) -> Void) async -> Answer
    {
      await withCheckedContinuation { continuation in
        begin { continuation.resume(returning: ($0, ($1 as? CKError)?.code)) }
      }
    }
    let signedOut = cloud.device().container
    let granted = await answer {
      anna.status(forApplicationPermission: .userDiscoverability, completionHandler: $0)
    }
    #expect(granted == (.granted, nil))
    let asked = await answer {
      anna.requestApplicationPermission(.userDiscoverability, completionHandler: $0)
    }
    #expect(asked == (.granted, nil))
    let unknown = await answer {
      signedOut.status(forApplicationPermission: .userDiscoverability, completionHandler: $0)
    }
    #expect(unknown == (.couldNotComplete, .notAuthenticated))
    let refused = await answer {
      signedOut.requestApplicationPermission(.userDiscoverability, completionHandler: $0)
    }
    #expect(refused == (.couldNotComplete, .notAuthenticated))
  }

  // MARK: The address book

  @available(*, deprecated)
  @Test func `A missing address book has no users`() async throws {
    #expect(try await anna.allUserIdentitiesFromContacts() == [])
    let found = await completion { anna.discoverAllIdentities(completionHandler: $0) }
    #expect(found.value == [] && found.error == nil)
    let transcript = Transcript()
    await anna.carryOut(discoverAll(transcript))
    #expect(transcript.lines == ["end: done", "older end: done"])
    await cloud.device().container.carryOut(discoverAll(transcript))
    #expect(transcript.lines.suffix(2) == ["end: notAuthenticated", "older end: notAuthenticated"])
  }

  @available(*, deprecated)
  @Test func `Another server may find users of an address book`() async throws {
    let server = ForeignServer()
    server.people.withLock {
      $0 = #"{"userRecordName":"_grace","nameComponents":{"givenName":"Grace"}}"#
    }
    let container = server.container()
    #expect(
      try await container.allUserIdentitiesFromContacts().map(\.nameComponents?.givenName) == [
        "Grace"
      ])
    let transcript = Transcript()
    await container.carryOut(discoverAll(transcript))
    #expect(transcript.lines == ["_grace", "end: done", "older end: done"])
  }

  @available(*, deprecated)
  private func discoverAll(_ transcript: Transcript) -> CKOperation {
    let operation = CKDiscoverAllUserIdentitiesOperation()
    operation.userIdentityDiscoveredBlock = { transcript.note($0.userRecordID?.recordName ?? "") }
    operation.discoverAllUserIdentitiesResultBlock = { transcript.note("end", $0) }
    operation.discoverAllUserIdentitiesCompletionBlock = { transcript.note("older end", $0) }
    return operation
  }

  // MARK: The signed-in user

  @Test func `Completion handlers get the signed-in user`() async {
    let me = await completion { anna.fetchUserRecordID(completionHandler: $0) }
    #expect(me.value?.recordName == annasName && me.error == nil)
    let signedOut = cloud.device().container
    let refused = await completion { signedOut.fetchUserRecordID(completionHandler: $0) }
    #expect(refused.value == nil && refused.error?.code == .notAuthenticated)
    for (container, expected) in [(anna, CKAccountStatus.available), (signedOut, .noAccount)] {
      let status = await withCheckedContinuation { continuation in
        container.accountStatus { status, error in
          continuation.resume(returning: (status, error == nil))
        }
      }
      #expect(status == (expected, true))
    }
  }
}
