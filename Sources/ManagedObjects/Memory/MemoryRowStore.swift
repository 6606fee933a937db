import Foundation
package import ManagedObjectModel
package import ObjectRows

/// A store that keeps its rows in memory: `NSInMemoryStoreType`.
///
/// Readers use a snapshot of the contents, and a save creates new contents. Objects share the pages
/// that hold the rows.
package final class MemoryRowStore: RowStore {
  private struct State {
    var contents: MemoryContents
    var constraints: UniquenessIndexes
    var metadata: [String: Any]
    /// The last assigned keys, by layout index of the root entity.
    var lastKeys: [Int64]
  }

  package let identity: StoreIdentity
  package let layouts: ModelLayouts
  private let state: LockedBox<State>

  /// Creates an empty store for the entities of a configuration, or all entities for nil.
  ///
  /// Like Apple's in-memory store, it rejects derived and composite attributes.
  package init(
    model: NSManagedObjectModel, configuration: String?, identity: StoreIdentity,
    metadata: [String: Any] = [:], kind: String = "An in-memory store"
  ) throws(StoreError) {
    let entities = model.entities(forConfigurationName: configuration) ?? []
    try Self.check(entities, kind)
    self.identity = identity
    layouts = ModelLayouts.of(model)
    state = LockedBox(
      State(
        contents: MemoryContents(layouts: layouts), constraints: UniquenessIndexes(layouts),
        metadata: Self.versionMetadata(of: model, entities).merging(metadata) { $1 },
        lastKeys: Array(repeating: 0, count: layouts.layouts.count)))
  }

  /// A snapshot of the current contents.
  var contents: MemoryContents { state.withLock { $0.contents } }

  package func metadata() -> [String: Any] { state.withLock { $0.metadata } }

  package func setMetadata(_ metadata: [String: Any]) {
    state.withLock { $0.metadata = metadata }
  }

  package func reserveRanges(
    _ counts: [(layout: RowLayout, count: Int)], forSave: Bool
  ) -> [Range<Int64>] {
    state.withLock { state in
      counts.map { layout, count in
        let last = state.lastKeys[layout.rootIndex]
        state.lastKeys[layout.rootIndex] = last + Int64(count)
        return last + 1..<last + 1 + Int64(count)
      }
    }
  }

  package func save(_ changes: StoreChanges) throws -> StoreSaveOutcome {
    try state.withLock { state in
      let conflicts = try Self.conflicts(of: changes, with: state)
      guard conflicts.isEmpty else { return .conflicts(conflicts) }
      var save = MemorySave(state.contents)
      state.constraints.forget(changes, in: state.contents)
      let receipt = save.apply(changes)
      state.contents = save.contents
      state.constraints.record(changes, in: state.contents)
      return .saved(receipt)
    }
  }

  package func conflicts(of changes: StoreChanges) throws -> [StoreConflict] {
    try state.withLock { try Self.conflicts(of: changes, with: $0) }
  }

  private static func conflicts(of changes: StoreChanges, with state: State) throws
    -> [StoreConflict]
  {
    try checkKeys(of: changes, given: state.lastKeys)
    return MemorySave.versionConflicts(of: changes, with: state.contents)
      + state.constraints.conflicts(of: changes, with: state.contents)
  }

  /// Adds rows of the cache nodes of an atomic store, with the keys of the nodes.
  func fill(_ changes: StoreChanges) {
    recordKeys(changes.inserted.map(\.rowKey))
    state.withLock { state in
      var save = MemorySave(state.contents)
      _ = save.apply(changes)
      state.contents = save.contents
      state.constraints.record(changes, in: state.contents)
    }
  }

  /// Records keys of new rows that this store did not assign.
  func recordKeys(_ keys: some Sequence<RowKey>) {
    state.withLock { state in
      for key in keys {
        let root = layouts[key.layoutIndex].rootIndex
        state.lastKeys[root] = max(state.lastKeys[root], key.key)
      }
    }
  }

  package func close() {}

  private static func checkKeys(of changes: StoreChanges, given lastKeys: [Int64])
    throws(StoreError)
  {
    for change in changes.inserted {
      let key = change.row.key
      guard key <= 0 || key > lastKeys[change.layout.rootIndex] else { continue }
      throw StoreError(
        .badKey,
        "A new row of \(change.layout.entity.name ?? "an entity without a name") has the key \(key), which this store did not assign. Reserve keys with reserveKeys(_:forSave:)."
      )
    }
  }

  private static func check(_ entities: [NSEntityDescription], _ store: String) throws(StoreError) {
    for entity in entities {
      for property in entity.propertiesInRowOrder {
        guard
          property is NSDerivedAttributeDescription || property is NSCompositeAttributeDescription
        else { continue }
        let kind = property is NSDerivedAttributeDescription ? "derived" : "composite"
        throw StoreError(
          .incompatibleSchema,
          "\(store) does not support \(kind) attributes, and \(entity.name ?? "").\(property.name) is one. Use a SQLite store, which may be at /dev/null.",
          context: ["entity": entity.name ?? "", "property": property.name])
      }
    }
  }

  static func versionMetadata(
    of model: NSManagedObjectModel, _ entities: [NSEntityDescription]
  ) -> [String: Any] {
    let hashes = Dictionary(
      entities.compactMap { entity in entity.name.map { ($0, entity.versionHash) } },
      uniquingKeysWith: { $1 })
    let identifiers = model.versionIdentifiers.compactMap { $0.base as? String }.sorted()
    return [NSStoreModelVersionHashesKey: hashes, NSStoreModelVersionIdentifiersKey: identifiers]
  }
}

extension StoreError.Code {
  /// A row with a key that its store did not assign.
  static let badKey = Self("badKey", cocoaCode: 134030)
}

extension MemoryRowStore: RowHolding {
  func heldRow(for key: RowKey) -> (row: RowReference, page: RowPage)? {
    contents.row(key).map { ($0.row, $0.page) }
  }
}
