/// Objects as a set that is made when it is first needed.
///
/// The notifications of an event and of the save after it share it.
final class ObjectSet {
  let objects: ContiguousArray<NSManagedObject>
  private(set) lazy var set = objects.heldSet()

  init(_ objects: ContiguousArray<NSManagedObject>) { self.objects = objects }
}
