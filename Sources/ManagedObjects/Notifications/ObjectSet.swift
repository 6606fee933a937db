/// Objects, and the set of them in notifications.
///
/// The notifications of an event and of the save after the event share one value.
struct ObjectSet {
  let objects: ContiguousArray<NSManagedObject>
  let set: SetOnDemand<NSManagedObject>

  init(_ objects: ContiguousArray<NSManagedObject>) {
    self.objects = objects
    set = SetOnDemand(making: { objects.heldSet() })
  }
}
