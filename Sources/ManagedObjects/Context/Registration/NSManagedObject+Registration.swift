import CObjectReferences
import ObjectRows

/// An object's place in the table of its context.
extension NSManagedObject {
  /// The context, until it is deallocated.
  final var context: NSManagedObjectContext? {
    get { unsafe heldRegistry?._withUnsafeGuaranteedRef { $0.context } }
    set { registry = newValue?.registry }
  }

  /// The registry of the context.
  ///
  /// The object retains it.
  final var registry: ObjectRegistry? {
    get { unsafe heldRegistry?.takeUnretainedValue() }
    set {
      let former = heldRegistry
      heldRegistry = unsafe newValue.map { unsafe .passRetained($0) }
      unsafe former?.release()
    }
  }

  /// The object's address, without retaining the object.
  final var address: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  /// The object at an address, unless its deinitializer has begun.
  ///
  /// The caller holds the lock that protects the object's table.
  @unsafe
  @inline(__always)
  static func retained(_ address: UnsafeMutableRawPointer) -> NSManagedObject? {
    guard let object = unsafe swift_tryRetain(address) else { return nil }
    return unsafe Unmanaged<NSManagedObject>.fromOpaque(object).takeRetainedValue()
  }

  /// Whether a registered object has a private state.
  ///
  /// The object is not retained. The caller holds the lock that protects its table.
  @unsafe
  static func isStateful(at address: UnsafeMutableRawPointer) -> Bool {
    unsafe Unmanaged<NSManagedObject>.fromOpaque(address)._withUnsafeGuaranteedRef {
      $0.flags.contains(.stateful)
    }
  }

  /// Orders saved objects by store, root and key, and unsaved ones after them by creation.
  static func precedesInContext(_ one: NSManagedObject, _ other: NSManagedObject) -> Bool {
    if (one.key < 0) != (other.key < 0) { return one.key >= 0 }
    if one.key < 0 { return one.key > other.key }
    if one.storeNumber != other.storeNumber { return one.storeNumber < other.storeNumber }
    let roots = (one.layout.rootIndex, other.layout.rootIndex)
    return roots.0 == roots.1 ? one.key < other.key : roots.0 < roots.1
  }
}

extension ObjectTable {
  /// The object with a key, unless it is being deallocated.
  @inline(__always)
  func retainedObject(_ key: Int64) -> NSManagedObject? {
    unsafe object(key).flatMap { unsafe NSManagedObject.retained($0) }
  }
}
