import ClientTestSupport
import CloudKitClient
import CloudRecords
import CloudWire
import Foundation
import Synchronization
import TestSupport
import Testing
import WatchedClouds

/// Links to shares with a secret in the fragment of the URL.
@Suite("Links with a secret")
struct SecretLinkTests {
  private let cloud: WatchedCloud
  private let anna: CKContainer
  private let bob: CKContainer
  private let zone = CKRecordZone(zoneName: "Secrets")

  init() async throws {
    cloud = try await WatchedCloud()
    (anna, bob) = (cloud.container("anna"), cloud.container("bob"))
    try await anna.privateCloudDatabase.save(zone)
    _ = try await bob.encryption.status()
  }

  private func contact(_ name: String = "root") -> CKRecord {
    let record = CKRecord(
      recordType: "Contact", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
    record.encryptedValues["phone"] = "555"
    return record
  }

  /// A public share of a record, or of the zone.
  private func share(isOfZone: Bool = false) async throws -> CKShare {
    let record = contact()
    let share = isOfZone ? CKShare(recordZoneID: zone.zoneID) : CKShare(rootRecord: record)
    share.publicPermission = .readOnly
    let saved = try await anna.privateCloudDatabase.modifyRecords(
      saving: [record, share], deleting: []
    ).saveResults
    return try #require(try saved[share.recordID]?.get() as? CKShare)
  }

  /// Fetches a share on Anna's device, which then gives the keys to people who joined.
  private func deliverKeys(of share: CKShare) async throws {
    _ = try await anna.privateCloudDatabase.record(for: share.recordID)
    await (try anna.session()).vault.keyDeliveriesAreDone()
  }

  private func phone() async throws -> String? {
    let zoneID = CKRecordZone.ID(zoneName: "Secrets", ownerName: cloud.name("anna"))
    return try await bob.sharedCloudDatabase.record(
      for: CKRecord.ID(recordName: "root", zoneID: zoneID)
    ).encryptedValues["phone"]
  }

  @Test(arguments: [true, false])
  func `A person who joins by the link gets the keys without a key request`(isOfZone: Bool)
    async throws
  {
    let share = try await share(isOfZone: isOfZone)
    let link = try await anna.encryption.link(to: share)
    let url = try #require(share.url)
    #expect(link.absoluteString.hasPrefix(url.absoluteString + "#k="))
    #expect(share.url?.fragment == nil)
    try await bob.accept(try await bob.shareMetadata(for: link))
    try await deliverKeys(of: share)
    #expect(try await anna.encryption.keyRequests().isEmpty)
    #expect(try await phone() == "555")
    // Both sides trust the other's keys now.
    #expect(try await anna.encryption.people().map(\.recordName) == [cloud.name("bob")])
    #expect(try await bob.encryption.people().map(\.recordName) == [cloud.name("anna")])
    // No request contained the secret.
    let secret = try #require(link.fragment?.dropFirst(2).prefix(40))
    #expect(!cloud.bodies.withLock(\.self).contains { $0.contains(secret) })
    #expect(cloud.bodies.withLock(\.self).contains { $0.contains("joinProof") })
  }

  @Test func `A person who joins by a withdrawn link waits for a decision or a new link`()
    async throws
  {
    let share = try await share()
    let link = try await anna.encryption.link(to: share)
    try await anna.encryption.withdrawLinks(to: share)
    try await bob.accept(try await bob.shareMetadata(for: link))
    try await deliverKeys(of: share)
    let requests = try await anna.encryption.keyRequests()
    #expect(requests.map(\.userRecordID.recordName) == [cloud.name("bob")])
    // A new link admits the person who has joined already.
    let next = try await anna.encryption.link(to: share)
    #expect(next != link)
    try await bob.accept(try await bob.shareMetadata(for: next))
    try await deliverKeys(of: share)
    #expect(try await anna.encryption.keyRequests().isEmpty)
    #expect(try await phone() == "555")
  }

  /// The kind of invitation that an earlier process of Anna's made.
  enum Former: CaseIterable { case invitation, link }

  @Test(arguments: [true, false], Former.allCases)
  func `After the end of a share, its people need a new invitation`(
    isZoneDeleted: Bool, former: Former
  ) async throws {
    try await withTemporaryDirectory { folder in
      let bobID = CKRecord.ID(recordName: cloud.name("bob"))
      func open() -> CKShare {
        let share = CKShare(recordZoneID: zone.zoneID)
        share.publicPermission = .readOnly
        return share
      }
      var fragment = ""
      do {
        let container = try cloud.container("anna", folder: folder)
        let share = former == .link ? open() : CKShare(recordZoneID: zone.zoneID)
        if former == .invitation {
          share.addParticipant(try await container.shareParticipant(forUserRecordID: bobID))
        }
        _ = try await container.privateCloudDatabase.modifyRecords(
          saving: [contact(), share], deleting: [])
        if former == .link {
          fragment = try #require(try await container.encryption.link(to: share).fragment)
        }
      }
      let next = try cloud.container("anna", folder: folder)
      let database = next.privateCloudDatabase
      let ended = open()
      if isZoneDeleted {
        try await database.deleteRecordZone(withID: zone.zoneID)
        try await database.save(CKRecordZone(zoneID: zone.zoneID))
      } else {
        try await database.deleteRecord(withID: ended.recordID)
      }
      let share = open()
      try await database.save(share)
      let url = try #require(share.url)
      let link = try #require(URL(string: "\(url.absoluteString)#\(fragment)"))
      try await bob.accept(try await bob.shareMetadata(for: fragment.isEmpty ? url : link))
      _ = try await database.record(for: share.recordID)
      try await database.save(contact("other"))
      let requests = try await next.encryption.keyRequests()
      #expect(requests.map(\.userRecordID) == [bobID])
    }
  }

  @Test func `An archived invitation keeps the link`() async throws {
    let share = try await share()
    let metadata = try await bob.shareMetadata(for: try await anna.encryption.link(to: share))
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: metadata, requiringSecureCoding: true)
    let restored = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.Metadata.self, from: data))
    try await bob.accept(restored)
    try await deliverKeys(of: share)
    #expect(try await phone() == "555")
  }

  @Test func `An incomplete link is an error, and other fragments are ignored`() async throws {
    let share = try await share()
    let link = try await anna.encryption.link(to: share).absoluteString
    let cut = try #require(URL(string: String(link.dropLast(3))))
    await #expect { _ = try await bob.shareMetadata(for: cut) } throws: {
      CKError.invalidArguments ~= $0
    }
    let url = try #require(share.url)
    let other = try #require(URL(string: url.absoluteString + "#top"))
    #expect(try await bob.shareMetadata(for: other).share.url == url)
  }

  @Test func `A link needs a saved share, and a participant cannot create one`() async throws {
    let unsaved = CKShare(rootRecord: contact("other"))
    await #expect { _ = try await anna.encryption.link(to: unsaved) } throws: {
      CKError.invalidArguments ~= $0
    }
    let url = try #require(try await share().url)
    let theirs = try await bob.accept(try await bob.shareMetadata(for: url))
    await #expect { _ = try await bob.encryption.link(to: theirs) } throws: {
      CKError.permissionFailure ~= $0
    }
  }
}
