import ManagedObjectModel
import ObjectRows

/// The entities of a store: those of its configuration, numbered from the roots down.
///
/// Roots are sorted by name, case-insensitively, and so are the subentities of each entity. An
/// entity is a root if the configuration omits all its ancestors; its inherited properties then
/// count as its own.
struct EntityTree {
  struct Node {
    let layout: RowLayout
    let name: String
    let number: Int
    let parent: Int?
    let root: Int
    var children: [Int] = []
    /// The properties that the entity adds to those of its parent in the store, sorted by the bytes
    /// of their names.
    let ownProperties: [NSPropertyDescription]
  }

  /// The entities, each before its subentities.
  private(set) var nodes: [Node] = []
  private var nodesByLayout: [Int: Int] = [:]

  init(layouts: ModelLayouts, configuration: String?, basis: SchemaBasis) throws(StoreError) {
    let numbers = basis.numbers
    let members = try Self.members(of: layouts, configuration: configuration, basis)
    let memberEntities = Set(members.map { ObjectIdentifier($0.entity) })
    var children: [Int: [RowLayout]] = [:]
    for layout in members {
      let parent = layout.entity.lineage.dropFirst().first {
        memberEntities.contains(ObjectIdentifier($0))
      }
      children[parent.flatMap { layouts[$0]?.index } ?? -1, default: []].append(layout)
    }
    try add(children[-1] ?? [], below: nil, children, numbers)
  }

  private mutating func add(
    _ layouts: [RowLayout], below parent: Int?, _ children: [Int: [RowLayout]],
    _ numbers: [String: Int]
  ) throws(StoreError) {
    for layout in layouts.sorted(by: { precedesInStore($0.entity, $1.entity) }) {
      let index = nodes.count
      let name = try Self.checkedName(of: layout.entity)
      nodes.append(
        Node(
          layout: layout, name: name, number: numbers[name] ?? index + 1, parent: parent,
          root: parent.map { nodes[$0].root } ?? index,
          ownProperties: Self.ownProperties(
            of: layout.entity, below: parent.map { nodes[$0].layout.entity })))
      if let parent { nodes[parent].children.append(index) }
      nodesByLayout[layout.index] = index
      try add(children[layout.index] ?? [], below: index, children, numbers)
    }
  }

  /// The index of an entity's node, or nil if the configuration omits the entity.
  func node(of layout: RowLayout) -> Int? { nodesByLayout[layout.index] }

  var roots: [Int] { nodes.indices.filter { nodes[$0].parent == nil } }

  /// An entity and its descendants, each before its subentities.
  func subtree(of index: Int) -> [Int] { [index] + nodes[index].children.flatMap(subtree) }

  /// An entity and its ancestors in the store, from itself to its root.
  func line(of index: Int) -> [Int] { [index] + (nodes[index].parent.map(line) ?? []) }

  // MARK: Members

  private static func members(
    of layouts: ModelLayouts, configuration: String?, _ basis: SchemaBasis
  ) throws(StoreError) -> [RowLayout] {
    if let names = basis.members {
      return layouts.layouts.filter { names.contains($0.entity.name ?? "") }
    }
    guard let configuration, configuration != defaultConfiguration,
      let first = layouts.layouts.first
    else {
      return layouts.layouts
    }
    let model = first.entity.managedObjectModel
    guard let entities = model.entities(forConfigurationName: configuration) else {
      throw StoreError(
        .incompatibleSchema,
        "The model has no configuration named \(configuration). Its configurations are: \(model.configurations.joined(separator: ", ")).",
        context: ["configuration": configuration])
    }
    let members = Set(entities.compactMap { layouts[$0]?.index })
    return layouts.layouts.filter { members.contains($0.index) }
  }

  /// Core Data's internal name of the configuration with all entities.
  private static let defaultConfiguration = "PF_DEFAULT_CONFIGURATION_NAME"

  private static func ownProperties(
    of entity: NSEntityDescription, below parent: NSEntityDescription?
  ) -> [NSPropertyDescription] {
    entity.lineage.prefix { $0 !== parent }.flatMap(\.ownProperties)
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private static func checkedName(of entity: NSEntityDescription) throws(StoreError) -> String {
    let name = entity.name ?? ""
    guard isIdentifier(name) else {
      throw StoreError(
        .incompatibleSchema,
        "An entity is named “\(name)”, which cannot be the name of a table. Use letters, digits and underscores.",
        context: ["entity": name])
    }
    return name
  }
}

/// Whether a name needs no quotes in SQL: letters, digits, underscores, and everything outside
/// ASCII.
func isIdentifier(_ name: String) -> Bool {
  !name.isEmpty
    && name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...: true
      default: false
      }
    }
}
