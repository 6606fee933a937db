import Foundation

extension NSSet {
  /// Returns a set of objects.
  ///
  /// Its class is exactly `NSSet`: Foundation's cast to `Set`, which most programs use, treats any
  /// subclass as an empty set.
  static func of(_ objects: [NSManagedObject]) -> NSSet {
    unsafe objects.withUnsafeBufferPointer { objects in
      // An array of objects has the memory layout of an array of references.
      unsafe objects.withMemoryRebound(to: AnyObject.self) {
        unsafe NSSet(objects: $0.baseAddress, count: $0.count)
      }
    }
  }
}
