import ClientTestSupport
import CloudKitClient
import CloudTransport
import Foundation
import Synchronization
import Testing
import WatchedClouds

/// Results of methods that make several requests of which only the first is answered.
///
/// Completed items are returned, and the others have their errors.
@Suite("Partial results")
struct PartialResultTests {
  private let cloud: WatchedCloud
  private let anna: CKContainer
  private var database: CKDatabase { anna.privateCloudDatabase }
  private let zone = CKRecordZone(zoneName: "Notes")

  init() async throws {
    cloud = try await WatchedCloud()
    anna = cloud.container("anna")
    try await database.save(zone)
  }

  /// Rejects the first request as too large, answers the first half, and loses all others.
  private func answerFirstAlone(_ operation: String) {
    let count = Mutex(0)
    cloud.injectedFault.withLock {
      $0 = { asked in
        guard asked == operation else { return .none }
        let number = count.withLock { count in
          count += 1
          return count
        }
        switch number {
        case 1: return .answer(TransportResponse(status: 413))
        case 2: return .none
        default: return .lost(TransportError(.offline, "No network."))
        }
      }
    }
  }

  private func loseAll(_ operation: String) {
    cloud.injectedFault.withLock {
      $0 = { $0 == operation ? .lost(TransportError(.offline, "No network.")) : .none }
    }
  }

  private func isUnreachable<Value>(_ result: Result<Value, any Error>?) -> Bool {
    result.map { error($0)?.code == .networkUnavailable } ?? false
  }

  // MARK: Zones

  @Test func `Zones that could be fetched are returned even if others fail`() async throws {
    let (first, second) = (zone.zoneID, CKRecordZone.ID.default)
    answerFirstAlone("zones/lookup")
    let zones = try await database.recordZones(for: [first, second])
    #expect(try zones[first]?.get().zoneID == first && isUnreachable(zones[second]))
    loseAll("zones/lookup")
    await #expect { try await database.recordZones(for: [first, second]) } throws: {
      CKError.networkUnavailable ~= $0
    }
  }

  @Test func `Created zones are returned even if deletions fail`() async throws {
    let new = CKRecordZone(zoneName: "New")
    answerFirstAlone("zones/modify")
    let results = try await database.modifyRecordZones(saving: [new], deleting: [zone.zoneID])
    #expect(try results.saveResults[new.zoneID]?.get().zoneID == new.zoneID)
    #expect(isUnreachable(results.deleteResults[zone.zoneID]))
    loseAll("zones/modify")
    await #expect {
      try await database.modifyRecordZones(saving: [new], deleting: [zone.zoneID])
    } throws: {
      CKError.networkUnavailable ~= $0
    }
    await #expect { try await database.deleteRecordZone(withID: new.zoneID) } throws: {
      CKError.networkUnavailable ~= $0
    }
  }

  // MARK: Subscriptions

  @Test
  func `Created or fetched subscriptions are returned even if others fail`() async throws {
    let all = CKDatabaseSubscription(subscriptionID: "all")
    answerFirstAlone("subscriptions/modify")
    let results = try await database.modifySubscriptions(saving: [all], deleting: ["absent"])
    #expect(try results.saveResults["all"]?.get().subscriptionID == "all")
    #expect(isUnreachable(results.deleteResults["absent"]))
    answerFirstAlone("subscriptions/lookup")
    let fetched = try await database.subscriptions(for: ["all", "absent"])
    #expect(try fetched["all"]?.get().subscriptionID == "all" && isUnreachable(fetched["absent"]))
    loseAll("subscriptions/lookup")
    await #expect { try await database.subscriptions(for: ["all"]) } throws: {
      CKError.networkUnavailable ~= $0
    }
  }

  // MARK: Shares and people

  /// Two records that any user may join.
  private func share() async throws -> [URL] {
    var urls: [URL] = []
    for name in ["one", "two"] {
      let record = CKRecord(
        recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone.zoneID))
      let share = CKShare(rootRecord: record)
      share.publicPermission = .readOnly
      _ = try await database.modifyRecords(saving: [record, share], deleting: [])
      urls.append(try #require(share.url))
    }
    return urls
  }

  @Test
  func `Share metadata and accepted shares are returned even if others fail`() async throws {
    let (urls, bob) = (try await share(), cloud.container("bob"))
    answerFirstAlone("records/resolve")
    let looked = try await bob.shareMetadatas(for: urls)
    #expect(succeeded(looked[urls[0]]) && isUnreachable(looked[urls[1]]))
    cloud.injectedFault.withLock { $0 = { _ in .none } }
    let metadatas = [
      try await bob.shareMetadata(for: urls[0]), try await bob.shareMetadata(for: urls[1]),
    ]
    answerFirstAlone("records/accept")
    let accepted = try await bob.accept(metadatas)
    #expect(succeeded(accepted[metadatas[0]]) && isUnreachable(accepted[metadatas[1]]))
    loseAll("records/accept")
    await #expect { try await bob.accept(metadatas[1]) } throws: {
      CKError.networkUnavailable ~= $0
    }
  }

  @Test func `Participants that were found are returned even if other lookups fail`() async throws {
    let people = ["anna@example.com", "bob@example.com"]
    answerFirstAlone("users/discover")
    let found = try await anna.shareParticipants(forEmailAddresses: people)
    #expect(succeeded(found[people[0]]) && isUnreachable(found[people[1]]))
    // This method has no result for each item, so it throws.
    answerFirstAlone("users/discover")
    await #expect { try await anna.userIdentities(forEmailAddresses: people) } throws: {
      CKError.networkUnavailable ~= $0
    }
  }

  @Test func `An operation reports the users that were found before a request failed`()
    async throws
  {
    let names = ["anna", "bob"].map { CKRecord.ID(recordName: cloud.name($0)) }
    let infos = names.map { CKUserIdentity.LookupInfo(userRecordID: $0) }
    let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: infos)
    let reported = Mutex<[CKUserIdentity.LookupInfo]>([])
    operation.userIdentityDiscoveredBlock = { _, info in reported.withLock { $0.append(info) } }
    answerFirstAlone("users/discover")
    let end: CKError? = await withCheckedContinuation { end in
      operation.discoverUserIdentitiesResultBlock = { end.resume(returning: error($0)) }
      anna.add(operation)
    }
    #expect(end?.code == .networkUnavailable && reported.withLock(\.self) == [infos[0]])
  }

  // MARK: Queries

  @Test func `An interrupted query returns its records and a cursor`() async throws {
    let notes = (0..<250).map { number in
      CKRecord(
        recordType: "Note", recordID: CKRecord.ID(recordName: "n\(number)", zoneID: zone.zoneID))
    }
    _ = try await database.modifyRecords(saving: notes, deleting: [])
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
    let count = Mutex(0)
    cloud.injectedFault.withLock {
      $0 = { asked in
        guard asked == "records/query" else { return .none }
        let isFirst = count.withLock { count in
          count += 1
          return count == 1
        }
        return isFirst ? .none : .lost(TransportError(.offline, "No network."))
      }
    }
    let begin = try await database.records(
      matching: query, inZoneWith: zone.zoneID, resultsLimit: 250)
    #expect(begin.matchResults.count == 200)
    let cursor = try #require(begin.queryCursor)
    await #expect {
      try await database.records(continuingMatchFrom: cursor, resultsLimit: 50)
    } throws: {
      CKError.networkUnavailable ~= $0
    }
    cloud.injectedFault.withLock { $0 = { _ in .none } }
    let rest = try await database.records(continuingMatchFrom: cursor, resultsLimit: 50)
    let names = Set((begin.matchResults + rest.matchResults).map(\.0.recordName))
    #expect(rest.matchResults.count == 50 && names.count == 250)
  }
}
