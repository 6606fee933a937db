import Foundation
import ManagedObjectModel
import ManagedObjects
import ObjectRows
import PredicateLanguage
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// Deletions whose cascades have several levels and cycles.
@Suite struct `A batch deletion with cascades` {
  /// Nodes with children and a next node, both deleted with them, and leaves with tags.
  ///
  /// ```
  /// Node ─children▶ Node (cascade)   Node ─next▶ Node (cascade)   Node ─leaves▶ Leaf (cascade)
  /// Leaf ─tags▶ Tag (nullify, many to many)   Leaf ─label▶ Label (cascade)
  /// ```
  private static func model() -> NSManagedObjectModel {
    func entity(_ name: String) -> NSEntityDescription {
      MigrationModels.entity(name, [MigrationModels.attribute("name")])
    }
    let (node, leaf, tag, label) = (entity("Node"), entity("Leaf"), entity("Tag"), entity("Label"))
    let inner = entity("Inner")
    inner.properties = []
    node.subentities = [inner]
    func relate(
      _ one: NSEntityDescription, _ name: String, _ count: Int, _ other: NSEntityDescription,
      _ inverse: String, _ inverseCount: Int, cascades: Bool = true
    ) {
      MigrationModels.relate(one, name, count, other, inverse, inverseCount) { there, back in
        there.deleteRule = cascades ? .cascadeDeleteRule : .nullifyDeleteRule
        back.deleteRule = .nullifyDeleteRule
      }
    }
    relate(node, "children", 0, node, "parent", 1)
    relate(node, "next", 1, node, "previous", 1)
    relate(node, "leaves", 0, leaf, "node", 1)
    relate(leaf, "label", 1, label, "leaf", 1)
    relate(leaf, "tags", 0, tag, "leaves", 0, cascades: false)
    return MigrationModels.model([node, inner, leaf, tag, label])
  }

  /// Fills a store with a random graph, which is the same for the same seed.
  private static func fill(_ house: Warehouse, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let tags = (0..<3).map { house.add("Tag", ["name": "t\($0)"]) }
    let nodes = (0..<20).map { number in
      house.add(Bool.random(using: &random) ? "Node" : "Inner", ["name": "n\(number)"])
    }
    for node in nodes {
      // Parents and successors may form cycles.
      if Int.random(in: 0..<3, using: &random) > 0 {
        node.setValue(nodes.randomElement(using: &random), forKey: "parent")
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        node.setValue(nodes.randomElement(using: &random), forKey: "next")
      }
    }
    for number in 0..<12 {
      let leaf = house.add("Leaf", ["name": "l\(number)"])
      leaf.setValue(nodes.randomElement(using: &random), forKey: "node")
      leaf.setValue(
        NSSet(array: tags.filter { _ in Bool.random(using: &random) }), forKey: "tags")
      if Bool.random(using: &random) {
        leaf.setValue(house.add("Label", ["name": "x\(number)"]), forKey: "label")
      }
    }
    try house.context.save()
  }

  /// The remaining objects, with their relationships.
  private static func remains(_ house: Warehouse) throws -> StoreText {
    let context = house.otherContext()
    return try withExtendedLifetime(context) {
      try StoreText(context) { $0.value(forKey: "name") as? String ?? "" }
    }
  }

  @Test(arguments: 1...15)
  func `A batch deletion deletes what a context deletes, and records it once`(seed: UInt64) throws {
    try withTemporaryDirectory { folder in
      let houses = try ["batch", "context"].map { name in
        let own = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        let house = try Warehouse(in: own, model: Self.model())
        try Self.fill(house, seed: seed)
        return house
      }
      let format = "name IN {'n0', 'n1', 'n2'}"
      let token = houses[0].token
      let deleted = try houses[0].delete("Node", format)
      let fetch = NSFetchRequest<NSManagedObject>(entityName: "Node")
      fetch.predicate = NSPredicate(format: format)
      try houses[1].context.fetch(fetch).forEach(houses[1].context.delete)
      try houses[1].context.save()
      #expect(try Self.remains(houses[0]) == Self.remains(houses[1]), "seed \(seed)")
      let history = try houses[0].history(after: token).filter { $0.hasPrefix("delete ") }
      #expect(history.count == deleted, "seed \(seed)")
      #expect(Set(history).count == history.count)
    }
  }

  @Test func `A batch deletion of objects in a cycle terminates`() throws {
    try withTemporaryDirectory { folder in
      let house = try Warehouse(in: folder, model: Self.model())
      let nodes = (0..<5).map { house.add("Node", ["name": "n\($0)"]) }
      for (index, node) in nodes.enumerated() {
        node.setValue(nodes[(index + 1) % 5], forKey: "parent")
        node.setValue(nodes[(index + 2) % 5], forKey: "next")
      }
      nodes[0].setValue(nodes[0], forKey: "parent")
      try house.context.save()
      #expect(try house.delete("Node", "name == 'n3'") == 5)
      #expect(try house.lines("Node", "name").isEmpty)
    }
  }
}

/// Batch requests of a process that is killed at any statement.
@Suite struct `A killed batch request` {
  enum Kind: String, CaseIterable { case insert, update, delete }

  private static func make(in folder: URL) throws {
    let house = try Warehouse(in: folder)
    let shelf = house.add("Shelf", ["name": "s"])
    for item in try house.addItems(4) { item.setValue(shelf, forKey: "shelf") }
    try house.context.save()
    try close(house)
  }

  private static func close(_ house: Warehouse) throws {
    for store in house.coordinator.persistentStores { try house.coordinator.remove(store) }
  }

  /// Runs a request, with a closure that is called at each of its statements.
  private static func run(
    _ kind: Kind, in folder: URL, _ observe: @escaping @Sendable () -> Void
  ) throws {
    let isOn = Mutex(false)
    var logging = StatementLogging()
    logging.observe = { _ in if isOn.withLock({ $0 }) { observe() } }
    let house = try StatementLogging.$current.withValue(logging) { try Warehouse(in: folder) }
    isOn.withLock { $0 = true }
    switch kind {
    case .insert:
      try house.insert("Item", (5...7).map { ["code": "c\($0)", "title": "t\($0)", "count": $0] })
    case .update: try house.update("Item", "count > 1", ["title": "new"])
    case .delete: try house.delete("Shelf")
    }
    isOn.withLock { $0 = false }
    try close(house)
  }

  /// Whether the rows and the history, which must agree, show the request.
  private static func isDone(_ kind: Kind, in folder: URL) throws -> Bool {
    let house = try Warehouse(in: folder)
    defer { try? close(house) }
    let titles = try house.lines("Item", "title")
    let (before, after) =
      switch kind {
      case .insert: (["t1", "t2", "t3", "t4"], ["t1", "t2", "t3", "t4", "t5", "t6", "t7"])
      case .update: (["t1", "t2", "t3", "t4"], ["new", "new", "new", "t1"])
      case .delete: (["t1", "t2", "t3", "t4"], [])
      }
    let transactions = try house.rows("SELECT count(*) FROM ATRANSACTION")
    // Changes without a transaction would be a part of a request.
    #expect(
      try house.rows(
        "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)")
        == ["0"])
    let isDone = titles == after
    #expect(isDone || titles == before)
    #expect(transactions == [isDone ? "3" : "2"])
    return isDone
  }

  @Test(arguments: Kind.allCases)
  func `A killed batch request leaves rows and history that agree`(_ kind: Kind) async throws {
    let steps = Mutex(0)
    try withTemporaryDirectory { folder in
      try Self.make(in: folder)
      try Self.run(kind, in: folder) { steps.withLock { $0 += 1 } }
      #expect(try Self.isDone(kind, in: folder))
    }
    let count = steps.withLock { $0 }
    #expect(count > 3)
    for step in stride(from: 1, through: count, by: max(1, count / 8)) {
      try await withTemporaryDirectory { folder in
        try Self.make(in: folder)
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [path = folder.path as String, kind = kind.rawValue as String, step = step as Int] in
          let taken = Mutex(0)
          try Self.run(
            #require(Kind(rawValue: kind)), in: URL(fileURLWithPath: path)
          ) {
            let number = taken.withLock { taken in
              taken += 1
              return taken
            }
            if number == step { kill(getpid(), SIGKILL) }
          }
        }
        if try !Self.isDone(kind, in: folder) {
          // The request can be repeated.
          try Self.run(kind, in: folder) {}
          #expect(try Self.isDone(kind, in: folder))
        }
      }
    }
  }
}
