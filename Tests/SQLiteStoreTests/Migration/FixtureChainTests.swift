import Foundation
import ManagedObjectModel
import ModelSource
import ObjectRows
import SQLiteDriver
import SQLiteStore
import TestSupport
import Testing

/// A model of the fixtures with several versions, in order.
struct FixtureChain: Sendable, CustomTestStringConvertible {
  let bundle: String
  let versions: [String]

  var testDescription: String { bundle }

  static let all = [
    FixtureChain(bundle: "BookMigration__Model", versions: ["Model1", "Model2", "Model3"]),
    FixtureChain(
      bundle: "BrowserServicesKit__BookmarksModel",
      versions: ["BookmarksModel"] + (2...6).map { "BookmarksModel \($0)" }),
    FixtureChain(
      bundle: "CareKit__CareKitStore", versions: ["CareKitStore2.0", "CareKitStore2.1"]),
    FixtureChain(
      bundle: "CoreDataPlus__SampleModel",
      versions: ["SampleModel", "SampleModel2", "SampleModel3"]
    ),
    FixtureChain(bundle: "LoopKit__Model", versions: ["Model", "Modelv4"]),
    FixtureChain(
      bundle: "ShoppingList14__ShoppingList",
      versions: ["ShoppingList", "ShoppingList 2", "ShoppingList 3"]),
    FixtureChain(bundle: "SwiftGen__Model", versions: ["Model", "Model 2"]),
    FixtureChain(
      bundle: "XCServerCoreData__XCServerCoreData",
      versions: ["", "1.1.0", "1.2.0", "2.0.0", "2.0.1", "2.0.2", "2.0.3"].map {
        "XCServerCoreData\($0)"
      }),
    FixtureChain(
      bundle: "objcio-core-data__Moody", versions: ["Moody"] + (2...6).map { "Moody \($0)" }),
    FixtureChain(
      bundle: "scout__ScoutModel", versions: ["ScoutModel"] + (2...4).map { "ScoutModel \($0)" }),
  ]
}

@Suite(.requiresFixtures) struct `Chains of fixture models` {
  /// The longest runs of versions between which every mapping can be inferred.
  private func runs(of chain: FixtureChain) throws -> [[NSManagedObjectModel]] {
    let models = try chain.versions.map { try FixtureStore.model(chain.bundle, $0) }
    var runs: [[NSManagedObjectModel]] = [[models[0]]]
    for model in models.dropFirst() {
      let run = runs[runs.count - 1]
      // If one version removes a property and a later one adds it again, only a stepwise migration
      // loses the values.
      let former = run.dropLast().reduce(into: Set<String>()) { $0.formUnion(names(in: $1)) }
      let returning = names(in: model).subtracting(names(in: run[run.count - 1]))
      let isInferred =
        former.isDisjoint(with: returning)
        && run.allSatisfy { ModelDifference(from: $0, to: model).nonLightweightChanges.isEmpty }
      if isInferred { runs[runs.count - 1].append(model) } else { runs.append([model]) }
    }
    return runs.filter { $0.count > 1 }
  }

  /// The names of entities and of their properties.
  private func names(in model: NSManagedObjectModel) -> Set<String> {
    Set(
      model.entities.flatMap { entity in
        let name = entity.name ?? ""
        return [name] + entity.properties.map { "\(name).\($0.name)" }
      })
  }

  @Test(arguments: FixtureChain.all)
  func `One step and many steps give the same data`(chain: FixtureChain) throws {
    for run in try runs(of: chain) {
      try withTemporaryDirectory { folder in
        let start = folder.appendingPathComponent("start.sqlite")
        try ChainStore.make(run[0], at: start)
        let dumps = try [Array(run.dropFirst()), [run[run.count - 1]]].enumerated().map {
          number, models in
          let url = folder.appendingPathComponent("copy\(number).sqlite")
          try StoreFiles.replace(at: url, with: start)
          for model in models { try ChainStore.migrate(url, to: model) }
          return try ChainStore.dump(url, of: run[run.count - 1])
        }
        #expect(!dumps[0].isEmpty)
        #expect(dumps[0] == dumps[1], "\(chain.bundle) \(chain.versions)")
      }
    }
  }
}

/// Stores of fixture models with invented rows.
private enum ChainStore {
  private static let rowsPerEntity = 6

  /// Creates a store with some rows of every entity, each value derived from its key and column.
  static func make(_ model: NSManagedObjectModel, at url: URL) throws {
    let opened = try StoreOpening(url: url, layouts: .of(model)).run()
    try opened.prepareForWriting()
    for table in opened.schema.tables {
      var key = 0
      for entity in table.entities where !entity.entity.isAbstract {
        for _ in 0..<rowsPerEntity {
          key += 1
          try opened.connection.execute(insertion(of: entity, key, opened.schema))
        }
      }
      try opened.connection.execute(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = \(key) WHERE Z_ENT = \(table.entities[0].rootNumber)")
    }
    for join in opened.schema.joinTables {
      try opened.connection.execute(pairs(of: join, opened.schema))
    }
    try opened.close()
  }

  private static func insertion(of entity: EntitySchema, _ key: Int, _ schema: StoreSchema)
    -> String
  {
    var values = [("Z_PK", "\(key)"), ("Z_ENT", "\(entity.number)"), ("Z_OPT", "1")]
    for (property, column) in zip(entity.layout.properties, entity.columns) {
      guard let column, !column.isComposite else { continue }
      if let attribute = property as? NSAttributeDescription {
        guard !(attribute is NSDerivedAttributeDescription) else { continue }
        values.append((column.name, value(of: attribute, column, key)))
      } else if let relationship = property as? NSRelationshipDescription {
        values += self.values(of: relationship, column, key, schema)
      }
    }
    let names = values.map(\.0).joined(separator: ", ")
    return
      "INSERT INTO \(entity.table) (\(names)) VALUES (\(values.map(\.1).joined(separator: ", ")))"
  }

  private static func value(
    of attribute: NSAttributeDescription, _ column: PropertyColumn, _ key: Int
  ) -> String {
    switch column.kind {
    case .integer: return attribute.attributeType == .booleanAttributeType ? "\(key % 2)" : "\(key)"
    case .float, .timestamp, .decimal: return "\(key).5"
    case .varchar: return "'\(column.name) \(key)'"
    case .blob:
      if attribute.attributeType == .UUIDAttributeType {
        return "x'\(String(repeating: "0", count: 30))\(10 + key)'"
      }
      return attribute.allowsExternalBinaryDataStorage ? "x'01\(10 + key)'" : "x'\(10 + key)'"
    }
  }

  private static func values(
    of relationship: NSRelationshipDescription, _ column: PropertyColumn, _ key: Int,
    _ schema: StoreSchema
  ) -> [(String, String)] {
    guard let target = target(of: relationship, key, schema) else { return [] }
    var values = [(column.name, "\(target.key)")]
    if let entity = column.entityColumn { values.append((entity, "\(target.number)")) }
    if let order = column.orderColumn { values.append((order, "\(1024 * key)")) }
    return values
  }

  /// A row of a relationship's destination, which the owner's key determines.
  private static func target(
    of relationship: NSRelationshipDescription, _ key: Int, _ schema: StoreSchema
  ) -> (key: Int, number: Int)? {
    guard let name = relationship.destinationEntity?.name, let entity = schema.entity(named: name),
      let table = schema.tables.first(where: { $0.name == entity.table })
    else { return nil }
    let concrete = table.entities.filter { !$0.entity.isAbstract }
    guard let place = concrete.firstIndex(where: { entity.subtreeNumbers.contains($0.number) })
    else { return nil }
    return (place * rowsPerEntity + 1 + key % rowsPerEntity, concrete[place].number)
  }

  private static func pairs(of join: JoinTable, _ schema: StoreSchema) -> String {
    guard let owner = schema.entity(number: join.number) else { return "" }
    let back = NSRelationshipDescription()
    back.destinationEntity = owner.entity
    let rows = (0..<rowsPerEntity).compactMap { number -> String? in
      guard let first = target(of: back, number, schema),
        let second = target(of: join.relationship, number + 1, schema)
      else { return nil }
      let orders = join.columns.dropFirst(2).map { _ in ", \(2048 + number)" }.joined()
      return "(\(first.key), \(second.key)\(orders))"
    }
    guard !rows.isEmpty else { return "" }
    return "INSERT OR IGNORE INTO \(join.name) VALUES \(rows.joined(separator: ", "))"
  }

  static func migrate(_ url: URL, to model: NSManagedObjectModel) throws {
    var options = StoreOptions()
    options.migratesAutomatically = true
    options.infersMapping = true
    let opened = try StoreOpening(url: url, layouts: .of(model), options: options).run()
    #expect(opened.metadata.versionHashes == model.entityVersionHashesByName)
    #expect(try opened.connection.issues(.full) == [])
    try opened.close()
  }

  /// Every row of every table, with its columns in the order of their names.
  static func dump(_ url: URL, of model: NSManagedObjectModel) throws -> [String: [[Value]]] {
    let opened = try StoreOpening(url: url, layouts: .of(model)).run()
    var dump: [String: [[Value]]] = [:]
    for table in opened.schema.tables {
      let columns = (["Z_PK", "Z_ENT"] + table.columns.map(\.name).sorted()).joined(separator: ", ")
      dump[table.name] = try opened.connection.rows(
        "SELECT \(columns) FROM \(table.name) ORDER BY Z_PK")
      for join in table.joinTables {
        let columns = join.columns.joined(separator: ", ")
        dump[join.name] = try opened.connection.rows(
          "SELECT \(columns) FROM \(join.name) ORDER BY 1, 2")
      }
    }
    try opened.close()
    return dump.filter { !$0.value.isEmpty }
  }
}
