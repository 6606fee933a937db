/// The source and destination objects that belong together, by the name of the entity mapping.
///
/// The objects of a list are in the order in which they were associated.
struct MigrationAssociations {
  private struct Pairs {
    /// The destination objects of each source object.
    var destinations: [ObjectIdentifier: [NSManagedObject]] = [:]
    /// The source objects of each destination object.
    var sources: [ObjectIdentifier: [NSManagedObject]] = [:]
    var allDestinations: [NSManagedObject] = []
    var allSources: [NSManagedObject] = []
  }

  private var pairs: [String: Pairs] = [:]
  /// The names of the mappings, in the order of their first association.
  private var names: [String] = []

  /// Associates two objects; does nothing if they are associated already.
  mutating func associate(
    _ source: NSManagedObject, with destination: NSManagedObject, in mapping: String
  ) {
    if pairs[mapping] == nil { names.append(mapping) }
    let (sourceKey, destinationKey) = (ObjectIdentifier(source), ObjectIdentifier(destination))
    let known = pairs[mapping]?.destinations[sourceKey] ?? []
    guard !known.contains(where: { $0 === destination }) else { return }
    if known.isEmpty { pairs[mapping, default: Pairs()].allSources.append(source) }
    if pairs[mapping]?.sources[destinationKey] == nil {
      pairs[mapping, default: Pairs()].allDestinations.append(destination)
    }
    pairs[mapping, default: Pairs()].destinations[sourceKey, default: []].append(destination)
    pairs[mapping, default: Pairs()].sources[destinationKey, default: []].append(source)
  }

  /// The destination objects of source objects in one mapping; of all source objects for nil.
  func destinations(of sources: [NSManagedObject]?, in mapping: String) -> [NSManagedObject] {
    guard let found = pairs[mapping] else { return [] }
    guard let sources else { return found.allDestinations }
    return unique(sources.flatMap { found.destinations[ObjectIdentifier($0)] ?? [] })
  }

  /// The source objects of destination objects in one mapping; of all of them for nil.
  func sources(of destinations: [NSManagedObject]?, in mapping: String) -> [NSManagedObject] {
    guard let found = pairs[mapping] else { return [] }
    guard let destinations else { return found.allSources }
    return unique(destinations.flatMap { found.sources[ObjectIdentifier($0)] ?? [] })
  }

  /// The destination objects of source objects in all mappings, in the order of the source objects.
  func destinations(ofEach sources: [NSManagedObject]) -> [NSManagedObject] {
    unique(
      sources.flatMap { source in
        names.flatMap { pairs[$0]?.destinations[ObjectIdentifier(source)] ?? [] }
      })
  }

  private func unique(_ objects: [NSManagedObject]) -> [NSManagedObject] {
    var known: Set<ObjectIdentifier> = []
    return objects.filter { known.insert(ObjectIdentifier($0)).inserted }
  }
}
