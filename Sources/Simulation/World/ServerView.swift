import CloudKitClient
import CloudKitTesting
import CloudMirroring
import CloudRecords
import Foundation

/// What the server has, asked for as a program would that knows nothing of Core Data.
struct ServerView {
  private let database: CKDatabase

  init(_ cloud: TestCloud, _ environment: CloudEnvironment) async throws {
    let clock = cloud.clock
    let chance = SharedChance(seed: 1)
    let device = try await cloud.signIn("ada", to: environment)
    let surroundings = ClientSurroundings(
      now: { clock.now }, wait: { _ in try Task.checkCancellation() }, chance: { chance.fraction() },
      makeName: { chance.name() })
    database = CKContainer(device.binding(over: device.transport, surroundings: surroundings)).privateCloudDatabase
  }

  private static let zoneID = CKRecordZone.ID(zoneName: MirrorNames.zone)

  /// The names of all records of objects; none where there is no zone.
  func names() async throws -> Set<String> {
    var names: Set<String> = []
    var token: CKServerChangeToken?
    var isMore = true
    do {
      while isMore {
        let page = try await database.recordZoneChanges(inZoneWith: Self.zoneID, since: token)
        for (recordID, result) in page.modificationResultsByID {
          let type = try result.get().record.recordType
          if type != MirrorNames.joinType { names.insert(recordID.recordName) }
        }
        (token, isMore) = (page.changeToken, page.moreComing)
      }
    } catch let error as CKError where error.code == .zoneNotFound || error.code == .userDeletedZone {
      return []
    }
    return names
  }

  /// Deletes everything, as the user does in their settings.
  func deleteZone() async throws {
    do {
      try await database.deleteRecordZone(withID: Self.zoneID)
    } catch let error as CKError where error.code == .zoneNotFound || error.code == .userDeletedZone {
      return
    }
  }
}
