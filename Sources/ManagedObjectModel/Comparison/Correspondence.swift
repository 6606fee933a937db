/// The items of two models that correspond, found by names and renaming identifiers.
package struct Correspondence<Item: AnyObject> {
  package private(set) var pairs: [(source: Item, destination: Item)] = []
  package private(set) var removed: [Item] = []
  package private(set) var added: [Item] = []
  private var sources: [ObjectIdentifier: Item] = [:]

  /// The item of the older model that corresponds to an item of the newer one.
  package func source(of destination: Item) -> Item? { sources[ObjectIdentifier(destination)] }

  /// Pairs the items.
  ///
  /// Items that keep their names are paired first, then items with a renaming identifier. The
  /// identifier is the item's name in the older model, or an identifier that both models share,
  /// which also works across skipped versions. Last, items with unmatched identifiers are paired by
  /// their names.
  package init(
    from older: [Item], to newer: [Item], name: @escaping (Item) -> String,
    identifier stored: @escaping (Item) -> String?
  ) {
    // Compiled models have an identifier for everything; one that equals the name has no meaning.
    let identifier = { (item: Item) in stored(item) == name(item) ? nil : stored(item) }
    let byName = Dictionary(older.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
    let byIdentifier = Dictionary(
      older.compactMap { item in identifier(item).map { ($0, item) } },
      uniquingKeysWith: { first, _ in first })
    var claimed: Set<ObjectIdentifier> = []
    let rules: [(Item) -> Item?] = [
      { identifier($0) == nil ? byName[name($0)] : nil },
      { identifier($0).flatMap { byName[$0] } },
      { byIdentifier[identifier($0) ?? name($0)] },
      { byName[name($0)] },
    ]
    for rule in rules {
      for item in newer where sources[ObjectIdentifier(item)] == nil {
        guard let source = rule(item), claimed.insert(ObjectIdentifier(source)).inserted else {
          continue
        }
        sources[ObjectIdentifier(item)] = source
      }
    }
    for item in newer {
      if let source = sources[ObjectIdentifier(item)] {
        pairs.append((source, item))
      } else {
        added.append(item)
      }
    }
    removed = older.filter { !claimed.contains(ObjectIdentifier($0)) }
  }
}
