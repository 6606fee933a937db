import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

private typealias NSExpression = PredicateLanguage.NSExpression

/// One fetch from an in-memory store.
struct MemoryQuery {
  let fetch: RowFetch
  let contents: MemoryContents
  let identity: StoreIdentity

  private var specification: FetchSpecification { fetch.specification }
  private var root: Int { fetch.layout.rootIndex }

  init(_ fetch: RowFetch, in store: MemoryRowStore) throws {
    self.fetch = fetch
    contents = store.contents
    identity = store.identity
    try KeyPathCheck(layouts: contents.layouts).check(fetch)
  }

  /// The rows that match, in the order of the request and within its limits.
  func rows() throws -> [StoredRow] {
    let found = try matches()
    let ordered = try sorted(found)
    let rows = FetchWindow(specification).cut(ordered)
    fetch.monitor?.add(rows.count)
    return rows
  }

  /// The number of rows that match, within the limits.
  func count() throws -> Int { FetchWindow(specification).cut(count: try matches().count) }

  /// The rows that match, in key order.
  func matches() throws -> [StoredRow] { try FetchEvaluation.run { try matchingRows() } }

  private func matchingRows() throws -> [StoredRow] {
    let predicate = try specification.predicate.map { try identified($0) }
    let filter = try predicate.map { try RowFilter($0, for: self) }
    var found: [StoredRow] = []
    if let keys = filter?.keys {
      for key in keys {
        guard let stored = contents.row(key, root: root), isWanted(stored.layout) else { continue }
        if try filter?.matches(stored) ?? true { found.append(stored) }
        if let monitor = fetch.monitor { try monitor.requireRunning() }
      }
      return found
    }
    let wanted = contents.layouts.layouts.map(isWanted)
    try contents.rows[root].forEach { (_, stored) throws in
      if wanted[stored.layout.index], try filter?.matches(stored) ?? true { found.append(stored) }
      if let monitor = fetch.monitor { try monitor.requireRunning() }
    }
    return found
  }

  /// The predicate with row identities in place of constant objects and object IDs.
  func identified(_ predicate: NSPredicate) throws -> NSPredicate {
    try predicate.replacingExpressions { expression throws(PredicateEvaluationError) in
      if let value = try expression.valueOfConstantFetch() {
        return NSExpression(forConstantValue: identified(value))
      }
      guard case .constant(let value?) = expression.node else { return nil }
      return NSExpression(forConstantValue: identified(value))
    }
  }

  func identified(_ value: Any) -> Any {
    if let object = value as? any ObjectIdentified { return identity(of: object.identified) }
    guard let elements = Elements(value),
      elements.values.contains(where: { $0 is any ObjectIdentified })
    else {
      return value
    }
    return elements.values.map { $0.map(identified) ?? NSNull() } as [Any]
  }

  /// The identity of an object's row, which matches no row if the object is unsaved or of another
  /// store.
  private func identity(of objectID: NSManagedObjectID) -> RowIdentity {
    let isOwn = objectID.storeIdentity === identity || objectID.storeIdentity?.uuid == identity.uuid
    let layout = objectID.layout.entity.name.flatMap { contents.layouts[named: $0] }
    guard isOwn, !objectID.isTemporaryID, let layout else {
      return RowIdentity(key: objectID.key, root: -1)
    }
    return RowIdentity(key: objectID.key, root: layout.rootIndex)
  }

  private func isWanted(_ layout: RowLayout) -> Bool {
    guard layout.rootIndex == root else { return false }
    if layout.index == fetch.layout.index { return true }
    return specification.includesSubentities && layout.entity.isKindOf(entity: fetch.layout.entity)
  }

  func sorted(_ rows: [StoredRow]) throws -> [StoredRow] {
    guard let descriptors = specification.sortDescriptors, !descriptors.isEmpty else { return rows }
    if let order = RowOrder(descriptors, for: fetch.layout) { return order.sorted(rows) }
    return try rows.map { RowView($0, in: contents) }.sorted(following: descriptors).map(\.stored)
  }
}

extension PredicateLanguage.NSExpression {
  /// The results of a fetch expression whose request and context are constants; nil for other
  /// expressions.
  ///
  /// The results are the same for all rows.
  fileprivate func valueOfConstantFetch() throws(PredicateEvaluationError) -> Any? {
    guard case .fetch(let request, let context, _) = node, case .constant = request.node,
      case .constant = context.node
    else { return nil }
    do {
      return try evaluated(with: nil)
    } catch {
      throw error as? PredicateEvaluationError
        ?? PredicateEvaluationError(.badFunctionCall, "\(error)")
    }
  }
}

extension NSPredicate {
  /// Whether part of the predicate is a closure of the program.
  var hasOpaqueParts: Bool {
    // A predicate that was parsed from a format string has no closures.
    if template != nil { return false }
    return switch node {
    case .constant, .comparison: false
    case .and(let parts), .or(let parts): parts.contains { $0.hasOpaqueParts }
    case .not(let part): part.hasOpaqueParts
    case .opaque: true
    }
  }

  /// Whether the predicate calls code of the program, or uses a context.
  var needsContextQueue: Bool {
    var found = hasOpaqueParts
    // The closure throws nothing.
    _ = try? replacingExpressions { expression throws(PredicateEvaluationError) in
      switch expression.node {
      case .block, .custom, .fetch: found = true
      default: break
      }
      return nil
    }
    return found
  }
}
