import CloudKitClient
import CloudRecords
public import Foundation
import ManagedObjectModel
import ManagedObjects
import MirrorLedger
import MirrorModel
public import ObjectRows
import PredicateLanguage

extension NSPersistentCloudKitContainer {
  /// Removes duplicates that several people or devices created, such as two tags with the same
  /// name.
  ///
  /// Parhelion's addition. In each zone, one of the objects with the same values is the winner. The
  /// others are marked with a date, and their related objects move to the winner. They are deleted
  /// after an export and an import have succeeded since the mark. By then, relationships that
  /// others created meanwhile have arrived and moved, too.
  ///
  /// ```swift
  /// typealias Deduplicator = NSPersistentCloudKitContainer.Deduplicator
  ///
  /// let tags = Deduplicator.Rule(entityName: "Tag", uniqueBy: ["name"])
  /// try await Deduplicator(container, rules: [tags]).run()
  /// ```
  ///
  /// The deduplicator changes the objects of the user's private database, including those that the
  /// user shares. Objects that others share belong to their owners, whose devices decide. So each
  /// user may run it at any time, for example after each import.
  public struct Deduplicator: Sendable {
    /// A rule that defines when objects of an entity are duplicates.
    ///
    /// Parhelion's addition.
    public struct Rule: Hashable, Sendable {
      /// The name of the entity.
      public let entityName: String
      /// The attributes in which duplicates have the same values.
      public let uniqueAttributes: [String]
      /// The attribute that has its smallest value in the winner; its values must never change.
      public let orderAttribute: String
      /// The attribute that stores when an object was marked as a loser.
      public let dateAttribute: String

      /// Creates a rule.
      ///
      /// - Parameters:
      ///   - uniqueAttributes: At least one attribute. An object in which one of them is nil has no
      ///     duplicates.
      ///   - orderAttribute: A UUID or string attribute.
      ///   - dateAttribute: An optional date attribute.
      public init(
        entityName: String, uniqueBy uniqueAttributes: [String],
        orderedBy orderAttribute: String = "uuid",
        markedBy dateAttribute: String = "deduplicatedDate"
      ) {
        (self.entityName, self.uniqueAttributes) = (entityName, uniqueAttributes)
        (self.orderAttribute, self.dateAttribute) = (orderAttribute, dateAttribute)
      }

      /// Matches objects that are not marked.
      ///
      /// Show the user only these objects; otherwise marked objects get new relationships.
      public var unmarked: NSPredicate { NSPredicate(format: "%K == NULL", dateAttribute) }
    }

    /// The result of a run.
    ///
    /// Parhelion's addition.
    public struct Outcome: Hashable, Sendable {
      /// Objects that were marked as losers.
      public internal(set) var marked: Set<NSManagedObjectID> = []
      /// Losers with related objects that moved to the winner.
      public internal(set) var moved: Set<NSManagedObjectID> = []
      /// Losers that became the winner, because the winner was deleted.
      public internal(set) var revived: Set<NSManagedObjectID> = []
      /// Losers that were deleted.
      public internal(set) var removed: Set<NSManagedObjectID> = []
      /// The number of marked objects that wait for an export or an import.
      public internal(set) var waitingCount = 0

      /// Whether nothing was changed.
      public var isEmpty: Bool {
        marked.isEmpty && moved.isEmpty && revived.isEmpty && removed.isEmpty
      }
    }

    /// The rules.
    public let rules: [Rule]
    private let container: NSPersistentCloudKitContainer

    /// Creates a deduplicator for the stores of a container.
    ///
    /// - Throws: An error that names the entity or attribute that does not fit its rule.
    public init(_ container: NSPersistentCloudKitContainer, rules: [Rule]) throws {
      for rule in rules { try rule.check(container.managedObjectModel) }
      (self.container, self.rules) = (container, rules)
    }

    /// Marks duplicates, moves their related objects to the winner, and deletes objects that were
    /// marked long enough ago.
    ///
    /// A run that finds nothing to do saves nothing.
    @discardableResult
    public func run() async throws -> Outcome {
      var outcome = Outcome()
      for engine in container.mirroring.engines where engine.mirror.scope == .private {
        for rule in rules { outcome.add(try await run(rule, engine)) }
      }
      return outcome
    }

    private func run(_ rule: Rule, _ engine: MirrorEngine) async throws -> Outcome {
      var attempt = 1
      while true {
        do {
          return try await container.performBackgroundTask { context in
            let pass = DeduplicationPass(rule: rule, engine: engine, context: context)
            let outcome = try pass.run()
            if context.hasChanges { try context.save() }
            return outcome
          }
        } catch let error as NSError
          where error.code == NSManagedObjectMergeError && attempt < Self.attempts
        {
          // An import changed the objects meanwhile.
          attempt += 1
        }
      }
    }

    private static let attempts = 5
  }
}

extension NSPersistentCloudKitContainer.Deduplicator.Outcome {
  fileprivate mutating func add(_ other: Self) {
    marked.formUnion(other.marked)
    moved.formUnion(other.moved)
    revived.formUnion(other.revived)
    removed.formUnion(other.removed)
    waitingCount += other.waitingCount
  }
}

extension NSPersistentCloudKitContainer.Deduplicator.Rule {
  fileprivate func check(_ model: NSManagedObjectModel) throws {
    guard let entity = model.entitiesByName[entityName] else {
      throw failure("The model has no entity \(entityName).")
    }
    guard !uniqueAttributes.isEmpty else {
      throw failure("The rule of \(entityName) names no unique attribute.")
    }
    for name in uniqueAttributes where entity.attributesByName[name] == nil {
      throw failure("The entity \(entityName) has no attribute \(name).")
    }
    let order = entity.attributesByName[orderAttribute]?.attributeType
    guard let order, [.UUIDAttributeType, .stringAttributeType].contains(order) else {
      throw failure("\(entityName) needs an attribute \(orderAttribute) of a UUID or a string.")
    }
    let date = entity.attributesByName[dateAttribute]
    guard date?.attributeType == .dateAttributeType, date?.isOptional == true else {
      throw failure("\(entityName) needs an optional attribute \(dateAttribute) of a date.")
    }
  }

  private func failure(_ message: String) -> NSError {
    MirrorError(.unexpected, message, remedy: "Correct the rule, or the model.").sharing
  }
}

/// One pass over the objects of an entity in one store.
private struct DeduplicationPass {
  typealias Outcome = NSPersistentCloudKitContainer.Deduplicator.Outcome
  typealias Plan = DeduplicationPlan<NSManagedObjectID>

  let rule: NSPersistentCloudKitContainer.Deduplicator.Rule
  let engine: MirrorEngine
  let context: NSManagedObjectContext

  /// The zone and the values that duplicates share.
  private struct Identity: Hashable {
    let zone: String
    let values: [AnyHashable]
  }

  func run() throws -> Outcome {
    var outcome = Outcome()
    let state = engine.state
    let settled = state.lastExportDate.flatMap { export in
      state.lastImportDate.map { min($0, export) }
    }
    for members in try groups().values {
      guard members.count > 1 || mark(of: members[0]) != nil else { continue }
      try apply(members, settled, &outcome)
    }
    return outcome
  }

  /// Returns the objects, grouped by zone and shared values.
  private func groups() throws -> [Identity: [NSManagedObject]] {
    let request = NSFetchRequest<NSManagedObject>(entityName: rule.entityName)
    request.returnsObjectsAsFaults = false
    request.affectedStores = context.persistentStoreCoordinator?.persistentStores.filter {
      $0.identifier == engine.mirror.storeIdentifier
    }
    let objects = try context.fetch(request)
    let rows = try engine.ledger.records(of: objects.map(\.objectID.rowKey))
    var groups: [Identity: [NSManagedObject]] = [:]
    for object in objects {
      // An object without a record is grouped once it has one.
      guard let zone = rows[object.objectID.rowKey]?.identifier.zone, order(of: object) != nil
      else { continue }
      let values = rule.uniqueAttributes.compactMap { object.value(forKey: $0) as? AnyHashable }
      guard values.count == rule.uniqueAttributes.count else { continue }
      groups[Identity(zone: zone.zoneName, values: values), default: []].append(object)
    }
    return groups
  }

  private func order(of object: NSManagedObject) -> String? {
    let value = object.value(forKey: rule.orderAttribute)
    return (value as? UUID)?.uuidString ?? value as? String
  }

  private func mark(of object: NSManagedObject) -> Date? {
    object.value(forKey: rule.dateAttribute) as? Date
  }

  private func apply(_ members: [NSManagedObject], _ settled: Date?, _ outcome: inout Outcome)
    throws
  {
    let objects = Dictionary(uniqueKeysWithValues: members.map { ($0.objectID, $0) })
    let candidate = members.filter { mark(of: $0) == nil }.min {
      order(of: $0) ?? "" < order(of: $1) ?? ""
    }
    let plan = Plan(
      try members.map { object in
        Plan.Member(
          id: object.objectID, order: order(of: object) ?? "", mark: mark(of: object),
          isRelated: !relationships(of: object, apartFrom: candidate).isEmpty,
          isDurable: try engine.isDurable(object.objectID))
      }, settled: settled)
    if let revived = plan.revived { objects[revived]?.setValue(nil, forKey: rule.dateAttribute) }
    for loser in plan.marked {
      objects[loser]?.setValue(engine.mirror.now, forKey: rule.dateAttribute)
    }
    if let winner = plan.winner.flatMap({ objects[$0] }) {
      for loser in plan.moved.compactMap({ objects[$0] }) { move(from: loser, to: winner) }
    }
    for loser in plan.removed.compactMap({ objects[$0] }) { context.delete(loser) }
    outcome.marked.formUnion(plan.marked)
    outcome.moved.formUnion(plan.moved)
    outcome.removed.formUnion(plan.removed)
    if let revived = plan.revived { outcome.revived.insert(revived) }
    let losers = members.filter { mark(of: $0) != nil }.count
    outcome.waitingCount += losers - plan.removed.count
  }

  // MARK: Relationships

  /// Returns the loser's relationships whose related objects must move to the winner.
  private func relationships(of loser: NSManagedObject, apartFrom winner: NSManagedObject?)
    -> [NSRelationshipDescription]
  {
    guard loser !== winner else { return [] }
    return loser.entity.relationshipsByName.values.filter { relationship in
      let name = relationship.name
      if relationship.isToMany {
        return targets(of: loser, relationship).contains { $0 !== winner && $0 !== loser }
      }
      guard let target = loser.value(forKey: name) as? NSManagedObject else { return false }
      return target !== winner && target !== loser && winner?.value(forKey: name) == nil
    }.sorted { $0.name < $1.name }
  }

  private func targets(of object: NSManagedObject, _ relationship: NSRelationshipDescription)
    -> [NSManagedObject]
  {
    if relationship.isOrdered {
      return object.mutableOrderedSetValue(forKey: relationship.name).array as? [NSManagedObject]
        ?? []
    }
    return Array(object.value(forKey: relationship.name) as? Set<NSManagedObject> ?? [])
  }

  private func move(from loser: NSManagedObject, to winner: NSManagedObject) {
    for relationship in relationships(of: loser, apartFrom: winner) {
      let name = relationship.name
      guard relationship.isToMany else {
        let target = loser.value(forKey: name)
        loser.setValue(nil, forKey: name)
        winner.setValue(target, forKey: name)
        continue
      }
      for target in targets(of: loser, relationship) where target !== winner && target !== loser {
        if relationship.isOrdered {
          loser.mutableOrderedSetValue(forKey: name).remove(target)
          winner.mutableOrderedSetValue(forKey: name).add(target)
        } else {
          loser.mutableSetValue(forKey: name).remove(target)
          winner.mutableSetValue(forKey: name).add(target)
        }
      }
    }
  }
}

extension MirrorEngine {
  fileprivate func isDurable(_ objectID: NSManagedObjectID) throws -> Bool {
    if case .durable = try ledger.syncProgress(of: objectID.rowKey) { return true }
    return false
  }
}
