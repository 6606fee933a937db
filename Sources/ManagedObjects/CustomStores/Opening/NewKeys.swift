import ManagedObjectModel
import ObjectRows

/// The keys of new objects, for which a class of the program chose the references.
struct NewKeys {
  private let keys: [RowKey]
  private let objects: ContiguousArray<NSManagedObject>
  private let identity: StoreIdentity

  init(
    _ keys: [RowKey], of objects: ContiguousArray<NSManagedObject>, in identity: StoreIdentity
  ) {
    (self.keys, self.objects, self.identity) = (keys, objects, identity)
  }

  /// - Throws: An error if another object has one of the keys, or an entity is wrong.
  func check(_ method: String) throws(StoreError) {
    var seen: Set<[Int64]> = []
    for (key, object) in zip(keys, objects) {
      let layout = object.layout
      guard Int(key.layoutIndex) == layout.index else {
        throw error(method, object, "is of another entity", "Create it with the object's entity.")
      }
      let isKnown = object.context?.registeredObject(key.key, layout, in: identity) != nil
      guard !isKnown, seen.insert([Int64(layout.rootIndex), key.key]).inserted else {
        throw error(
          method, object, "is that of another object",
          "References are unique among the objects of an entity, its superentities and subentities."
        )
      }
    }
  }

  private func error(
    _ method: String, _ object: NSManagedObject, _ problem: String, _ remedy: String
  ) -> StoreError {
    StoreError(
      .unfitValue,
      "The identifier that \(method) returned for a \(object.entity.name ?? "object") "
        + "\(problem). \(remedy)",
      context: ["entity": object.entity.name ?? ""])
  }
}
