import Foundation
import ManagedObjectModel
import ObjectRows

/// Copies all rows of one store into another of the same model, with their relationships, in saves
/// of bounded size.
///
/// ```
/// keys ▶ duplicates ▶ rows ▶ references to later rows ▶ memberships and orders
/// ```
///
/// At every moment, each reference in the destination leads to an existing row. A reference to a
/// row that is copied later is empty until then. Besides one batch of rows, the memory holds the
/// duplicates, and the key of each row, which takes eight bytes.
final class StoreCopy {
  struct Settings {
    var transaction: TransactionDescription
    var batchSize = Limits.rowsOfCopyingSave
    /// The action for a row if a stored row has its unique values.
    var uniqueness = UniquenessRule.fail
    /// Whether the identifiers of the copies are collected.
    var collectsIdentifiers = false
  }

  /// The source, preferably a snapshot, which later saves do not change.
  let source: any RowStore
  let destination: OpenStore
  let layouts: ModelLayouts
  /// The layouts of the copied entities, in the order of copying.
  let copied: [RowLayout]
  let settings: Settings
  let progress: CopyProgress
  private(set) var keys: CopiedKeys
  private(set) var insertedCount = 0
  /// The identifiers of the copies, if they were requested.
  private(set) var identifiers: [NSManagedObjectID] = []
  /// The layout indexes of the root entities whose rows an earlier attempt may have copied.
  private var repeated: Set<Int> = []
  /// The layout indexes of entities with rows that the second pass completes or merges.
  private var incomplete: Set<Int> = []

  init(
    from source: any RowStore, to destination: OpenStore, copied: [RowLayout],
    layouts: ModelLayouts, settings: Settings, progress: CopyProgress = CopyProgress(progress: nil)
  ) {
    self.source = source
    self.destination = destination
    self.layouts = layouts
    self.copied = CopyOrder.of(copied, among: layouts)
    self.settings = settings
    self.progress = progress
    keys = CopiedKeys(roots: layouts.layouts.map(\.rootIndex))
  }

  // MARK: Steps

  /// The number of steps of the copy, for the progress.
  var stepCount: Int {
    copied.reduce(0) { count, layout in
      let rows = keys.origins[layout.index].count
      return count + rows * (1 + (checksDuplicates(layout) ? 1 : 0) + (hasMembers(layout) ? 1 : 0))
    }
  }

  /// Reads the keys of the rows, and finds the keys of their copies.
  ///
  /// - Parameters:
  ///   - known: The segments that an earlier attempt has reserved, by name of the root entity.
  ///   - unmoved: The rows that an earlier attempt copied, and that stay in the source because they
  ///     changed afterwards.
  func prepare(
    _ known: [String: [CopiedKeys.Segment]] = [:], without unmoved: Set<RowKey> = []
  ) throws {
    for layout in copied {
      keys.setOrigins(try originKeys(of: layout, without: unmoved), of: layout.index)
    }
    for root in Set(copied.map(\.rootIndex)).sorted() {
      let segments = known[layouts.layouts[root].rootName] ?? []
      for segment in segments { keys.append(segment, toRoot: root) }
      if !segments.isEmpty { repeated.insert(root) }
      try reserveKeys(ofRoot: root)
    }
  }

  /// Reads the keys of the source rows that an earlier attempt has copied, to delete these rows.
  func prepareDeletion(_ known: [String: [CopiedKeys.Segment]]) throws {
    for layout in copied {
      let last = known[layout.rootName]?.last?.last ?? 0
      keys.setOrigins(try originKeys(of: layout).filter { $0 <= last }, of: layout.index)
    }
  }

  /// The number of rows to copy.
  var rowCount: Int { copied.reduce(0) { $0 + keys.origins[$1.index].count } }

  /// Finds the rows that have the unique values of stored rows, before anything is written.
  func findDuplicates() throws {
    for layout in copied where checksDuplicates(layout) {
      for batch in batches(of: layout) {
        try progress.checkCancellation()
        try findDuplicates(of: batch, layout)
        progress.advance(by: batch.count)
      }
    }
  }

  /// Writes the rows, then the references that the first pass left out, then the memberships.
  func run() throws {
    for layout in copied {
      for batch in batches(of: layout) {
        try progress.checkCancellation()
        try copyRows(batch, layout, isSecondPass: false)
        progress.advance(by: batch.count)
      }
    }
    for layout in copied where incomplete.contains(layout.index) {
      for batch in batches(of: layout) {
        try progress.checkCancellation()
        try copyRows(batch, layout, isSecondPass: true)
      }
    }
    for layout in copied where hasMembers(layout) {
      for batch in batches(of: layout) {
        try progress.checkCancellation()
        try copyMemberships(batch, layout)
        progress.advance(by: batch.count)
      }
    }
  }

  func batches(of layout: RowLayout) -> [ArraySlice<Int64>] {
    let keys = Array(keys.origins[layout.index])
    return stride(from: 0, to: keys.count, by: settings.batchSize).map {
      keys[$0..<min($0 + settings.batchSize, keys.count)]
    }
  }

  // MARK: Keys

  private func originKeys(of layout: RowLayout, without unmoved: Set<RowKey> = []) throws
    -> ContiguousArray<Int64>
  {
    let found = try source.fetchKeys(allRows(of: layout))
    var keys = ContiguousArray<Int64>()
    keys.reserveCapacity(found.count)
    for row in found where !unmoved.contains(row) { keys.append(row.key) }
    keys.sort()
    return keys
  }

  private func allRows(of layout: RowLayout, limit: Int = 0) -> RowFetch {
    var specification = FetchSpecification()
    specification.entity = .strong(layout.entity)
    specification.includesSubentities = limit > 0
    specification.fetchLimit = limit
    return RowFetch(layout: layout, specification: specification)
  }

  /// Reserves keys for the rows of a root entity that no segment covers yet.
  private func reserveKeys(ofRoot root: Int) throws {
    let family = copied.filter { $0.rootIndex == root }
    let first = family.compactMap { keys.origins[$0.index].first }.min() ?? 1
    let last = family.compactMap { keys.origins[$0.index].last }.max() ?? 0
    let covered = keys.lastCovered(ofRoot: root)
    guard last > covered else { return }
    guard first > 0, last - covered <= Limits.highestCopiedKey else {
      throw StoreError(
        .badKey,
        """
        The store \(source.identity.uuid) cannot be copied: it has the keys \(first) to \(last) of \
        \(layouts.layouts[root].rootName), and only keys from 1 to \(Limits.highestCopiedKey) can \
        be copied.
        """,
        context: ["entity": layouts.layouts[root].rootName])
    }
    let from = max(covered + 1, first)
    let reserved = try destination.reserveRange(of: Int(last - from + 1), layouts.layouts[root])
    keys.append(
      CopiedKeys.Segment(last: last, offset: reserved.lowerBound - from), toRoot: root)
  }

  /// The segments of all root entities, by name.
  var segments: [String: [CopiedKeys.Segment]] {
    Dictionary(
      Set(copied.map(\.rootIndex)).map {
        (layouts.layouts[$0].rootName, keys.segments(ofRoot: $0))
      }, uniquingKeysWith: { first, _ in first })
  }

  // MARK: Duplicates

  private lazy var occupied: Set<Int> = Set(
    Set(copied.map(\.rootIndex)).filter { root in
      let fetch = allRows(of: layouts.layouts[root], limit: 1)
      // If the store cannot be read, the check itself reports the reason.
      return (try? destination.rowStore.fetchKeys(fetch).isEmpty) != true
    })

  /// Whether stored rows may have the unique values of an entity's rows.
  private func checksDuplicates(_ layout: RowLayout) -> Bool {
    occupied.contains(layout.rootIndex)
      && layout.entity.lineage.contains { !$0.uniquenessConstraintNames.isEmpty }
  }

  private func findDuplicates(of batch: ArraySlice<Int64>, _ layout: RowLayout) throws {
    let found = try source.rows(withKeys: Array(batch), layout: layout)
    let present = try presentRows(batch, layout, isSecondPass: false)
    var copies = CopyBatch(layout, settings.transaction, capacity: found.rows.count)
    var origins: [Int64: Int64] = [:]
    for fetched in found.rows {
      guard let key = keys.copiedKey(of: fetched.row.key, root: layout.rootIndex),
        present.rows[key] == nil
      else { continue }
      origins[key] = fetched.row.key
      let row = copies.copy(of: fetched.row)
      row.key = key
      row.version = 0
      clearReferences(of: row, layout)
      copies.insert(row)
    }
    let conflicts = try withExtendedLifetime(found) {
      try copies.withChanges { try destination.conflicts(of: $0) }
    }
    for conflict in conflicts {
      guard case .uniqueness(let constraint, let entity, let rows, let stored) = conflict else {
        continue
      }
      guard let stored, settings.uniqueness != .fail else {
        throw CopyError.constraint(constraint, entity, isWithinSource: stored == nil)
      }
      let duplicate = RowKey(
        key: stored.row(at: 0).key, layoutIndex: Int32(stored.layout.index))
      for row in rows {
        guard let origin = origins[row.key] else { continue }
        keys.record(duplicate, asDuplicateOf: origin, root: layout.rootIndex)
      }
    }
  }

  /// Clears references and values in files, which a check of unique values does not need.
  private func clearReferences(of row: RowReference, _ layout: RowLayout) {
    for slot in layout.slots where !slot.isNull(in: row) {
      let isFile =
        slot.kind == .boxed && slot.load(from: row, as: BoxedValue?.self) is ExternalValue
      if isFile || slot.kind == .toOne { layout.setNil(slot, in: row) }
    }
  }

  // MARK: Rows

  /// Rows of the destination, by key.
  private struct PresentRows {
    var found = FetchedRows()
    var rows: [Int64: RowReference] = [:]
  }

  /// The rows of a batch that the destination has already.
  private func presentRows(
    _ batch: ArraySlice<Int64>, _ layout: RowLayout, isSecondPass: Bool
  ) throws -> PresentRows {
    guard isSecondPass || repeated.contains(layout.rootIndex) else { return PresentRows() }
    let copies = batch.compactMap { keys.copiedKey(of: $0, root: layout.rootIndex) }
    var present = PresentRows()
    // `found` keeps the pages of the rows alive.
    present.found = try destination.rowStore.rows(withKeys: copies, layout: layout)
    for fetched in present.found.rows { present.rows[fetched.row.key] = fetched.row }
    return present
  }

  private func copyRows(_ batch: ArraySlice<Int64>, _ layout: RowLayout, isSecondPass: Bool)
    throws
  {
    guard let last = batch.last else { return }
    let found = try source.rows(withKeys: Array(batch), layout: layout)
    let present = try presentRows(batch, layout, isSecondPass: isSecondPass)
    func newBatch() -> CopyBatch {
      CopyBatch(layout, settings.transaction, capacity: found.rows.count)
    }
    var copies = newBatch()
    for fetched in found.rows {
      let origin = fetched.row.key
      if let duplicate = keys.duplicate(of: origin, root: layout.rootIndex) {
        // The destinations of its references must exist first.
        guard isSecondPass else {
          incomplete.insert(layout.index)
          continue
        }
        try merge(fetched.row, into: duplicate, &copies)
      } else if let key = keys.copiedKey(of: origin, root: layout.rootIndex) {
        if let stored = present.rows[key] {
          try complete(stored, from: fetched.row, references: isSecondPass, &copies)
        } else if !isSecondPass {
          try insert(fetched.row, key, through: last, &copies)
        }
      }
      if copies.fileBytes >= Limits.fileBytesOfCopyingSave {
        try save(copies)
        copies = newBatch()
      }
    }
    try withExtendedLifetime((found, present)) { try save(copies) }
  }

  private func insert(
    _ origin: RowReference, _ key: Int64, through last: Int64, _ copies: inout CopyBatch
  ) throws {
    let row = copies.copy(of: origin)
    row.key = key
    row.version = 0
    try translateReferences(of: row, copies.layout, through: last)
    try readFiles(of: row, &copies)
    copies.insert(row)
  }

  /// Completes a row that is already in the destination.
  ///
  /// - Parameter references: Whether to add the references that the row lacks. Otherwise the
  ///   attributes that have changed since an earlier attempt are updated.
  private func complete(
    _ stored: RowReference, from origin: RowReference, references: Bool,
    _ copies: inout CopyBatch
  ) throws {
    let layout = copies.layout
    let row = copies.copy(of: origin)
    row.key = stored.key
    if references {
      try translateReferences(of: row, layout)
    } else {
      incomplete.insert(layout.index)
      try readFiles(of: row, &copies)
    }
    let merged = copies.copy(of: stored)
    var changed = OrdinalSet()
    for ordinal in layout.slots.indices where isCopied(ordinal, layout) {
      guard (layout.slots[ordinal].kind == .toOne) == references,
        !layout.isEqual(ordinal, in: row, and: stored)
      else { continue }
      layout.copyValue(ordinal, from: row, to: merged)
      changed.insert(ordinal)
    }
    if !changed.isEmpty { copies.update(merged, changed, expecting: stored.version) }
  }

  /// Merges a row into the stored row with the same unique values, as the rule allows.
  private func merge(_ origin: RowReference, into duplicate: RowKey, _ copies: inout CopyBatch)
    throws
  {
    let layout = copies.layout
    guard Int(duplicate.layoutIndex) == layout.index else { return }
    let found = try destination.rowStore.rows(withKeys: [duplicate.key], layout: layout)
    defer { withExtendedLifetime(found) {} }
    guard let stored = found.rows.first?.row else { return }
    let row = copies.copy(of: origin)
    row.key = duplicate.key
    try translateReferences(of: row, layout)
    if settings.uniqueness != .keepStored { try readFiles(of: row, &copies) }
    let merged = copies.copy(of: stored)
    var changed = OrdinalSet()
    for ordinal in layout.slots.indices where isCopied(ordinal, layout) {
      if layout.inverseOfOneToOne(ordinal) != nil {
        // A one-to-one pair of the destination stays.
        guard layout.slots[ordinal].isNull(in: stored), !layout.slots[ordinal].isNull(in: row),
          !isDuplicate(layout.slots[ordinal].load(from: row, as: ToOneValue.self))
        else { continue }
      } else if settings.uniqueness == .keepStored {
        continue
      }
      guard !layout.isEqual(ordinal, in: row, and: stored) else { continue }
      layout.copyValue(ordinal, from: row, to: merged)
      changed.insert(ordinal)
    }
    guard !changed.isEmpty else { return }
    copies.update(merged, changed, expecting: stored.version)
  }

  private func isDuplicate(_ value: ToOneValue) -> Bool {
    keys.isDuplicate(value.key, root: layouts[value.layoutIndex].rootIndex)
  }

  /// Whether a property is written by the copy: an attribute, or a to-one relationship.
  private func isCopied(_ ordinal: Int, _ layout: RowLayout) -> Bool {
    let slot = layout.slots[ordinal]
    return slot.kind != .none && slot.isStored
      && !(layout.properties[ordinal] is NSDerivedAttributeDescription)
  }

  // MARK: Values

  /// Redirects to-one relationships to the copies.
  ///
  /// - Parameter last: The last key of the batch while rows are inserted; otherwise nil.
  ///   References to rows that are copied after this batch become empty.
  private func translateReferences(
    of row: RowReference, _ layout: RowLayout, through last: Int64? = nil
  ) throws {
    for (ordinal, slot) in layout.slots.enumerated()
    where slot.kind == .toOne && !slot.isNull(in: row) {
      let value = slot.load(from: row, as: ToOneValue.self)
      let origin = RowKey(key: value.key, layoutIndex: value.layoutIndex)
      guard let copy = keys.copy(of: origin),
        try accepts(copy, for: origin, of: row.key, ordinal, layout)
      else {
        layout.setNil(slot, in: row)
        continue
      }
      if let last, isLater(origin, than: last, layout) {
        incomplete.insert(layout.index)
        layout.setNil(slot, in: row)
      } else {
        slot.store(ToOneValue(key: copy.key, layoutIndex: copy.layoutIndex), in: row)
      }
    }
  }

  /// Whether a row of the source is copied after a batch.
  private func isLater(_ origin: RowKey, than last: Int64, _ layout: RowLayout) -> Bool {
    let root = layouts[origin.layoutIndex].rootIndex
    if keys.duplicate(of: origin.key, root: root) != nil { return false }
    let place = places[Int(origin.layoutIndex)]
    let own = places[layout.index]
    return place > own || (place == own && origin.key > last)
  }

  /// The places of layouts in the order of copying, by layout index.
  private lazy var places: [Int] = {
    var places = Array(repeating: Int.max, count: layouts.layouts.count)
    for (place, layout) in copied.enumerated() { places[layout.index] = place }
    return places
  }()

  /// Whether a reference can lead to a row.
  ///
  /// A one-to-one relationship cannot lead to a stored row that already has another partner.
  private func accepts(
    _ copy: RowKey, for origin: RowKey, of owner: Int64, _ ordinal: Int, _ layout: RowLayout
  ) throws -> Bool {
    let root = layouts[origin.layoutIndex].rootIndex
    guard let inverse = layout.inverseOfOneToOne(ordinal),
      keys.duplicate(of: origin.key, root: root) != nil
    else { return true }
    let other = layouts[copy.layoutIndex]
    guard copy.layoutIndex == origin.layoutIndex, let back = other.ordinal(of: inverse.name) else {
      return false
    }
    let found = try destination.rowStore.rows(withKeys: [copy.key], layout: other)
    defer { withExtendedLifetime(found) {} }
    guard let stored = found.rows.first?.row else { return false }
    let slot = other.slots[back]
    return slot.isNull(in: stored) || slot.load(from: stored, as: ToOneValue.self).key == owner
  }

  /// Replaces values in files of the source by values in memory.
  private func readFiles(of row: RowReference, _ copies: inout CopyBatch) throws {
    for slot in copies.layout.slots where slot.kind == .boxed && !slot.isNull(in: row) {
      guard let external = slot.load(from: row, as: BoxedValue?.self) as? ExternalValue else {
        continue
      }
      let data = try external.data()
      copies.noteFile(data.count)
      slot.store(Optional<BoxedValue>(BinaryValue(data)), in: row)
    }
  }

  // MARK: Saving

  func save(_ copies: CopyBatch) throws {
    guard !copies.isEmpty else { return }
    let outcome = try copies.withChanges { try destination.save($0) }
    if case .conflicts(let conflicts) = outcome {
      throw CopyError.unexpected(conflicts, source.identity.uuid)
    }
    insertedCount += copies.changes.inserted.count
    guard settings.collectsIdentifiers else { return }
    for change in copies.changes.inserted {
      identifiers.append(
        NSManagedObjectID(
          layout: copies.layout, key: change.row.key, storeIdentity: destination.identity))
    }
  }
}

extension RowLayout {
  /// The inverse of a one-to-one relationship.
  fileprivate func inverseOfOneToOne(_ ordinal: Int) -> NSRelationshipDescription? {
    guard let relationship = properties[ordinal] as? NSRelationshipDescription,
      !relationship.isToMany, let inverse = relationship.inverseRelationship, !inverse.isToMany
    else { return nil }
    return inverse
  }
}
