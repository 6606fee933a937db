import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import TestSupport
import Testing

/// Apple's stores through coordinators and contexts, compared with plain SQL.
@Suite(.requiresFixtures) struct `Apple's stores in contexts` {
  private func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func objects(
    _ entity: NSEntityDescription, _ context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
    request.includesSubentities = false
    return try context.fetch(request)
  }

  private func key(_ object: NSManagedObject) -> Int64? {
    Int64(object.objectID.uriRepresentation().lastPathComponent.dropFirst())
  }

  // MARK: Reading

  @Test func `All of Apple's stores are present`() {
    #expect(AppleStore.all.count >= 18)
    #expect(AppleStore.withoutModel.isSubset(of: Set(AppleStore.all.map(\.name))))
  }

  @Test(arguments: AppleStore.withModel)
  func `Objects, values and relationships agree with SQL`(store: AppleStore) throws {
    try store.withCopy { url in
      let plain = try PlainStore(url)
      let coordinator = try store.coordinator(url, options: [NSReadOnlyPersistentStoreOption: true])
      let context = context(coordinator)
      try context.performAndWait { () throws in
        for entity in coordinator.managedObjectModel.entities {
          let rows = try plain.rows(of: entity)
          let found = try objects(entity, context)
          #expect(
            Set(found.compactMap(key)) == Set(rows.keys) && found.count == rows.count,
            "\(entity.name ?? "")")
          for object in found {
            guard let key = key(object), let row = rows[key] else { continue }
            try compare(object, row, plain)
          }
        }
      }
    }
  }

  private func compare(
    _ object: NSManagedObject, _ row: [String: SQLiteDriver.Value], _ plain: PlainStore
  ) throws {
    let table = plain.table(of: object.entity)
    for property in object.entity.properties where !property.isTransient {
      let place: Comment = "\(object.objectID) \(property.name)"
      switch property {
      case let attribute as NSAttributeDescription:
        // A transformed value needs the application's own classes.
        guard attribute.attributeType != .transformableAttributeType else { continue }
        let value = object.value(forKey: attribute.name)
        let stored = plain.candidates(attribute.name, in: table).compactMap { row[$0] }
        #expect(stored.contains { isEqual(value, $0, attribute) }, place)
      case let relationship as NSRelationshipDescription where !relationship.isToMany:
        let target = (object.value(forKey: relationship.name) as? NSManagedObject).flatMap(key)
        let stored = plain.candidates(relationship.name, in: table).compactMap { row[$0] }
        #expect(stored.contains(target.map(SQLiteDriver.Value.integer) ?? .null), place)
      case let relationship as NSRelationshipDescription:
        try compare(object, relationship, plain, place)
      default: break
      }
    }
  }

  private func isEqual(
    _ value: Any?, _ stored: SQLiteDriver.Value, _ attribute: NSAttributeDescription
  ) -> Bool {
    switch (value, stored) {
    case (nil, .null): true
    case (let text as String, .text(let stored)): text == stored
    case (let url as URL, .text(let stored)): url.absoluteString == stored
    case (let uuid as UUID, .blob(let bytes)): withUnsafeBytes(of: uuid.uuid) { Array($0) } == bytes
    case (let data as Data, .blob(let bytes)):
      Array(data) == (attribute.allowsExternalBinaryDataStorage ? Array(bytes.dropFirst()) : bytes)
    case (let date as Date, .real(let seconds)): date.timeIntervalSinceReferenceDate == seconds
    case (let date as Date, .integer(let seconds)):
      date.timeIntervalSinceReferenceDate == Double(seconds)
    case (let number as NSDecimalNumber, .real(let stored)): Double(number.stringValue) == stored
    case (let number as NSNumber, .integer(let stored)): number.int64Value == stored
    case (let number as NSNumber, .real(let stored)):
      attribute.attributeType == .floatAttributeType
        ? number.floatValue == Float(stored) : number.doubleValue == stored
    default: false
    }
  }

  /// Compares a to-many relationship with the other side's columns or the join table's pairs.
  private func compare(
    _ object: NSManagedObject, _ relationship: NSRelationshipDescription, _ plain: PlainStore,
    _ place: Comment
  ) throws {
    let value = object.value(forKey: relationship.name)
    let members = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
    let keys = members.compactMap { ($0 as? NSManagedObject).flatMap(key) }
    #expect(keys.count == members.count, place)
    guard let owner = key(object), let inverse = relationship.inverseRelationship,
      let destination = relationship.destinationEntity
    else { return }
    let stored: [[SQLiteDriver.Value]]
    if inverse.isToMany {
      guard let join = plain.joinTable(relationship) else { return }
      stored = try plain.connection.rows(
        "SELECT \(join.member) FROM \(join.table) WHERE \(join.owner) = \(owner)")
    } else {
      let table = plain.table(of: destination)
      let columns = plain.candidates(inverse.name, in: table)
      guard columns.count == 1 else { return }
      stored = try plain.connection.rows("SELECT Z_PK FROM \(table) WHERE \(columns[0]) = \(owner)")
    }
    #expect(Set(stored.map { $0[0] }) == Set(keys.map(SQLiteDriver.Value.integer)), place)
  }

  // MARK: Writing

  @Test(arguments: AppleStore.withModel)
  func `Changing and saving keeps all other rows`(store: AppleStore) throws {
    try store.withCopy { url in
      let before = try PlainStore(url).contents()
      var changed: [String: Set<Int64>] = [:]
      do {
        let coordinator = try store.coordinator(url)
        let context = context(coordinator)
        try context.performAndWait { () throws in
          for entity in coordinator.managedObjectModel.entities {
            // A required transient property may exist only in the application's class.
            let object = try objects(entity, context).first { touch($0) && isValid($0, context) }
            guard let object, let key = key(object) else { continue }
            changed[try PlainStore(url).table(of: entity), default: []].insert(key)
          }
          try context.save()
        }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
      }
      let after = try PlainStore(url).contents()
      #expect(after.schema == before.schema)
      #expect(try Connection(.file(url.path)).issues(.full) == [])
      for (table, rows) in before.rows
      where !["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(table) {
        if table == "Z_PRIMARYKEY" {
          let isOwn = { (row: [SQLiteDriver.Value]) in ![16_001, 16_002, 16_003].contains(row[0]) }
          #expect(after.rows[table]?.filter(isOwn) == rows.filter(isOwn))
          continue
        }
        let isChanged = { (row: [SQLiteDriver.Value]) in
          (changed[table] ?? []).contains { row[0] == .integer($0) }
        }
        #expect(
          after.rows[table]?.filter { !isChanged($0) } == rows.filter { !isChanged($0) }, "\(table)"
        )
        #expect(after.rows[table]?.count == rows.count)
      }
      try check(changed, store, url)
    }
  }

  private func isValid(_ object: NSManagedObject, _ context: NSManagedObjectContext) -> Bool {
    if (try? object.validateForUpdate()) != nil { return true }
    context.refresh(object, mergeChanges: false)
    return false
  }

  private static let note = "changed by a test"

  /// Changes an attribute that has no rules.
  ///
  /// Returns false if there is none.
  private func touch(_ object: NSManagedObject) -> Bool {
    let unique = Set(object.entity.uniquenessConstraints.flatMap { $0 }.map { "\($0)" })
    let free = object.entity.attributesByName.values.sorted { $0.name < $1.name }.first {
      attribute in
      attribute.attributeType == .stringAttributeType && !attribute.isTransient
        && !unique.contains(attribute.name)
        && attribute.validationPredicates.isEmpty && !(attribute is NSDerivedAttributeDescription)
    }
    guard let free else { return false }
    object.setValue(Self.note, forKey: free.name)
    return true
  }

  /// Expects another coordinator to find the changes.
  private func check(_ changed: [String: Set<Int64>], _ store: AppleStore, _ url: URL) throws {
    let coordinator = try store.coordinator(url)
    let context = context(coordinator)
    let plain = try PlainStore(url)
    try context.performAndWait { () throws in
      var found: [String: Set<Int64>] = [:]
      for entity in coordinator.managedObjectModel.entities {
        for object in try objects(entity, context) {
          let texts = object.entity.attributesByName.values.filter {
            $0.attributeType == .stringAttributeType
          }
          let values = texts.map { object.value(forKey: $0.name) as? String }
          if values.contains(Self.note), let key = key(object) {
            found[plain.table(of: entity), default: []].insert(key)
          }
        }
      }
      #expect(found == changed)
    }
  }
}
