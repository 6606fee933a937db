import MirrorModel

/// Sends the entries of the outbox.
final class Exporter: EnginePart {
  let shared: EngineContext
  /// Applies conflicts, and reads the feed if an export needs it.
  let importer: Importer
  let encoder: RecordEncoder
  let rejectedEntries = RejectedEntries()
  let crowded = CrowdedRecords()
  let exactValues = ExactValues()

  init(_ shared: EngineContext, importer: Importer) {
    (self.shared, self.importer) = (shared, importer)
    encoder = RecordEncoder(schema: shared.mirror.schema)
  }
}
