import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import Foundation
import MirrorModel
import PredicateLanguage

/// The server's content, read by a client that does not use Core Data.
final class ServerView {
  private let container: CKContainer
  private let database: CKDatabase
  /// The token of the last fetch from each zone, and the records.
  private var tokens: [CKRecordZone.ID: CKServerChangeToken] = [:]
  private var present: [CKRecord.ID: CKRecord] = [:]
  /// The user's record name.
  let userRecordName: String?

  /// Whether records may have values that only devices with keys can read.
  private let hasSecrets: Bool
  /// The record types of a public database, which has no feed; empty for a private one.
  private let publicTypes: [String]
  /// Whether there may be zones other than the home zone.
  private let hasShares: Bool

  init(_ cloud: TestCloud, of workload: Workload, account: String = World.user) async throws {
    hasSecrets = workload.encrypts
    hasShares = workload.shares
    publicTypes = workload.isPublic ? workload.entities.map { "CD_\($0)" } : []
    let clock = cloud.clock
    let chance = SharedRandomness(seed: 1)
    let device = try await cloud.signIn(account, to: workload.environment)
    let dependencies = ClientDependencies(
      now: { clock.now }, wait: { _ in try Task.checkCancellation() },
      chance: { chance.fraction() },
      makeName: { chance.name() })
    userRecordName = device.userRecordName
    container = CKContainer(device.binding(over: device.transport, dependencies: dependencies))
    database = workload.isPublic ? container.publicCloudDatabase : container.privateCloudDatabase
  }

  private static let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)

  /// The names of all objects' records; empty if there is no zone.
  func names() async throws -> Set<String> {
    Set(
      try await records().filter { $0.recordType != MirrorNames.joinType && !($0 is CKShare) }.map(
        \.recordID.recordName))
  }

  /// The number of records of each many-to-many pair whose objects have records.
  func pairs() async throws -> [String: Int] {
    let records = try await records()
    let names = Set(records.map(\.recordID.recordName))
    let pairs = records.compactMap {
      $0.recordType == MirrorNames.joinType ? $0["CD_recordNames"] as? String : nil
    }
    return Dictionary(
      grouping: pairs.filter { $0.split(separator: ":").allSatisfy { names.contains(String($0)) } }
    ) {
      $0
    }
    .mapValues(\.count)
  }

  /// All records of a public database that the account may read.
  private func publicRecords() async throws -> [CKRecord] {
    var records: [CKRecord] = []
    for type in publicTypes {
      let query = CKQuery(recordType: type, predicate: NSPredicate(value: true))
      do {
        var page = try await database.records(matching: query, desiredKeys: [])
        while true {
          records += try page.matchResults.map { try $0.1.get() }
          guard let cursor = page.queryCursor else { break }
          page = try await database.records(continuingMatchFrom: cursor, desiredKeys: [])
        }
      } catch CKError.unknownItem {
        // No record of the type was saved yet.
        continue
      }
    }
    return records
  }

  /// All records; only those that changed since the last call are fetched.
  func records() async throws -> [CKRecord] {
    guard publicTypes.isEmpty else { return try await publicRecords() }
    let zones =
      hasShares
      ? Set(try await database.allRecordZones().map(\.zoneID)).subtracting([.default])
      : [Self.zoneID]
    for zoneID in Set(tokens.keys).subtracting(zones) { forget(zoneID) }
    for zoneID in zones {
      do {
        try await follow(zoneID)
      } catch is CKError where tokens[zoneID] != nil {
        forget(zoneID)
        try await follow(zoneID)
      }
    }
    return present.values.sorted {
      ($0.recordID.recordName, $0.recordID.zoneID.zoneName) < (
        $1.recordID.recordName, $1.recordID.zoneID.zoneName
      )
    }
  }

  private func forget(_ zoneID: CKRecordZone.ID) {
    tokens[zoneID] = nil
    present = present.filter { $0.key.zoneID != zoneID }
  }

  private func follow(_ zoneID: CKRecordZone.ID) async throws {
    var isMore = true
    do {
      while isMore {
        let page = try await database.recordZoneChanges(
          inZoneWith: zoneID, since: tokens[zoneID])
        for (recordID, result) in page.modificationResultsByID {
          present[recordID] = try record(recordID, result.map(\.record))
        }
        for deletion in page.deletions { present[deletion.recordID] = nil }
        (tokens[zoneID], isMore) = (page.changeToken, page.moreComing)
      }
    } catch let error as CKError where error.code == .zoneNotFound || error.code == .userDeletedZone
    {
      forget(zoneID)
    }
  }

  /// A record, or a placeholder with its name if it cannot be decrypted.
  private func record(_ recordID: CKRecord.ID, _ result: Result<CKRecord, any Error>) throws
    -> CKRecord
  {
    guard case .failure = result, hasSecrets else { return try result.get() }
    return CKRecord(recordType: Self.sealed, recordID: recordID)
  }

  private static let sealed = "Sealed"

  /// The texts that are readable without keys and should not be.
  func readableSecrets() async throws -> [String] {
    try await records().flatMap { record in
      record.allKeys().compactMap { record[$0] as? String }.filter { $0.hasPrefix(Change.secret) }
    }
  }

  /// The keys of the records of a type.
  func keys(ofType type: String) async throws -> [String] {
    try await records().filter { $0.recordType == type }.map {
      $0["CD_key"] as? String ?? $0.recordID.recordName
    }
  }

  /// Resets the encrypted data, as a user does after losing the keys.
  func resetSecrets() async throws { try await container.encryption.reset(Self.zoneID) }

  /// Deletes all data, as a user does in the settings.
  func deleteZone() async throws {
    do {
      try await database.deleteRecordZone(withID: Self.zoneID)
    } catch let error as CKError where error.code == .zoneNotFound || error.code == .userDeletedZone
    {
      return
    }
  }
}
