import ManagedObjectModel
import ObjectRows

/// The order in which the entities of a store are copied.
enum CopyOrder {
  /// The layouts, with the destinations of to-one relationships before their sources.
  ///
  /// In a cycle of entities, one comes first; its references are completed later.
  static func of(_ layouts: [RowLayout], among all: ModelLayouts) -> [RowLayout] {
    let included = Set(layouts.map(\.index))
    var visited = Set<Int>()
    var ordered: [RowLayout] = []
    func visit(_ layout: RowLayout) {
      guard included.contains(layout.index), visited.insert(layout.index).inserted else { return }
      for case let relationship as NSRelationshipDescription in layout.properties
      where !relationship.isToMany {
        guard let destination = relationship.destinationEntity, let first = all[destination] else {
          continue
        }
        for index in all.family(of: first) { visit(all.layouts[index]) }
      }
      ordered.append(layout)
    }
    for layout in layouts { visit(layout) }
    return ordered
  }
}
