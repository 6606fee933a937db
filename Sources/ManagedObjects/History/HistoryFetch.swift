import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

/// Reads the histories of stores one after another, and applies a fetch request's predicate, order
/// and limits.
struct HistoryFetch {
  let stores: [any HistoryStore]
  let position: HistoryPosition
  let fetch: FetchSpecification?
  let resultType: NSPersistentHistoryResultType

  /// The entity of the fetch request.
  private enum Target {
    case transactions, changes
  }

  /// The value of the result.
  func result() throws -> Any {
    if case .statusOnly = resultType { return NSNumber(value: true) }
    switch try target() {
    case .changes: return value(of: try changes())
    case .transactions:
      if case .count = resultType, let count = try countOfTransactions() {
        return NSNumber(value: count)
      }
      return value(of: try transactions())
    }
  }

  private func target() throws -> Target {
    guard let fetch else { return .transactions }
    switch fetch.entity.name {
    case HistoryModel.shared.transaction.name: return .transactions
    case HistoryModel.shared.change.name: return .changes
    default:
      throw cocoaError(
        NSPersistentStoreUnsupportedRequestTypeError,
        "A history has transactions and changes, and no \(fetch.entity.name ?? "entity without a name"). Make the fetch request with NSPersistentHistoryTransaction.fetchRequest or NSPersistentHistoryChange.fetchRequest."
      )
    }
  }

  // MARK: Transactions

  /// The transactions, with their changes if the result needs them.
  private func transactions() throws -> [HistoryRecord] {
    let needsChanges = ![.count, .transactionsOnly].contains(resultType)
    guard let fetch else { return try records(withChanges: needsChanges) }
    // Changes are read only for the remaining transactions.
    let candidates = try records(
      withChanges: false, narrowed: { narrow(&$0, $1, fetch, readsChanges: false) })
    let found = inResultOrder(
      select(candidates.map(NSPersistentHistoryTransaction.init), fetch).map(\.record))
    return needsChanges ? try addChanges(to: found) : found
  }

  /// The number of transactions if the stores can count them, or nil if they must be read.
  private func countOfTransactions() throws -> Int? {
    if let fetch, fetch.fetchLimit > 0 || fetch.fetchOffset > 0 { return nil }
    var count = 0
    for store in stores {
      var query = query(of: store, withChanges: false)
      if let predicate = fetch?.predicate {
        var reader = HistoryFilterReader(storeUUID: store.identity.uuid, readsChanges: false)
        query.transactionFilter = reader.filter(predicate)
        guard reader.isExact else { return nil }
      }
      count += try store.historyCount(query)
      if let number = query.after { try checkIsKnown(number, to: store) }
    }
    return count
  }

  /// The transactions of all stores.
  ///
  /// - Parameter narrow: Adds the conditions that a store can evaluate to its query.
  private func records(
    withChanges: Bool, narrowed narrow: (inout HistoryQuery, any HistoryStore) -> Void = { _, _ in }
  ) throws -> [HistoryRecord] {
    var numbers = position.token?.numbers ?? [:]
    var records: [HistoryRecord] = []
    for store in stores {
      let uuid = store.identity.uuid
      let rows = try history(of: store, withChanges: withChanges, narrow)
      let changes = withChanges ? Dictionary(grouping: rows.changes, by: \.transaction) : nil
      for row in rows.transactions {
        numbers[uuid] = row.number
        records.append(
          HistoryRecord(
            row: row, storeIdentity: store.identity,
            token: NSPersistentHistoryToken(numbers: numbers),
            changes: changes.map { $0[row.number] ?? [] }))
      }
    }
    return records
  }

  private func history(
    of store: any HistoryStore, withChanges: Bool,
    _ narrow: (inout HistoryQuery, any HistoryStore) -> Void
  ) throws -> HistoryRows {
    var query = query(of: store, withChanges: withChanges)
    narrow(&query, store)
    let rows = try store.history(query)
    if let number = query.after { try checkIsKnown(number, to: store) }
    return rows
  }

  /// The query for the history after the request's position, in one store.
  private func query(of store: any HistoryStore, withChanges: Bool) -> HistoryQuery {
    var query = HistoryQuery(after: position.token?.numbers[store.identity.uuid])
    query.includesChanges = withChanges
    if case .date(let date) = position { query.afterDate = date }
    return query
  }

  /// Adds to a store's query the parts of the predicate that the store can evaluate.
  ///
  /// If it can evaluate the whole predicate and the order, adds the order and the limit too.
  private func narrow(
    _ query: inout HistoryQuery, _ store: any HistoryStore, _ fetch: FetchSpecification,
    readsChanges: Bool
  ) {
    var reader = HistoryFilterReader(storeUUID: store.identity.uuid, readsChanges: readsChanges)
    let filter = fetch.predicate.flatMap { reader.filter($0) }
    if readsChanges {
      query.changeFilter = filter ?? .constant(true)
    } else {
      query.transactionFilter = filter
    }
    if reader.isExact, fetch.fetchLimit > 0,
      let order = Self.order(fetch.sortDescriptors, readsChanges: readsChanges)
    {
      query.order = order
      let (window, bound) = (FetchWindow(fetch), Int.max / 4)
      query.limit = min(window.offset, bound) + min(window.limit, bound)
    }
  }

  /// The order of the sort descriptors, if a store supports it.
  private static func order(_ descriptors: [NSSortDescriptor]?, readsChanges: Bool) -> HistoryQuery
    .Order?
  {
    guard let descriptors, let first = descriptors.first else { return .number(ascending: true) }
    guard descriptors.count == 1, !readsChanges, let first = first as? PropertySortDescriptor,
      case .natural = first.rule
    else { return nil }
    switch first.path?.text {
    case "transactionNumber": return .number(ascending: first.ascending)
    case "timestamp": return .date(ascending: first.ascending)
    default: return nil
    }
  }

  /// Throws if history after a transaction was deleted, or if the transaction is unknown, for
  /// example because an older copy of the store was restored.
  ///
  /// It is called after the history was read, so that it also notices deletions during the read.
  private func checkIsKnown(_ number: Int64, to store: any HistoryStore) throws {
    let isLost = try store.earliestHistoryNumber() > number + 1
    guard try isLost || store.latestHistoryNumber() < number else { return }
    throw StoreError(
      .historyTokenExpired,
      "The history of the store \(store.identity.uuid) \(isLost ? "was deleted beyond" : "does not contain") transaction \(number), after which it was requested. Fetch all objects again, and continue from currentPersistentHistoryToken(fromStores:).",
      context: [NSStoreUUIDKey: store.identity.uuid])
  }

  private func addChanges(to records: [HistoryRecord]) throws -> [HistoryRecord] {
    var changes: [String: [Int64: [HistoryChangeRow]]] = [:]
    for store in stores {
      let uuid = store.identity.uuid
      var query = HistoryQuery()
      query.numbers = records.filter { $0.storeIdentity === store.identity }.map(\.row.number)
        .sorted()
      query.includesTransactions = false
      changes[uuid] = Dictionary(grouping: try store.history(query).changes, by: \.transaction)
    }
    return records.map { $0.with(changes: changes[$0.storeIdentity.uuid]?[$0.row.number] ?? []) }
  }

  private func value(of records: [HistoryRecord]) -> Any {
    switch resultType {
    case .statusOnly: NSNumber(value: true)
    case .count: NSNumber(value: records.count)
    case .objectIDs:
      unique(records.flatMap { record in (record.changes ?? []).map(record.objectID) })
    case .changesOnly: records.flatMap { $0.publicChanges ?? [] }
    case .transactionsOnly, .transactionsAndChanges:
      records.map(NSPersistentHistoryTransaction.init)
    }
  }

  // MARK: Changes

  private func changes() throws -> [NSPersistentHistoryChange] {
    guard let fetch else {
      return try records(withChanges: true).flatMap { $0.publicChanges ?? [] }
    }
    // A predicate over a transaction's changes needs all of them.
    let asksForChanges = fetch.predicate?.formatText.contains("changes") ?? false
    let found = try records(withChanges: true) { query, store in
      if !asksForChanges { narrow(&query, store, fetch, readsChanges: true) }
    }
    return inResultOrder(select(found.flatMap { $0.publicChanges ?? [] }, fetch))
  }

  private func value(of changes: [NSPersistentHistoryChange]) -> Any {
    switch resultType {
    case .statusOnly: NSNumber(value: true)
    case .count: NSNumber(value: changes.count)
    case .objectIDs: unique(changes.map(\.changedObjectID))
    case .changesOnly: changes
    case .transactionsOnly, .transactionsAndChanges: transactions(of: changes)
    }
  }

  /// The transactions of changes, in the order of their first changes, each with its matching
  /// changes.
  private func transactions(of changes: [NSPersistentHistoryChange])
    -> [NSPersistentHistoryTransaction]
  {
    var records: [ObjectIdentifier: (record: HistoryRecord, changes: [HistoryChangeRow])] = [:]
    var order: [ObjectIdentifier] = []
    for change in changes {
      let key = ObjectIdentifier(change.record)
      if records[key] == nil { order.append(key) }
      records[key, default: (change.record, [])].changes.append(change.row)
    }
    return order.compactMap { records[$0] }.map { record, changes in
      NSPersistentHistoryTransaction(
        resultType == .transactionsOnly ? record : record.with(changes: changes))
    }
  }

  // MARK: Selecting

  /// The elements that match a fetch request's predicate, in its order and within its limits.
  private func select<Element: NSObject>(_ elements: [Element], _ fetch: FetchSpecification)
    -> [Element]
  {
    var selected = elements
    if let predicate = fetch.predicate {
      selected = selected.filter { predicate.evaluate(with: $0) }
    }
    if let descriptors = fetch.sortDescriptors, !descriptors.isEmpty {
      selected = sort(selected, descriptors)
    }
    return FetchWindow(fetch).cut(selected)
  }

  /// The transactions of several stores, each with the token for its position in the result.
  ///
  /// They were read one store after another. Tokens in that order would cover transactions that
  /// come later in a sorted result, or that the limit leaves out.
  private func inResultOrder(_ records: [HistoryRecord]) -> [HistoryRecord] {
    guard stores.count > 1 else { return records }
    var numbers = position.token?.numbers ?? [:]
    return records.map { record in
      let uuid = record.storeIdentity.uuid
      numbers[uuid] = max(numbers[uuid] ?? 0, record.row.number)
      return record.with(token: NSPersistentHistoryToken(numbers: numbers))
    }
  }

  /// The changes, with their transactions in the order of the first changes.
  private func inResultOrder(_ changes: [NSPersistentHistoryChange])
    -> [NSPersistentHistoryChange]
  {
    guard stores.count > 1 else { return changes }
    var places: [ObjectIdentifier: Int] = [:]
    var records: [HistoryRecord] = []
    for change in changes where places[ObjectIdentifier(change.record)] == nil {
      places[ObjectIdentifier(change.record)] = records.count
      records.append(change.record)
    }
    records = inResultOrder(records)
    return changes.map { change in
      places[ObjectIdentifier(change.record)].map {
        NSPersistentHistoryChange(change, in: records[$0])
      } ?? change
    }
  }

  private func sort<Element: NSObject>(_ elements: [Element], _ descriptors: [NSSortDescriptor])
    -> [Element]
  {
    elements.enumerated().sorted { one, other in
      for descriptor in descriptors {
        switch descriptor.compare(one.element, to: other.element) {
        case .orderedAscending: return true
        case .orderedDescending: return false
        case .orderedSame: continue
        }
      }
      return one.offset < other.offset
    }.map(\.element)
  }

  private func unique(_ objectIDs: [NSManagedObjectID]) -> [NSManagedObjectID] {
    var known: Set<NSManagedObjectID> = []
    return objectIDs.filter { known.insert($0).inserted }
  }
}
