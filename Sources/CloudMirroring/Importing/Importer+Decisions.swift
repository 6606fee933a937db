import CloudKitClient
import CloudRecords
import MirrorLedger
import MirrorModel
import SQLiteDriver

extension LedgerStateKey {
  /// The message of a remote deletion by the user that awaits the program's decision; otherwise
  /// unset.
  static let awaitedDecision = Self("awaitedDecision")
  /// The token before a full listing, which shows whether the zone is still the same.
  static let formerToken = Self("formerToken")
}

/// Data that the user deleted in the cloud, until the program decides what to do.
///
/// The decision is awaited until the program makes it or another device sends the data again.
extension Importer {
  /// Records that a decision is awaited, also for the next start of the program.
  func noteAwaited(_ failure: MirrorError) throws {
    if failure.kind == .zoneDeletedByUser {
      try ledger.setState([.awaitedDecision: .text(failure.message)])
    }
  }

  /// Throws while a decision is awaited, unless another device has sent records again.
  func checkDecision() async throws {
    guard case .text(let message)? = try ledger.state(.awaitedDecision) else { return }
    guard try await hasRecords else { throw MirrorError(.zoneDeletedByUser, message) }
  }

  private var hasRecords: Bool {
    get async throws {
      do {
        let page = try await mirror.database.recordZoneChanges(
          inZoneWith: mirror.homeZone.zoneID, since: nil, desiredKeys: [], resultsLimit: 1)
        return !page.modificationResultsByID.isEmpty
      } catch CKError.zoneNotFound {
        return false
      } catch CKError.userDeletedZone {
        return false
      }
    }
  }

  /// Throws if a full listing after an expired token is from another zone.
  ///
  /// A new zone that another device is filling has lost nothing.
  ///
  /// - Returns: The changes that a restored server lost since the token; nil if there are none.
  @discardableResult
  func checkIsSame(_ zone: RecordZoneIdentifier) async throws -> LostHistory? {
    guard let token = try ledger.token(.formerToken.of(zone, home: mirror.homeZone)) else {
      return nil
    }
    do {
      _ = try await mirror.database.recordZoneChanges(
        inZoneWith: zone.zoneID, since: token, desiredKeys: [], resultsLimit: 1)
    } catch let error as CKError where error.code == .changeTokenExpired && !error.isZoneRecreated {
      return error.lostHistory
    }
    return nil
  }
}
