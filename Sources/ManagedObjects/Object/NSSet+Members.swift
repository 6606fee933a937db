import Foundation

extension NSSet {
  /// The set of some objects.
  ///
  /// It is of exactly this class: Foundation's cast to `Set`, which is what most programs do with
  /// it, takes any subclass for an empty set.
  static func of(_ objects: [NSManagedObject]) -> NSSet {
    unsafe objects.withUnsafeBufferPointer { objects in
      // An array of objects lies in memory as one of references.
      unsafe objects.withMemoryRebound(to: AnyObject.self) {
        unsafe NSSet(objects: $0.baseAddress, count: $0.count)
      }
    }
  }
}
