import ClientTestSupport
import CloudKitClient
import CloudKitTesting
import Foundation
import PredicateLanguage
import Testing

/// Reports of subscription operations, through the API and with the real server.
@Suite("Subscription operations")
struct SubscriptionOperationTests {
  private let device: TestDevice
  private let database: CKDatabase
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws {
    device = try await TestCloud().signIn("anna@example.com")
    database = device.container.privateCloudDatabase
    try await database.save(zone)
    try await database.save(CKRecord(recordType: "Note"))
  }

  private var subscriptions: [CKSubscription] {
    [
      CKDatabaseSubscription(subscriptionID: "all"),
      CKRecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "zone"),
      CKQuerySubscription(
        recordType: "Note", predicate: NSPredicate(value: true), subscriptionID: "query",
        options: [.firesOnRecordCreation]),
    ]
  }

  @available(*, deprecated)
  @Test func `A modify operation reports each subscription, then the end`() async throws {
    let transcript = Transcript()
    let wrong = CKRecordZoneSubscription(
      zoneID: CKRecordZone.ID(zoneName: "Absent"), subscriptionID: "wrong")
    let operation = CKModifySubscriptionsOperation(
      subscriptionsToSave: subscriptions + [wrong], subscriptionIDsToDelete: ["absent"])
    operation.perSubscriptionSaveBlock = { transcript.note($0, $1) }
    operation.perSubscriptionDeleteBlock = { transcript.note("delete \($0)", $1) }
    operation.modifySubscriptionsResultBlock = { transcript.note("end", $0) }
    operation.modifySubscriptionsCompletionBlock = { saved, deleted, error in
      transcript.note("older end \(saved?.map(\.subscriptionID) ?? []) \(deleted ?? [])", error)
    }
    await database.carryOut(operation)
    #expect(
      transcript.lines == [
        "all: done", "zone: done", "query: done", "wrong: zoneNotFound",
        "delete absent: unknownItem", "end: done",
        #"older end ["all", "zone", "query"] []: partialFailure"#,
      ])
  }

  @Test func `An operation without a database reports its change to private engines`()
    async throws
  {
    let container = device.container
    let binding = try container.binding()
    var signals = binding.signals.makeAsyncIterator()
    await container.carryOut(CKModifySubscriptionsOperation(subscriptionIDsToDelete: ["absent"]))
    // The signals are in order, so this one follows the change.
    binding.reportSave(in: .public, by: ObjectIdentifier(container))
    var changed: [CKDatabase.Scope] = []
    reading: while let signal = await signals.next() {
      switch signal {
      case .subscriptionsChanged(let scope): changed.append(scope)
      case .saved: break reading
      default: continue
      }
    }
    #expect(changed == [.private])
  }

  @available(*, deprecated)
  @Test func `A fetch operation reports each subscription, then the end`() async throws {
    _ = try await database.modifySubscriptions(saving: subscriptions, deleting: [])
    let transcript = Transcript()
    func fetch(_ operation: CKFetchSubscriptionsOperation) async {
      operation.perSubscriptionResultBlock = { name, result in
        transcript.note(
          "\(name) \((try? result.get()).map { "\($0.subscriptionType)" } ?? "")", result)
      }
      operation.fetchSubscriptionsResultBlock = { transcript.note("end", $0) }
      operation.fetchSubscriptionCompletionBlock = {
        transcript.note("older end \($0?.count ?? -1)", $1)
      }
      await database.carryOut(operation)
    }
    await fetch(CKFetchSubscriptionsOperation(subscriptionIDs: ["zone", "absent", "query"]))
    #expect(
      transcript.lines == [
        "zone recordZone: done", "absent : unknownItem", "query query: done", "end: done",
        "older end 2: partialFailure",
      ])
    await fetch(.fetchAllSubscriptionsOperation())
    let all = transcript.lines.dropFirst(5)
    #expect(
      all.dropLast(2).sorted() == [
        "all database: done", "query query: done", "zone recordZone: done",
      ])
    #expect(all.suffix(2) == ["end: done", "older end 3: done"])
  }
}
