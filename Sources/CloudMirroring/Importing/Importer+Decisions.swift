import CloudKitClient
import CloudRecords
import MirrorLedger
import MirrorModel
import SQLiteDriver

extension LedgerStateKey {
  /// Why the program was asked what becomes of data that the user deleted in the cloud; nothing
  /// where it was not, or has answered.
  static let awaitedDecision = Self("awaitedDecision")
  /// A place in the feed of the zone whose listing from the beginning goes on: it tells whether the
  /// zone is still the same.
  static let formerToken = Self("formerToken")
}

/// What the user deleted in the cloud: the program is asked what becomes of it, until it answers or
/// another device has.
extension Importer {
  /// Notes that a decision is awaited, so that the next start of the program awaits it as well.
  func noteAwaited(_ fault: MirrorError) throws {
    if fault.kind == .zoneDeletedByUser {
      try ledger.setState([.awaitedDecision: .text(fault.message)])
    }
  }

  /// Stops where a decision is awaited, unless there are records again: another device has sent
  /// everything.
  func checkDecision() async throws {
    guard case .text(let message)? = try ledger.state(.awaitedDecision) else { return }
    guard try await hasRecords else { throw MirrorError(.zoneDeletedByUser, message) }
  }

  private var hasRecords: Bool {
    get async throws {
      do {
        let page = try await site.database.recordZoneChanges(
          inZoneWith: site.homeZone.zoneID, since: nil, desiredKeys: [], resultsLimit: 1)
        return !page.modificationResultsByID.isEmpty
      } catch CKError.zoneNotFound {
        return false
      } catch CKError.userDeletedZone {
        return false
      }
    }
  }

  /// Stops if a full listing after an expired token is of another zone.
  ///
  /// A new zone that another device is filling has lost nothing.
  ///
  /// - Returns: What a restored server has lost since the token; nil if nothing.
  @discardableResult
  func checkIsSame(_ zone: RecordZoneIdentifier) async throws -> LostHistory? {
    guard let token = try ledger.token(.formerToken.of(zone, home: site.homeZone)) else {
      return nil
    }
    do {
      _ = try await site.database.recordZoneChanges(
        inZoneWith: zone.zoneID, since: token, desiredKeys: [], resultsLimit: 1)
    } catch let error as CKError where error.code == .changeTokenExpired && !error.isZoneRecreated {
      return error.lostHistory
    }
    return nil
  }
}
