/// Objects with their relationships.
///
/// Every relationship has an inverse, so objects that can be reached from one another are a
/// connected part of the graph.
package protocol ObjectRelations {
  associatedtype Object: Hashable

  /// The objects that an object is related to, in a repeatable order.
  func neighbours(of object: Object) throws -> [Object]
}

extension ObjectRelations {
  /// The objects that can be reached from the given ones, with these.
  ///
  /// - Parameters:
  ///   - barred: A relation that is not followed, in either direction.
  ///   - isInside: Whether the search continues beyond an object. The objects at which it ends are
  ///     in the result.
  package func reachable(
    from objects: [Object], without barred: (Object, Object)? = nil,
    while isInside: (Object) throws -> Bool = { _ in true }
  ) throws -> [Object] {
    var known = Set(objects)
    var queue = objects
    var next = 0
    while next < queue.count {
      let object = queue[next]
      next += 1
      guard try isInside(object) else { continue }
      for other in try neighbours(of: object) where !known.contains(other) {
        if let barred, (object, other) == barred || (other, object) == barred { continue }
        known.insert(other)
        queue.append(other)
      }
    }
    return queue
  }
}

/// Objects with their relationships and zones.
package protocol ZonedObjects: ObjectRelations {
  associatedtype Zone: Hashable

  /// The zone of an object; nil if it is not mirrored.
  func zone(of object: Object) throws -> Zone?
  /// Whether a zone is the home zone.
  func isHome(_ zone: Zone) -> Bool
  /// Whether a server may have an object.
  func isKnown(_ object: Object) throws -> Bool
}

/// The effect of a new relation on the zones of objects.
package enum ZoneDecision<Object: Hashable, Zone: Hashable>: Equatable {
  /// All related objects are in one zone already.
  case stays
  case moves([Object], to: Zone)
  /// The objects are in different shares.
  case isOfTwoShares(Object, Zone, Object, Zone)
}

/// Decides in which zone related objects belong.
package struct ZoneRules<Objects: ZonedObjects> {
  package typealias Object = Objects.Object
  package typealias Decision = ZoneDecision<Objects.Object, Objects.Zone>

  private let objects: Objects

  package init(_ objects: Objects) { self.objects = objects }

  /// Decides whether an object follows the one that its own to-one relationship was set to.
  package func follow(_ object: Object, _ target: Object) throws -> Decision {
    guard let own = try objects.zone(of: object), let other = try objects.zone(of: target),
      own != other
    else { return .stays }
    guard !objects.isHome(own), objects.isHome(other), try objects.isKnown(target) else {
      return try join(object)
    }
    let part = try objects.reachable(from: [object], without: (object, target))
    // Another path leads to the target, so everything belongs to the share.
    return part.contains(target) ? try join(object) : .moves(part, to: other)
  }

  /// Decides how an object and everything that it is related to come into one zone.
  package func join(_ object: Object) throws -> Decision {
    guard let own = try objects.zone(of: object),
      try objects.neighbours(of: object).contains(where: {
        try objects.zone(of: $0).map { $0 != own } ?? false
      })
    else { return .stays }
    var shared: (object: Object, zone: Objects.Zone)?
    var second: (object: Object, zone: Objects.Zone)?
    let part = try objects.reachable(from: [object]) { other in
      guard let zone = try objects.zone(of: other), !objects.isHome(zone) else { return true }
      if let found = shared, found.zone != zone, second == nil { second = (other, zone) }
      if shared == nil { shared = (other, zone) }
      // The objects beyond an object of a share are in that share already.
      return second == nil && other == object
    }
    guard let shared else { return .stays }
    if let second {
      return .isOfTwoShares(shared.object, shared.zone, second.object, second.zone)
    }
    return .moves(part, to: shared.zone)
  }
}
