package import CloudRecords
import ManagedObjectModel
package import ObjectRows
import SQLiteStore

/// The objects that sharing some objects would share or concern.
package struct SharingReach: Sendable {
  /// An object, and how it is reached.
  package struct Step: Sendable {
    package let object: RowKey
    /// The previous object, and its relationship that leads here; nil for a given object.
    package let from: (object: RowKey, relationship: String)?
    /// The zone of the share that has the object; nil for the home zone.
    package fileprivate(set) var shared: RecordZoneIdentifier?
    /// Whether the scope excludes the object, which is related to one in the scope.
    package fileprivate(set) var isBeyondScope = false
  }

  /// The given objects, then the reached ones, and last those beyond the scope.
  package fileprivate(set) var steps: [Step] = []

  /// The objects that would be shared.
  package var objects: [RowKey] { steps.lazy.filter { !$0.isBeyondScope }.map(\.object) }

  /// Throws if the objects cannot be shared.
  ///
  /// - Parameter zone: The zone of a share in which objects may be already; nil for none.
  package func check(allowing zone: RecordZoneIdentifier?) throws(SharingError) {
    for step in steps {
      if let shared = step.shared, !step.isBeyondScope, shared != zone {
        throw .isShared(step.object, in: shared)
      }
    }
    let beyond = steps.filter(\.isBeyondScope)
    guard beyond.isEmpty else {
      throw .beyondScope(
        beyond.compactMap { step in
          step.from.map { ($0.object, relationship: $0.relationship, step.object) }
        })
    }
  }
}

/// The scope of sharing: a limit on the relationships that it follows, by the names of a model.
package struct SharingLimit: Sendable {
  /// The entities whose objects are not shared, with their subentities.
  package let entities: Set<String>
  /// The relationships that are not followed, by the entity that has them.
  package let relationships: [String: Set<String>]

  package init(entities: Set<String> = [], relationships: [String: Set<String>] = [:]) {
    (self.entities, self.relationships) = (entities, relationships)
  }

  fileprivate func excludes(_ entity: NSEntityDescription) -> Bool {
    entity.andItsSuperentities.contains { entities.contains($0.name ?? "") }
  }

  fileprivate func excludes(_ relationship: String, of entity: NSEntityDescription) -> Bool {
    entity.andItsSuperentities.contains {
      relationships[$0.name ?? ""]?.contains(relationship) ?? false
    }
  }
}

extension NSEntityDescription {
  fileprivate var andItsSuperentities: [NSEntityDescription] {
    Array(sequence(first: self, next: \.superentity))
  }
}

extension ObjectGraph {
  /// Finds the objects that sharing some objects would share or concern, each with a path to it.
  ///
  /// The search ends at the limit. The result includes objects just beyond it, unless another path
  /// reaches them.
  func reach(
    of objects: [RowKey], within limit: SharingLimit, _ zones: ZoneCache
  ) throws -> SharingReach {
    var reach = SharingReach()
    var known: Set<RowKey> = []
    var beyond: [SharingReach.Step] = []
    func step(_ object: RowKey, from: (object: RowKey, relationship: String)?) throws
      -> SharingReach.Step
    {
      var step = SharingReach.Step(object: object, from: from)
      if let zone = try zones.presentZone(of: object), zone != zones.homeZone {
        step.shared = try zones.identifier(zone)
      }
      return step
    }
    for object in objects where known.insert(object).inserted {
      reach.steps.append(try step(object, from: nil))
    }
    var isExcluded: [Int32: Bool] = [:]
    var barred: [Int32: Set<Int>] = [:]
    var next = 0
    while next < reach.steps.count {
      let object = reach.steps[next].object
      next += 1
      let relations = relations(of: object)
      if barred[object.layoutIndex] == nil {
        let entity = self.entity(of: object)
        barred[object.layoutIndex] = Set(
          relations.filter { limit.excludes($0.name, of: entity) }.map(\.ordinal))
      }
      for relation in relations {
        let isBarred = barred[object.layoutIndex]?.contains(relation.ordinal) ?? false
        for other in try members(of: object, relation)
        where !known.contains(other) && isMirrored(other) {
          if isExcluded[other.layoutIndex] == nil {
            isExcluded[other.layoutIndex] = limit.excludes(entity(of: other))
          }
          let found = try step(other, from: (object, relation.name))
          guard !isBarred, isExcluded[other.layoutIndex] == false else {
            beyond.append(found)
            continue
          }
          known.insert(other)
          reach.steps.append(found)
        }
      }
    }
    for var step in beyond where known.insert(step.object).inserted {
      step.isBeyondScope = true
      reach.steps.append(step)
    }
    return reach
  }

  private func entity(of object: RowKey) -> NSEntityDescription {
    store.schema.layouts[object.layoutIndex].entity
  }
}
