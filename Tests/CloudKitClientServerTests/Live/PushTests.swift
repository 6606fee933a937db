import ClientTestSupport
import CloudKitClient
import Foundation
import Synchronization
import TestSupport
import Testing
import WatchedClouds

/// Notifications of devices, over the real server's stream.
struct PushTests {
  private let cloud: WatchedCloud
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws { cloud = try await WatchedCloud() }

  private func note(_ name: String) -> CKRecord {
    CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
  }

  @Test func `Another device's changes are reported, and the device's own are not`() async throws {
    let (phone, laptop) = (cloud.container("anna"), cloud.container("anna"))
    try await phone.privateCloudDatabase.save(zone)
    try await laptop.privateCloudDatabase.save(CKDatabaseSubscription(subscriptionID: "all"))
    try await laptop.privateCloudDatabase.save(
      CKRecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "notes"))
    // A query can name a type only once a record of it exists.
    try await phone.privateCloudDatabase.save(note("first"))
    let query = CKQuerySubscription(
      recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "new",
      options: .firesOnRecordCreation)
    query.zoneID = zone.zoneID
    query.notificationInfo = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
    try await laptop.privateCloudDatabase.save(query)
    var signals = try laptop.binding().signals.makeAsyncIterator()
    guard case .listening? = await signals.next() else {
      Issue.record("The device did not start to listen.")
      return
    }
    try await laptop.privateCloudDatabase.save(note("own"))
    try await phone.privateCloudDatabase.save(note("other"))
    try await phone.privateCloudDatabase.save(note("last"))
    // Notifications are ordered, so the last one arrives after the others.
    var reported: [String: CKNotification] = [:]
    var records: [String] = []
    while reported.count < 3 || records.last != "last", let signal = await signals.next() {
      guard case .notification(let notification) = signal else { continue }
      reported[notification.subscriptionID ?? ""] = notification
      if let query = notification as? CKQueryNotification {
        records.append(query.recordID?.recordName ?? "")
      }
    }
    #expect(records == ["other", "last"])
    let database = try #require(reported["all"] as? CKDatabaseNotification)
    #expect(database.databaseScope == .private)
    let inZone = try #require(reported["notes"] as? CKRecordZoneNotification)
    #expect(inZone.recordZoneID == zone.zoneID)
  }

  @Test func `Programs receive notifications from a stream`() async throws {
    let (phone, laptop) = (cloud.container("anna"), cloud.container("anna"))
    try await phone.privateCloudDatabase.save(zone)
    try await laptop.privateCloudDatabase.save(CKDatabaseSubscription(subscriptionID: "all"))
    let binding = try laptop.binding()
    var ready = binding.signals.makeAsyncIterator()
    _ = await ready.next()
    // A later observer also learns that the device already listens.
    var notifications = laptop.notifications.makeAsyncIterator()
    for name in ["one", "two"] {
      try await phone.privateCloudDatabase.save(note(name))
      for scope in [CKDatabase.Scope.public, .private, .shared] {
        let missed = try #require(await notifications.next() as? CKDatabaseNotification)
        try #require(
          missed.isPruned && missed.subscriptionID == nil && missed.databaseScope == scope)
      }
      if name == "one" {
        #expect(await notifications.next()?.subscriptionID == "all")
        // The device listens again, and has lost the notifications in between.
        try binding.setCredentials(try binding.session().credentials)
      }
    }
  }

  @Test(.endsAtAll) func `Unreadable accounts are checked again with a growing delay`() async throws
  {
    let (clock, store) = (ManualClock(), FaultyStore())
    let binding = try cloud.binding("anna", store: store, clock.dependencies)
    var signals = binding.signals.makeAsyncIterator()
    for pause in [1, 2, 4] {
      guard case .silent(let error)? = await signals.next(), error.code == .internalError else {
        Issue.record("Unreadable accounts were not reported to the device.")
        return
      }
      #expect(await clock.nextAlarm() == TimeInterval(pause))
      if pause == 4 { store.mend() }
      clock.advance(by: TimeInterval(pause))
    }
    guard case .listening? = await signals.next() else {
      Issue.record("The device does not listen.")
      return
    }
  }

  @Test func `A container without a binding reports nothing`() async {
    var notifications = CKContainer(identifier: "iCloud.nowhere").notifications.makeAsyncIterator()
    #expect(await notifications.next() == nil)
  }
}

/// A store of accounts that cannot be read until it is repaired.
private final class FaultyStore: CredentialStore {
  private let inner = MemoryCredentialStore()
  private let isMended = Mutex(false)

  func mend() { isMended.withLock { $0 = true } }

  private func check() throws(CKError) {
    guard isMended.withLock(\.self) else {
      throw CKError(.internalError, "The accounts cannot be read.")
    }
  }

  func accounts(at place: CloudAddress) throws(CKError) -> StoredAccounts {
    try check()
    return inner.accounts(at: place)
  }

  func stamp(of place: CloudAddress) throws(CKError) -> CredentialStamp {
    try check()
    return inner.stamp(of: place)
  }

  func update(
    _ place: CloudAddress, _ change: (inout StoredAccounts) throws(CKError) -> Void
  ) throws(CKError) -> StoredAccounts {
    try check()
    return try inner.update(place, change)
  }

  func moveDamagedFileAside(at place: CloudAddress) -> String? { nil }
}
