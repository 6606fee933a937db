/// The items of two models that correspond, found by names and renaming identifiers.
package struct Correspondence<Thing: AnyObject> {
  package private(set) var pairs: [(source: Thing, destination: Thing)] = []
  package private(set) var removed: [Thing] = []
  package private(set) var added: [Thing] = []
  private var sources: [ObjectIdentifier: Thing] = [:]

  /// The item of the older model that corresponds to an item of the newer one.
  package func source(of destination: Thing) -> Thing? { sources[ObjectIdentifier(destination)] }

  /// Pairs the items.
  ///
  /// An item that keeps its name comes first, then one that is explicitly renamed. The identifier
  /// is the item's name in the older model, or an identifier that both models share; the latter
  /// also works across skipped versions.
  package init(
    from older: [Thing], to newer: [Thing], name: @escaping (Thing) -> String,
    identifier stored: @escaping (Thing) -> String?
  ) {
    // Compiled models have an identifier for everything; one that equals the name has no meaning.
    let identifier = { (thing: Thing) in stored(thing) == name(thing) ? nil : stored(thing) }
    let byName = Dictionary(older.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
    let byIdentifier = Dictionary(
      older.compactMap { thing in identifier(thing).map { ($0, thing) } },
      uniquingKeysWith: { first, _ in first })
    var claimed: Set<ObjectIdentifier> = []
    let rules: [(Thing) -> Thing?] = [
      { identifier($0) == nil ? byName[name($0)] : nil },
      { identifier($0).flatMap { byName[$0] } },
      { byIdentifier[identifier($0) ?? name($0)] },
      { byName[name($0)] },
    ]
    for rule in rules {
      for thing in newer where sources[ObjectIdentifier(thing)] == nil {
        guard let source = rule(thing), claimed.insert(ObjectIdentifier(source)).inserted else {
          continue
        }
        sources[ObjectIdentifier(thing)] = source
      }
    }
    for thing in newer {
      if let source = sources[ObjectIdentifier(thing)] {
        pairs.append((source, thing))
      } else {
        added.append(thing)
      }
    }
    removed = older.filter { !claimed.contains(ObjectIdentifier($0)) }
  }
}
