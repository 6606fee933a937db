import CObjectReferences
import Foundation

/// Objects that are made without their initialisers, which would do nothing.
///
/// An object that stands for a row is told so through the designated initialiser that subclasses
/// override, and gets its properties after that. Where no class overrides it and none has stored
/// properties of its own, this is eight counts and three calls for nothing: the memory of such an
/// object is taken and its properties are set.
enum PlainObjects {
  /// The bytes of an object of a class, or nil where its initialisers have to run.
  static func bytes(of managedObjectClass: NSManagedObject.Type) -> Int? {
    let bytes = instanceBytes(NSManagedObject.self)
    guard isGenerated(managedObjectClass), instanceBytes(managedObjectClass) == bytes,
      instanceBytes(NSObject.self) == headerBytes
    else { return nil }
    return bytes
  }

  /// What every object begins with: its class and its counts.
  private static let headerBytes = 16

  /// Whether no class from one to `NSManagedObject` was written by hand, which may have
  /// initialisers.
  private static func isGenerated(_ managedObjectClass: NSManagedObject.Type) -> Bool {
    var present: AnyClass = managedObjectClass
    while present != NSManagedObject.self {
      guard let generated = present as? NSManagedObject.Type, generated._hasGeneratedBody,
        let next = _getSuperclass(present)
      else { return false }
      present = next
    }
    return true
  }

  /// An object as `init(_materialise:)` would make it.
  ///
  /// What it holds was counted before: see `_Materialisation.hold(for:)`.
  @inline(__always)
  static func make(
    _ managedObjectClass: NSManagedObject.Type, _ bytes: Int, _ materialisation: _Materialisation
  ) -> NSManagedObject {
    let memory = unsafe swift_allocObject(
      unsafeBitCast(managedObjectClass, to: UnsafeRawPointer.self), bytes, 7)
    guard let memory = unsafe memory else {
      preconditionFailure("There is no memory for another object.")
    }
    let object = unsafe Unmanaged<NSManagedObject>.fromOpaque(memory).takeRetainedValue()
    unsafe begin(&object.row, with: materialisation.row)
    unsafe begin(&object.rowOwner, withCounted: materialisation.owner)
    unsafe begin(
      &object.heldRegistry, with: materialisation.registry.map { unsafe .passUnretained($0) })
    unsafe begin(&object.key, with: materialisation.key)
    unsafe begin(&object.flags, with: materialisation.flags)
    unsafe begin(&object.storeNumber, with: materialisation.storeNumber)
    return object
  }

  /// Sets a property that has no value yet to let go of.
  @unsafe
  @inline(__always)
  private static func begin<Value>(_ property: inout Value, with value: Value) {
    unsafe withUnsafeMutablePointer(to: &property) { unsafe $0.initialize(to: value) }
  }
}

extension PlainObjects {
  /// Sets a property that has no value yet to an object whose count is there already.
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

  /// Counts an object as held by several.
  @inline(__always)
  static func hold(_ object: AnyObject, _ count: Int) {
    _ = unsafe swift_retain_n(Unmanaged.passUnretained(object).toOpaque(), UInt32(count))
  }
}

/// The bytes of an object of a class: what Swift's library makes its managed buffers with.
@_silgen_name("$ss36_class_getInstancePositiveExtentSizeySiyXlXpF")
private func instanceBytes(_ type: AnyClass) -> Int
