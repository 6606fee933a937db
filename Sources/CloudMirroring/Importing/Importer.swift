/// Applies changes of the cloud to the store.
final class Importer: EnginePart {
  let shared: EngineContext
  let reconciliation: Reconciliation
  let unreadable = UnreadableRecords()
  let unsorted = UnsortedTypes()
  let progress = MirrorProgress()

  var readers: PublicReaders { PublicReaders(shared: shared) }

  init(_ shared: EngineContext) {
    self.shared = shared
    reconciliation = Reconciliation(of: shared.site.homeZone)
  }
}
