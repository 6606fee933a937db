import CObjectReferences
import ObjectRows

/// An object's place in the table of its context.
extension NSManagedObject {
  /// The context, until it goes.
  final var context: NSManagedObjectContext? {
    get { unsafe heldRegistry?._withUnsafeGuaranteedRef { $0.context } }
    set { registry = newValue?.registry }
  }

  /// The registry of the context, which the object holds.
  final var registry: ObjectRegistry? {
    get { unsafe heldRegistry?.takeUnretainedValue() }
    set {
      let former = heldRegistry
      heldRegistry = unsafe newValue.map { unsafe .passRetained($0) }
      unsafe former?.release()
    }
  }

  /// Where the object is, without a hold on it.
  final var address: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  /// The object at an address, unless its deinitialiser has begun.
  ///
  /// The caller holds the lock under which the object leaves its table.
  @unsafe
  @inline(__always)
  static func retained(_ address: UnsafeMutableRawPointer) -> NSManagedObject? {
    guard let object = unsafe swift_tryRetain(address) else { return nil }
    return unsafe Unmanaged<NSManagedObject>.fromOpaque(object).takeRetainedValue()
  }

  /// Saved objects by store, root and key, then unsaved ones in the order in which they were made.
  static func precedesInContext(_ one: NSManagedObject, _ other: NSManagedObject) -> Bool {
    if (one.key < 0) != (other.key < 0) { return one.key >= 0 }
    if one.key < 0 { return one.key > other.key }
    if one.storeNumber != other.storeNumber { return one.storeNumber < other.storeNumber }
    let roots = (one.layout.rootIndex, other.layout.rootIndex)
    return roots.0 == roots.1 ? one.key < other.key : roots.0 < roots.1
  }
}

extension ObjectTable {
  /// The object of a key, unless it is going away.
  @inline(__always)
  func retainedObject(_ key: Int64) -> NSManagedObject? {
    unsafe object(key).flatMap { unsafe NSManagedObject.retained($0) }
  }
}
