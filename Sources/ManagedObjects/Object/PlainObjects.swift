import CObjectReferences
import Foundation

/// Creates objects without their initializers, if those would do nothing.
///
/// An object for a row is normally created through the designated initializer, which subclasses
/// override, and gets its properties afterwards. If no class overrides it or has stored properties,
/// this wastes eight retains and three calls. In that case, this type allocates the memory and sets
/// the properties directly.
enum PlainObjects {
  /// The size in bytes of an object of a class, or nil if its initializers must run.
  static func bytes(of managedObjectClass: NSManagedObject.Type) -> Int? {
    let bytes = instanceBytes(NSManagedObject.self)
    guard isGenerated(managedObjectClass), instanceBytes(managedObjectClass) == bytes,
      instanceBytes(NSObject.self) == headerBytes
    else { return nil }
    return bytes
  }

  /// The header of every object: its class and its reference counts.
  private static let headerBytes = 16

  /// Whether all classes from this one up to `NSManagedObject` are generated.
  ///
  /// Others may have initializers, life-cycle methods and validation.
  static func isGenerated(_ managedObjectClass: NSManagedObject.Type) -> Bool {
    var present: AnyClass = managedObjectClass
    while present != NSManagedObject.self {
      guard let generated = present as? NSManagedObject.Type, generated._hasGeneratedBody,
        let next = _getSuperclass(present)
      else { return false }
      present = next
    }
    return true
  }

  /// Creates an object as `init(_materialize:)` would.
  ///
  /// Its references were retained before: see `_Materialization.hold(for:)`.
  @inline(__always)
  static func make(
    _ managedObjectClass: NSManagedObject.Type, _ bytes: Int, _ materialization: _Materialization
  ) -> NSManagedObject {
    let memory = unsafe swift_allocObject(
      unsafeBitCast(managedObjectClass, to: UnsafeRawPointer.self), bytes, 7)
    guard let memory = unsafe memory else {
      preconditionFailure("There is no memory for another object.")
    }
    let object = unsafe Unmanaged<NSManagedObject>.fromOpaque(memory).takeRetainedValue()
    unsafe begin(&object.row, with: materialization.row)
    unsafe begin(&object.rowOwner, withCounted: materialization.owner)
    unsafe begin(
      &object.heldRegistry, with: materialization.registry.map { unsafe .passUnretained($0) })
    unsafe begin(&object.key, with: materialization.key)
    unsafe begin(&object.flags, with: materialization.flags)
    unsafe begin(&object.storeNumber, with: materialization.storeNumber)
    return object
  }

  /// Initializes a property without releasing an earlier value.
  @unsafe
  @inline(__always)
  private static func begin<Value>(_ property: inout Value, with value: Value) {
    unsafe withUnsafeMutablePointer(to: &property) { unsafe $0.initialize(to: value) }
  }
}

extension PlainObjects {
  /// Initializes a property with an object that is already retained.
  @unsafe
  @inline(__always)
  private static func begin<Object: AnyObject>(
    _ property: inout Object?, withCounted object: Object
  ) {
    _ = unsafe withUnsafeMutablePointer(to: &property) {
      unsafe UnsafeMutableRawPointer($0).initializeMemory(
        as: Unmanaged<Object>.self, to: .passUnretained(object))
    }
  }

  /// Retains an object several times.
  @inline(__always)
  static func hold(_ object: AnyObject, _ count: Int) {
    _ = unsafe swift_retain_n(Unmanaged.passUnretained(object).toOpaque(), UInt32(count))
  }
}

/// The size in bytes of an object of a class.
///
/// Swift's library uses this function for managed buffers.
@_silgen_name("$ss36_class_getInstancePositiveExtentSizeySiyXlXpF")
private func instanceBytes(_ type: AnyClass) -> Int
