import ClientTestSupport
import CloudKitClient
import CloudRecords
import Foundation
import Testing

@Suite struct ShareTests {
  private let zoneID = CKRecordZone.ID(zoneName: "Albums")

  private func album() -> CKRecord {
    CKRecord(recordType: "Album", recordID: CKRecord.ID(recordName: "a1", zoneID: zoneID))
  }

  private func guest(
    _ name: String, _ role: CKShare.ParticipantRole = .privateUser,
    _ acceptance: CKShare.ParticipantAcceptanceStatus = .pending
  ) -> CKShare.Participant {
    CKShare.Participant(
      CKUserIdentity(userRecordID: CKRecord.ID(recordName: name)), role: role,
      permission: .readOnly,
      acceptance: acceptance, participantID: "p-\(name)")
  }

  @Test func `A record's share is in the same zone, and the record refers to it`() {
    let album = album()
    let share = CKShare(rootRecord: album)
    #expect(share.recordType == CKRecord.SystemType.share && share.recordID.zoneID == zoneID)
    #expect(
      share.recordID.recordName.hasPrefix("Share-") && album.share?.recordID == share.recordID)
    #expect(share.publicPermission == .none && share.url == nil)
    let own = CKShare(rootRecord: album, shareID: CKRecord.ID(recordName: "mine", zoneID: zoneID))
    #expect(album.share?.recordID == own.recordID)
  }

  @Test func `A zone's share has the reserved name`() {
    let share = CKShare(recordZoneID: zoneID)
    #expect(share.recordID.recordName == "cloudkit.zoneshare" && share.recordID.zoneID == zoneID)
  }

  @Test func `The creator of a share owns it`() {
    let share = CKShare(recordZoneID: zoneID)
    #expect(
      share.participants.count == 1 && share.owner.role == .owner
        && share.owner.permission == .readWrite)
    #expect(
      share.owner.acceptanceStatus == .accepted
        && share.currentUserParticipant === share.participants[0])
  }

  @Test func `A user is invited once and can be removed`() {
    let share = CKShare(recordZoneID: zoneID)
    let bob = guest("_bob")
    share.addParticipant(bob)
    bob.permission = .readWrite
    let again = guest("_bob")
    share.addParticipant(again)
    #expect(share.participants.count == 2 && share.participants[1] === again)
    share.removeParticipant(bob)
    #expect(share.participants.count == 1)
  }

  @Test func `Two users with the same address are two participants`() {
    func person(_ name: String, _ participantID: String = "") -> CKShare.Participant {
      CKShare.Participant(
        CKUserIdentity(
          userRecordID: CKRecord.ID(recordName: name),
          lookupInfo: CKUserIdentity.LookupInfo(emailAddress: "b@example.com")),
        role: .privateUser, permission: .readOnly, acceptance: .pending,
        participantID: participantID)
    }
    let share = CKShare(recordZoneID: zoneID)
    share.addParticipant(person("_bob", "p-bob"))
    let carol = person("_carol")
    share.addParticipant(carol)
    #expect(share.participants.count == 3)
    // The name for the signed-in user identifies no participant.
    share.addParticipant(person(CKCurrentUserDefaultName))
    #expect(share.participants.count == 3)
    share.removeParticipant(carol)
    #expect(
      share.participants.compactMap(\.userIdentity.userRecordID?.recordName).contains("_carol")
        == false)
  }

  @Test func `A user whom the share does not list yet is not its owner`() {
    let share = CKShare(recordZoneID: zoneID)
    share.addParticipant(
      CKShare.Participant(
        CKUserIdentity(userRecordID: CKRecord.ID(recordName: "_bob")), role: .privateUser,
        permission: .readOnly,
        acceptance: .pending, participantID: ""))
    #expect(share.participants.count == 2)
  }

  @Test func `The owner stays the owner`() async {
    let share = CKShare(recordZoneID: zoneID)
    share.addParticipant(guest(CKCurrentUserDefaultName))
    #expect(share.participants.count == 1 && share.owner.role == .owner)
    await #expect(processExitsWith: .failure) {
      let share = CKShare(recordZoneID: CKRecordZone.ID(zoneName: "Albums"))
      share.removeParticipant(share.owner)
    }
  }

  @Test func `Opening a share drops pending invitations`() {
    let share = CKShare(recordZoneID: zoneID)
    share.addParticipant(guest("_asked"))
    share.addParticipant(guest("_here", .privateUser, .accepted))
    share.publicPermission = .readOnly
    #expect(
      share.participants.map(\.participantID) == ["", "p-_here"]
        && share.publicPermission == .readOnly)
  }

  @Test func `Closing a share removes all participants but the owner`() {
    var details = ShareDetails(publicPermission: .readWrite, participants: [.named("_me", .owner)])
    details.participants += [.named("_you", .publicUser), .named("_she", .user)]
    let share = RecordCoding(currentUser: "_me").record(.share(details)) as? CKShare
    #expect(share?.participants.count == 3)
    share?.publicPermission = .none
    #expect(share?.participants.map(\.role) == [.owner])
    // A private share stays as it is.
    share?.addParticipant(guest("_they"))
    share?.publicPermission = .none
    #expect(share?.participants.count == 2)
  }

  @Test func `A participant for a one-time URL has an identifier and no name`() throws {
    let guest = CKShare.Participant.oneTimeURLParticipant()
    #expect(guest.role == .privateUser && guest.permission == .readOnly)
    #expect(guest.acceptanceStatus == .pending && guest.id == guest.participantID)
    #expect(guest.userIdentity.nameComponents == nil && !guest.userIdentity.hasiCloudAccount)
    let share = CKShare(recordZoneID: zoneID)
    share.addParticipant(guest)
    share.addParticipant(.oneTimeURLParticipant())
    #expect(share.participants.count == 3 && share.oneTimeURL(for: guest.id) == nil)
    let data = try NSKeyedArchiver.archivedData(withRootObject: share, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.self, from: data))
    #expect(read.participants == share.participants)
  }

  @Test func `After the acceptance, a participant's one-time URL is the share's URL`() throws {
    var waiting = ShareParticipant.named("w", .user)
    (waiting.identity, waiting.acceptance) = (UserIdentity(), .invited)
    (waiting.oneTimeName, waiting.added) = ("1time", Timestamp(milliseconds: 2_000))
    var joined = ShareParticipant.named("j", .user)
    joined.oneTimeName = "2time"
    let details = ShareDetails(
      publicPermission: .none,
      participants: [.named("_me", .owner), waiting, joined, .named("n", .user)])
    let coding = RecordCoding(currentUser: "_me", shareAddress: "https://example.org/share/")
    let share = try #require(coding.record(.share(details)) as? CKShare)
    func url(_ identifier: String) -> String? {
      share.oneTimeURL(for: identifier)?.lastPathComponent
    }
    #expect([url("w"), url("j"), url("n"), url("?")] == ["1time", "0abc", nil, nil])
    #expect(share.participants[1].dateAddedToShare == Date(timeIntervalSince1970: 2))
    let data = try NSKeyedArchiver.archivedData(withRootObject: share, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.self, from: data))
    #expect(read.oneTimeURL(for: "w") == share.oneTimeURL(for: "w"))
    #expect(read.participants[1].dateAddedToShare == Date(timeIntervalSince1970: 2))
  }

  @Test func `Misuse stops the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = CKShare(rootRecord: CKRecord(recordType: "Album"))
    }
    await #expect(processExitsWith: .failure) { _ = CKShare(recordZoneID: .default) }
    await #expect(processExitsWith: .failure) {
      let zoneID = CKRecordZone.ID(zoneName: "Albums")
      let album = CKRecord(recordType: "Album", recordID: CKRecord.ID(zoneID: zoneID))
      _ = CKShare(
        rootRecord: album, shareID: CKRecord.ID(zoneID: CKRecordZone.ID(zoneName: "Others")))
    }
    await #expect(processExitsWith: .failure) {
      let share = CKShare(recordZoneID: CKRecordZone.ID(zoneName: "Albums"))
      share.publicPermission = .readOnly
      share.addParticipant(share.owner)
    }
  }

  @Test func `A share from the server has its participants and its URL`() throws {
    var you = ShareParticipant.named("_you", .user)
    you.acceptance = .invited
    you.permission = .readOnly
    you.identity.lookupInfo = .emailAddress("you@example.org")
    you.identity.nameComponents = UserIdentity.NameComponents(givenName: "Yu", familyName: "Smith")
    let details = ShareDetails(
      publicPermission: .none,
      participants: [.named("_me", .owner), you, .named("_ann", .administrator)],
      rootName: "a1")
    let coding = RecordCoding(currentUser: "_me", shareAddress: "https://example.org/share/")
    let share = try #require(coding.record(.share(details)) as? CKShare)
    #expect(share.url?.absoluteString == "https://example.org/share/0abc")
    #expect(share.participants.map(\.role) == [.owner, .privateUser, .administrator])
    #expect(
      share.currentUserParticipant === share.owner
        && share[CKShare.SystemFieldKey.title] == "Summer")
    let guest = share.participants[1]
    #expect(
      guest.acceptanceStatus == .pending && guest.permission == .readOnly
        && guest.participantID == "_you")
    #expect(
      guest.userIdentity.lookupInfo?.emailAddress == "you@example.org"
        && guest.userIdentity.hasiCloudAccount)
    #expect(guest.userIdentity.nameComponents?.givenName == "Yu")
  }

  @Test func `A share's participants survive archiving, even with system fields only`() throws {
    let share = CKShare(rootRecord: album())
    share.addParticipant(guest("_bob"))
    share["more"] = 1
    let data = try NSKeyedArchiver.archivedData(withRootObject: share, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.self, from: data))
    #expect(read.participants == share.participants && read["more"] as? Int == 1)
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    share.encodeSystemFields(with: archiver)
    archiver.finishEncoding()
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.requiresSecureCoding = true
    let bare = try #require(CKShare(coder: unarchiver))
    #expect(bare.participants == share.participants && bare.allKeys().isEmpty)
  }

  @Test func `A copy of a share has its own participants`() throws {
    let share = CKShare(recordZoneID: zoneID)
    share.addParticipant(guest("_bob"))
    let copy = try #require(share.copy() as? CKShare)
    copy.participants[1].permission = .readWrite
    #expect(share.participants[1].permission == .readOnly && copy.recordID == share.recordID)
  }
}

@Suite struct UserIdentityTests {
  @Test func `A lookup has one key`() throws {
    let infos =
      CKUserIdentity.LookupInfo.lookupInfos(withEmails: ["a@example.org"])
      + CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: ["+43 1"])
      + CKUserIdentity.LookupInfo.lookupInfos(with: [CKRecord.ID(recordName: "_u")])
    #expect(infos.map(\.emailAddress) == ["a@example.org", nil, nil])
    #expect(infos.map(\.phoneNumber) == [nil, "+43 1", nil])
    #expect(infos.map(\.userRecordID?.recordName) == [nil, nil, "_u"])
    #expect(
      Set(infos).count == 3 && infos[0] == CKUserIdentity.LookupInfo(emailAddress: "a@example.org"))
    for info in infos {
      let data = try NSKeyedArchiver.archivedData(withRootObject: info, requiringSecureCoding: true)
      let read = try NSKeyedUnarchiver.unarchivedObject(
        ofClass: CKUserIdentity.LookupInfo.self, from: data)
      #expect(read == info)
    }
  }

  @Test func `An identity survives archiving`() throws {
    var name = PersonNameComponents()
    name.givenName = "Yu"
    let identity = CKUserIdentity(
      userRecordID: CKRecord.ID(recordName: "_u"),
      lookupInfo: CKUserIdentity.LookupInfo(phoneNumber: "1"),
      nameComponents: name)
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: identity, requiringSecureCoding: true)
    #expect(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKUserIdentity.self, from: data) == identity)
  }
}

extension ShareParticipant {
  fileprivate static func named(_ name: String, _ role: Role) -> ShareParticipant {
    ShareParticipant(
      identifier: name, identity: UserIdentity(userRecordName: name), role: role,
      permission: .readWrite,
      acceptance: .accepted)
  }
}

extension CloudRecord {
  fileprivate static func share(_ details: ShareDetails) -> CloudRecord {
    var record = CloudRecord.sample
    record.recordType = ShareDetails.recordType
    record.fields = ["cloudkit.title": Field(.string("Summer"))]
    record.share = details
    record.shortIdentifier = "0abc"
    return record
  }
}
