import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

private typealias NSExpression = PredicateLanguage.NSExpression

/// Fetches from stores that Apple's framework wrote.
@Suite(.requiresFixtures) struct `Fetches from Apple's stores` {
  /// An open store file for fetches.
  private struct Opened {
    let connection: Connection
    let schema: StoreSchema
    let translator: FetchTranslator

    init(_ store: FixtureStore, _ connection: Connection) throws {
      self.connection = connection
      try connection.registerFetchFunctions()
      schema = try StoreSchema(layouts: .of(store.model()), configuration: nil).matched(
        to: connection, at: .memory)
      translator = FetchTranslator(schema: schema)
    }

    func fetch(_ entity: EntitySchema, _ predicate: NSPredicate? = nil) -> RowFetch {
      var specification = FetchSpecification()
      specification.predicate = predicate
      return RowFetch(layout: entity.layout, specification: specification)
    }

    func count(_ entity: EntitySchema, _ format: String) throws -> Int {
      var statement = try connection.prepare(
        translator.count(fetch(entity, NSPredicate(format: format))))
      return try statement.step() ? Int(statement.row.int64(at: 0)) : 0
    }

    /// The total count of a relationship's members over all rows of an entity.
    func members(_ entity: EntitySchema, _ relationship: String) throws -> Int {
      let sum = NSExpressionDescription()
      sum.name = "members"
      sum.expression = NSExpression(format: "sum:(\(relationship).@count)")
      var fetch = fetch(entity)
      fetch.specification.propertiesToFetch = [sum]
      let translated = try translator.dictionaries(fetch)
      let reader = DictionaryReader(columns: translated.columns, schema: schema)
      var statement = try connection.prepare(translated.statement)
      guard try statement.step() else { return 0 }
      return reader.dictionary(from: statement.row)["members"] as? Int ?? 0
    }
  }

  private func visit(_ store: FixtureStore, _ body: (Opened, EntitySchema) throws -> Void) throws {
    try store.withConnection { connection in
      let opened = try Opened(store, connection)
      for entity in opened.schema.entities { try body(opened, entity) }
    }
  }

  @Test(arguments: FixtureStore.withModel)
  func `Every row is found once, with or without each value`(store: FixtureStore) throws {
    try visit(store) { opened, entity in
      let all = try opened.count(entity, "TRUEPREDICATE")
      #expect(
        try opened.connection.value("SELECT COUNT(*) FROM \(entity.table)") != .integer(0)
          || all == 0)
      for (ordinal, property) in entity.layout.properties.enumerated() {
        guard let column = entity.columns[ordinal], !column.isComposite else { continue }
        let name = "#" + property.name
        let present = try opened.count(entity, "\(name) != nil")
        #expect(
          try present + opened.count(entity, "\(name) == nil") == all,
          "\(entity.name).\(property.name)")
        guard (property as? NSAttributeDescription)?.allowsExternalBinaryDataStorage != true else {
          continue
        }
        #expect(
          try opened.count(entity, "\(name) == \(name)") == present,
          "\(entity.name).\(property.name)")
      }
    }
  }

  @Test(arguments: FixtureStore.withModel)
  func `A relationship has as many members as its inverse`(store: FixtureStore) throws {
    try visit(store) { opened, entity in
      for (ordinal, property) in entity.layout.properties.enumerated() {
        guard entity.toMany[ordinal] != nil,
          let relationship = property as? NSRelationshipDescription,
          relationship.entity === entity.entity, let inverse = relationship.inverseRelationship,
          let destination = relationship.destinationEntity?.name.flatMap({
            opened.schema.entity(named: $0)
          })
        else { continue }
        let members = try opened.members(entity, relationship.name)
        let back =
          inverse.isToMany
          ? try opened.members(destination, inverse.name)
          : try opened.count(destination, "#\(inverse.name) != nil")
        #expect(members == back, "\(entity.name).\(relationship.name)")
        #expect(
          try opened.count(entity, "#\(relationship.name).@count > 0")
            == opened.count(entity, "ANY #\(relationship.name) != nil"),
          "\(entity.name).\(relationship.name)")
      }
    }
  }

  @Test(arguments: FixtureStore.withModel)
  func `Every relationship is followed, and every attribute sorts`(store: FixtureStore) throws {
    try visit(store) { opened, entity in
      for property in entity.layout.properties where !property.isTransient {
        var fetch = opened.fetch(entity)
        if let attribute = property as? NSAttributeDescription {
          guard
            ![.transformableAttributeType, .compositeAttributeType].contains(
              attribute.attributeType),
            !attribute.allowsExternalBinaryDataStorage
          else { continue }
          fetch.specification.sortDescriptors = [
            NSSortDescriptor(key: property.name, ascending: true)
          ]
        } else if let relationship = property as? NSRelationshipDescription, !relationship.isToMany,
          let first = relationship.destinationEntity?.attributesByName.values
            .filter({ !$0.isTransient }).map(\.name).min()
        {
          fetch.specification.predicate = NSPredicate(
            format: "#\(relationship.name).#\(first) != nil")
        }
        var statement = try opened.connection.prepare(opened.translator.keys(fetch))
        while try statement.step() {}
      }
    }
  }
}
