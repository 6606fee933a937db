import ManagedObjects

/// Saves of many objects at once.
extension Change {
  /// Inserts notes: fewer than fit into one request, as many, or more.
  func addMany(_ context: NSManagedObjectContext) -> [Effect] {
    let sizes = SimulationLimits.groupSizes
    let count = sizes[picks[0] % sizes.count]
    return (0..<count).map { insert("Note", context, SavedGroup.suffix($0, of: count)) }
  }

  /// All notes of one large save.
  ///
  /// A partially imported group is not a candidate, because changing a part of it leaves the rest.
  func many(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    let notes = try all("Note", context).filter { SavedGroup.place(of: $0.key) != nil }
    let groups = Dictionary(grouping: notes) { SavedGroup.place(of: $0.key)?.name ?? "" }
    let names = groups.filter { _, notes in
      notes.allSatisfy { SavedGroup.place(of: $0.key)?.count == notes.count }
    }.keys.sorted()
    return names.isEmpty ? [] : groups[names[picks[0] % names.count], default: []]
  }

  /// The notes that were inserted in pairs.
  func pairs(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    try all("Note", context).filter { SavedGroup.place(of: $0.key) == nil }
  }
}
