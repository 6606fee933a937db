import CloudRecords
import Synchronization

/// Applies changes of the cloud to the store.
final class Importer: EnginePart {
  let shared: EngineContext
  /// The reconciliation of the home zone.
  let reconciliation: Reconciliation
  private let others = Mutex<[RecordZoneIdentifier: Reconciliation]>([:])
  let unreadable = RefetchFlags()
  let unsorted = UnsortedTypes()
  let progress = MirrorProgress()

  var readers: PublicReaders { PublicReaders(shared: shared) }

  init(_ shared: EngineContext) {
    self.shared = shared
    reconciliation = Reconciliation(of: shared.mirror.homeZone)
  }

  /// The reconciliation of a zone.
  func reconciliation(of zone: RecordZoneIdentifier) -> Reconciliation {
    if zone == mirror.homeZone { return reconciliation }
    return others.withLock { others in
      let found = others[zone] ?? Reconciliation(of: zone)
      others[zone] = found
      return found
    }
  }
}

/// A part of the importer.
protocol ImporterPart: EnginePart {
  var importer: Importer { get }
}

extension ImporterPart {
  var shared: EngineContext { importer.shared }
}
