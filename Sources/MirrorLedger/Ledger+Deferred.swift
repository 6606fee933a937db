package import CloudRecords
package import MirrorModel
package import ObjectRows
import SQLiteStore

/// Deferred items.
extension Ledger {
  /// Whether anything is deferred; most stores have nothing.
  package var hasDeferred: Bool {
    get throws { try store.pool.read { try !DeferredTable(names, $0).isEmpty } }
  }

  func deferred(_ items: (DeferredTable) throws -> [DeferredItem]) throws -> [DeferredItem] {
    try hasDeferred ? read { try items(DeferredTable(names, $0)) } : []
  }

  /// Returns the items that wait for records.
  package func deferred(
    _ kinds: [DeferredItem.Kind], dependingOn records: some Sequence<RecordIdentifier>
  ) throws -> [DeferredItem] {
    try deferred { try $0.items(kinds, dependingOn: records) }
  }

  /// Returns the items of properties of objects.
  package func deferred(_ kinds: [DeferredItem.Kind], of objects: some Sequence<RowKey>) throws
    -> [DeferredItem]
  {
    try deferred { try $0.items(kinds, of: objects) }
  }

  /// Returns the items of records.
  package func deferred(
    _ kinds: [DeferredItem.Kind], ofRecords records: some Sequence<RecordIdentifier>
  ) throws -> [DeferredItem] {
    try deferred { try $0.items(kinds, ofRecords: records) }
  }

  /// Returns items of a kind, in the order of the table, after one of them.
  package func deferred(
    _ kind: DeferredItem.Kind, after last: DeferredItem? = nil, limit: Int = .max
  ) throws -> [DeferredItem] {
    try deferred { try $0.items(kind, after: last, limit: limit) }
  }

  /// Returns why values of objects are unreadable, by object and ordinal.
  package func unreadValues(of objects: some Sequence<RowKey>) throws -> [RowKey: [Int: String]] {
    try deferred([.value], of: objects).reduce(into: [:]) { found, item in
      guard let property = item.property else { return }
      found[property.object, default: [:]][property.ordinal] = item.reason ?? ""
    }
  }

  /// Adds items after dropping others.
  package func setDeferred(_ items: [DeferredItem], dropping dropped: [DeferredItem] = []) throws {
    guard !items.isEmpty || !dropped.isEmpty else { return }
    try write { connection in
      var zones = ZoneNumbers(connection)
      let table = DeferredTable(names, connection)
      for item in dropped { try table.remove([item.kind], item.subject, &zones) }
      try table.add(items, &zones)
    }
  }

  /// Drops all items of the kinds.
  package func dropDeferred(_ kinds: [DeferredItem.Kind]) throws {
    try write { connection in
      for kind in kinds { try DeferredTable(names, connection).removeAll(kind) }
    }
  }

  /// Returns the number of references and join records that wait for others.
  package func deferredReferenceCount() throws -> Int {
    try read { Int(try $0.number(DeferredTable.referenceCount) ?? 0) }
  }

  /// Drops deferred references, and enqueues their properties with the present values.
  ///
  /// - Parameter journal: The lost references, for the conflict journal.
  package func send(_ references: [DeferredItem], journal: [JournalEntry]) throws {
    guard !references.isEmpty else { return }
    try write { connection in
      try recorder.catchUp(with: store, on: connection)
      var coalescer = recorder.makeCoalescer(on: connection)
      let group = try connection.noted()
      for case let (object, ordinal)? in references.map(\.property) {
        try coalescer.update(object, OrdinalSet([ordinal]), group: group)
      }
      try JournalTable(names, connection).append(journal)
    }
  }
}
