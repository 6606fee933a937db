import Foundation
import ObjectRows

/// The record of copies that have begun, in the metadata of the store that they fill.
///
/// It lets an interrupted copy continue where it stopped, and no object is copied twice.
package struct UnfinishedCopies {
  /// The state of a copy from one source.
  package struct Record: Equatable {
    /// The segments of keys by name of the root entity.
    package var segments: [String: [CopiedKeys.Segment]]
    /// Whether all is copied, and only the source's objects remain to be deleted.
    package var isCopied: Bool

    package init(segments: [String: [CopiedKeys.Segment]] = [:], isCopied: Bool = false) {
      self.segments = segments
      self.isCopied = isCopied
    }
  }

  private static let metadataKey = "ParhelionUnfinishedCopies"

  private let store: OpenStore
  private let type: String

  init(in store: OpenStore, type: String) { (self.store, self.type) = (store, type) }

  /// The record of a source, if its copy has begun and not ended.
  func record(ofSource uuid: String) throws -> Record? {
    let all = try store.metadata(type: type)[Self.metadataKey] as? [String: Any]
    return all?[uuid].flatMap(Self.decoded)
  }

  /// Replaces the record of a source, or removes it.
  func set(_ record: Record?, ofSource uuid: String) throws {
    var metadata = try store.metadata(type: type)
    var all = metadata[Self.metadataKey] as? [String: Any] ?? [:]
    all[uuid] = record.map(Self.encoded)
    metadata[Self.metadataKey] = all.isEmpty ? nil : all
    try store.setMetadata(metadata)
  }

  // MARK: Forms

  package static func encoded(_ record: Record) -> Any {
    [
      "copied": record.isCopied,
      "keys": record.segments.mapValues { segments in segments.map { [$0.last, $0.offset] } },
    ] as [String: Any]
  }

  /// The record in metadata; nil if the metadata have another form.
  package static func decoded(_ value: Any) -> Record? {
    guard let value = value as? [String: Any], let keys = value["keys"] as? [String: Any] else {
      return nil
    }
    var record = Record(isCopied: value["copied"] as? Bool ?? false)
    for (root, list) in keys {
      guard let list = list as? [[Any]] else { return nil }
      var segments: [CopiedKeys.Segment] = []
      for pair in list {
        let numbers = pair.compactMap { ($0 as? NSNumber)?.int64Value }
        guard numbers.count == 2, numbers[0] > segments.last?.last ?? 0,
          !numbers[0].addingReportingOverflow(numbers[1]).overflow, numbers[1] >= -numbers[0]
        else { return nil }
        segments.append(CopiedKeys.Segment(last: numbers[0], offset: numbers[1]))
      }
      record.segments[root] = segments
    }
    return record
  }
}
