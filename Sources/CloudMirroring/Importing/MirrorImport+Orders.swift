import CloudKitClient
import CloudRecords
import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
import ObjectRows

/// The orders of members.
///
/// An order and its members arrive separately. The ledger keeps the names that are not members yet:
///
///     record of the owner ──▶ order ──▶ present members are arranged ──▶ the rest is awaited
///     later record of a member or a pair ──▶ the owners that await it are arranged again
extension MirrorImport {
  /// Arranges the members of ordered relationships by the orders in records, or by deferred ones.
  func arrange() throws {
    let former = try formerOrders()
    guard !former.isEmpty || relations.contains(where: { !$0.entity.orders.isEmpty }) else {
      return
    }
    let known = Dictionary(
      objects.map { (ObjectIdentifier($1), $0.recordName) }, uniquingKeysWith: { first, _ in first }
    )
    var seen: Set<OrderPlace> = []
    for relation in relations {
      let key = relation.object.objectID.rowKey
      for order in relation.entity.orders where relation.properties.contains(order.property) {
        guard let ordinal = mirror.layouts[key.layoutIndex].ordinal(of: order.property) else {
          continue
        }
        seen.insert(OrderPlace(owner: key, ordinal: ordinal))
        try arrange(
          relation.object,
          DeferredOrder(
            owner: key, ordinal: ordinal, zone: relation.zone,
            names: relation.content.orders[order.property] ?? [], awaited: []), known)
      }
    }
    for (object, order) in former
    where !seen.contains(OrderPlace(owner: order.owner, ordinal: order.ordinal)) {
      try arrange(object, order, known)
    }
  }

  private struct OrderPlace: Hashable {
    let owner: RowKey
    let ordinal: Int
  }

  /// Returns the deferred orders that this import affects, with their owners.
  private func formerOrders() throws -> [(NSManagedObject, DeferredOrder)] {
    guard mirror.schema.hasOrders else { return [] }
    let names = Set(objects.keys).union(page.deleted.map { RecordIdentifier($0) })
    let waiting = try mirror.ledger.deferred([.order], dependingOn: names.sorted())
    let owners = Set(waiting.compactMap { $0.property?.object }).sorted {
      ($0.layoutIndex, $0.key) < ($1.layoutIndex, $1.key)
    }
    guard !owners.isEmpty else { return [] }
    let present = try ObjectReader(mirror: mirror, context: context).objects(owners)
    let orders = Dictionary(
      grouping: DeferredOrder.orders(in: try mirror.ledger.deferred([.order], of: owners)),
      by: \.owner)
    return owners.flatMap { owner in
      present[owner].map { object in (orders[owner] ?? []).map { (object, $0) } } ?? []
    }
  }

  /// Arranges the members of an owner, and defers the order if it names others.
  private func arrange(
    _ owner: NSManagedObject, _ order: DeferredOrder, _ known: [ObjectIdentifier: String]
  ) throws {
    guard !owner.isDeleted else { return }
    let property = mirror.layouts[order.owner.layoutIndex].properties[order.ordinal].name
    let present = owner.mutableOrderedSetValue(forKey: property)
    let former = (0..<present.count).compactMap { present.object(at: $0) as? NSManagedObject }
    let names = try names(of: former, known)
    let byName = Dictionary(
      zip(names, former).compactMap { name, member in name.map { ($0, member) } },
      uniquingKeysWith: { first, _ in first })
    let gone = Set(page.deleted.map(\.recordName))
    var order = order
    order.names = order.order(over: names.compactMap(\.self)).filter { !gone.contains($0) }
    order.awaited = order.names.filter { byName[$0] == nil }
    changes.keep(order)
    let named = MemberOrder.arrange(Set(byName.keys), by: order.names).compactMap { byName[$0] }
    // Objects that a hook of the program has just created have no record names yet.
    let arranged = named + zip(names, former).filter { $0.0 == nil }.map(\.1)
    guard arranged != former else { return }
    owner.willChangeValue(forKey: property)
    owner.setPrimitiveValue(NSOrderedSet(array: arranged), forKey: property)
    owner.didChangeValue(forKey: property)
  }

  /// Returns the names of the members' records; nil for members without one.
  private func names(of members: [NSManagedObject], _ known: [ObjectIdentifier: String]) throws
    -> [String?]
  {
    let others = members.filter { known[ObjectIdentifier($0)] == nil }
    let rows = others.isEmpty ? [:] : try mirror.ledger.records(of: others.map(\.objectID.rowKey))
    return members.map {
      known[ObjectIdentifier($0)] ?? rows[$0.objectID.rowKey]?.identifier.recordName
    }
  }
}
