import Foundation
import ManagedObjectModel
import ObjectRows

/// The conflicts that prevent the save of one store.
struct SaveConflicts {
  let conflicts: [StoreConflict]
  let open: OpenStore

  /// Applies the context's merge policy to the conflicts, so that the save can be retried.
  func resolve(in context: NSManagedObjectContext) throws {
    var versions: [NSMergeConflict] = []
    var constraints: [NSConstraintConflict] = []
    for conflict in conflicts {
      switch conflict {
      case .version(let key, _, let persisted):
        if let object = object(key, in: context) {
          versions.append(conflictOfVersions(object, persisted))
        }
      case .uniqueness(let constraint, let entity, let keys, let persisted):
        constraints.append(conflictOfValues(constraint, entity, keys, persisted, in: context))
      }
    }
    // The policy compares with the newest rows and applies the changes to them.
    for conflict in conflicts { record(conflict) }
    guard let policy = context.mergePolicy as? NSMergePolicy else {
      preconditionFailure(
        "The mergePolicy of a context is an NSMergePolicy; this one is a \(type(of: context.mergePolicy))."
      )
    }
    // A pinned context would apply the changes to the rows of its generation.
    if type(of: policy) != NSMergePolicy.self || policy.mergeType != .errorMergePolicyType {
      context.advanceGeneration()
    }
    try policy.resolve(versions, constraints)
  }

  private func object(_ key: RowKey, in context: NSManagedObjectContext) -> NSManagedObject? {
    let layout = context.layouts[key.layoutIndex]
    return context.registry.object(key.key, rootIndex: layout.rootIndex, storeNumber: open.number)
  }

  private func record(_ conflict: StoreConflict) {
    switch conflict {
    case .version(_, _, let persisted?), .uniqueness(_, _, _, let persisted?):
      open.cacheSaved(persisted)
    case .version, .uniqueness: break
    }
  }

  // MARK: Versions

  /// The conflict between the version of an object and that of its stored row.
  ///
  /// The coordinator's cache has a row that another context changed, but not one that another
  /// process changed. So the stored values are the cached snapshot, or else the persisted one.
  private func conflictOfVersions(_ object: NSManagedObject, _ persisted: RowPage?)
    -> NSMergeConflict
  {
    let committed = object.committedSnapshot
    let oldVersion = Int(object.expectedVersion ?? 0)
    guard let persisted else {
      object.flags.insert(.overwriting)
      return NSMergeConflict(
        source: object, newVersion: 0, oldVersion: oldVersion, cachedSnapshot: committed,
        persistedSnapshot: nil)
    }
    let row = persisted.row(at: 0)
    let cached = open.cachedRow(
      for: RowKey(key: object.key, layoutIndex: Int32(object.layout.index)))
    let snapshot = object.snapshot(of: row)
    let isKnown = cached?.row.version == row.version
    return NSMergeConflict(
      source: object, newVersion: Int(row.version), oldVersion: oldVersion,
      cachedSnapshot: isKnown ? snapshot : committed, persistedSnapshot: isKnown ? nil : snapshot)
  }

  // MARK: Constraints

  private func conflictOfValues(
    _ constraint: [String], _ entity: NSEntityDescription, _ keys: [RowKey], _ persisted: RowPage?,
    in context: NSManagedObjectContext
  ) -> NSConstraintConflict {
    let objects = keys.compactMap { object($0, in: context) }
    let database = persisted.map { page in
      context.object(page.row(at: 0).key, layout: page.layout, storeNumber: open.number)
    }
    if let persisted, let database, database.isFault, !database.hasRow {
      database.attach(persisted.row(at: 0), on: persisted)
    }
    return NSConstraintConflict(
      constraint: constraint, database: database,
      databaseSnapshot: persisted.flatMap { page in database?.snapshot(of: page.row(at: 0)) },
      conflicting: objects,
      conflictingSnapshots: objects.map {
        $0.flags.contains(.unsaved) ? [:] : $0.committedSnapshot as [AnyHashable: Any]
      })
  }
}

extension NSManagedObject {
  /// The stored attributes and to-one relationships of a row by name, with identifiers for
  /// relationships.
  ///
  /// `NSNull` represents a missing value or one that cannot be read.
  final func snapshot(of row: RowReference) -> [String: Any] {
    var values: [String: Any] = [:]
    for (ordinal, property) in layout.properties.enumerated() where layout.slots[ordinal].isStored {
      switch property {
      case let attribute as NSAttributeDescription:
        values[property.name] = (try? readValue(attribute, ordinal, in: row)) ?? NSNull()
      case let relationship as NSRelationshipDescription where !relationship.isToMany:
        values[property.name] = destinationIdentifier(ordinal, in: row) ?? NSNull()
      default: break
      }
    }
    return values
  }

  private func destinationIdentifier(_ ordinal: Int, in row: RowReference) -> NSManagedObjectID? {
    let slot = layout.slots[ordinal]
    guard !slot.isNull(in: row), let context else { return nil }
    return context.destination(slot.load(from: row, as: ToOneValue.self), of: self).objectID
  }
}

extension NSManagedObjectContext: MergingContext {}
