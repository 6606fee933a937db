/// A fetch request's reference to its entity.
///
/// A request that an application creates keeps its entity alive. A request that a model owns is a
/// template, or the request of a fetched property. It must not keep its entity alive: the entity
/// belongs to the same model, so that would be a reference cycle.
package enum EntityReference {
  case none
  /// A name, resolved when the request is executed.
  case name(String)
  case strong(NSEntityDescription)
  case weak(WeakEntity)

  package var entity: NSEntityDescription? {
    switch self {
    case .none, .name: nil
    case .strong(let entity): entity
    case .weak(let box): box.entity
    }
  }

  package var name: String? {
    switch self {
    case .none: nil
    case .name(let name): name
    case .strong(let entity): entity.name
    case .weak(let box): box.entity?.name
    }
  }

  /// The reference as a strong one.
  package var strengthened: EntityReference {
    if case .weak(let box) = self { box.entity.map(EntityReference.strong) ?? .none } else { self }
  }

  /// The reference as a weak one.
  package var weakened: EntityReference {
    if case .strong(let entity) = self { .weak(WeakEntity(entity)) } else { self }
  }
}

/// A weak reference to an entity.
package struct WeakEntity {
  package private(set) weak var entity: NSEntityDescription?

  package init(_ entity: NSEntityDescription) {
    self.entity = entity
  }
}
