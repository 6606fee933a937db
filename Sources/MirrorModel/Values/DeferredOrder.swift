package import CloudRecords
package import ObjectRows

/// The order of an ordered relationship, of which some members have not arrived.
package struct DeferredOrder: Hashable, Sendable {
  package let owner: RowKey
  /// The relationship, by its ordinal in the owner's layout.
  package let ordinal: Int
  package let zone: RecordZoneIdentifier
  /// The names of the members' records, in order.
  package var names: [String]
  /// The names that are not members yet; if there are none, the order need not be stored.
  package var awaited: [String]

  package init(
    owner: RowKey, ordinal: Int, zone: RecordZoneIdentifier, names: [String], awaited: [String]
  ) {
    (self.owner, self.ordinal, self.zone) = (owner, ordinal, zone)
    (self.names, self.awaited) = (names, awaited)
  }

  package var subject: DeferredItem.Subject { .property(owner, ordinal: ordinal) }

  /// An item for the order, and one for each awaited member; none without awaited members.
  package var items: [DeferredItem] {
    guard !awaited.isEmpty else { return [] }
    let order = DeferredItem(
      .order, subject, in: zone, payload: Array(names.joined(separator: "\n").utf8))
    return [order]
      + Set(awaited).sorted().map { DeferredItem(.order, subject, in: zone, dependency: $0) }
  }

  /// Returns the orders among items.
  package static func orders(in items: [DeferredItem]) -> [DeferredOrder] {
    Dictionary(grouping: items.filter { $0.kind == .order }, by: \.subject).values.compactMap {
      guard let order = $0.first(where: { $0.payload != nil }), let zone = order.zone,
        let property = order.property
      else { return nil }
      let text = String(decoding: order.payload ?? [], as: UTF8.self)
      return DeferredOrder(
        owner: property.object, ordinal: property.ordinal, zone: zone,
        names: text.split(separator: "\n").map(String.init),
        awaited: $0.compactMap(\.dependency).sorted())
    }
    .sorted { $0.ordinal < $1.ordinal }
  }

  /// Returns the order of the present members.
  ///
  /// Members that were moved locally keep their new positions. Members that have not arrived stay
  /// beside their neighbours.
  package func order(over members: [String]) -> [String] {
    guard !awaited.isEmpty else { return names }
    let late = Set(awaited)
    return MemberOrder.merge(local: members.filter { !late.contains($0) }, server: names)
  }
}
