public import ObjectRows

/// The sections and objects of a fetched results controller at one time, by their identifiers.
///
/// Parhelion's addition.
public struct FetchedResultsSnapshot: Sendable, Equatable {
  /// A section.
  ///
  /// Parhelion's addition.
  public struct Section: Sendable, Equatable {
    /// The name of the section; empty if the controller has no sections.
    public let name: String
    /// The identifiers of the section's objects, in order.
    public let objectIDs: ArraySlice<NSManagedObjectID>
  }

  /// The identifiers of all objects, in order.
  public let objectIDs: [NSManagedObjectID]

  /// The sections, in order.
  public let sections: [Section]

  /// The identifiers of objects that were updated since the snapshot before, including moved ones.
  public let updatedObjectIDs: [NSManagedObjectID]

  init(
    _ objectIDs: [NSManagedObjectID], _ sections: SectionTable, updated: [NSManagedObjectID]
  ) {
    self.objectIDs = objectIDs
    self.sections = sections.names.indices.map {
      Section(name: sections.names[$0], objectIDs: objectIDs[sections.range(of: $0)])
    }
    updatedObjectIDs = updated
  }
}
