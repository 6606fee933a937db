/// A contiguous buffer of objects that are moved into arrays without retain and release.
///
/// Copying a slice retains each object, and freeing the array releases each. With many objects,
/// both miss the cache.
@safe
struct ObjectBuffer: ~Copyable {
  @safe private let objects: UnsafeMutablePointer<NSManagedObject>
  private(set) var count = 0
  /// The number of objects at the start that were taken or released.
  private var taken = 0

  init(capacity: Int) { objects = .allocate(capacity: max(1, capacity)) }

  deinit {
    unsafe (objects + taken).deinitialize(count: count - taken)
    unsafe objects.deallocate()
  }

  /// Appends an object.
  ///
  /// The buffer must have room.
  @inline(__always)
  mutating func append(_ object: __owned NSManagedObject) {
    unsafe (objects + count).initialize(to: object)
    count += 1
  }

  subscript(index: Int) -> NSManagedObject { objects[index] }

  /// Calls a closure with an object without retaining it.
  @inline(__always)
  func withObject(_ index: Int, _ body: (NSManagedObject) -> Void) {
    let object = unsafe UnsafeRawPointer(objects + index).assumingMemoryBound(
      to: Unmanaged<NSManagedObject>.self)
    unsafe object.pointee._withUnsafeGuaranteedRef(body)
  }

  mutating func replace(_ index: Int, with object: NSManagedObject) { objects[index] = object }

  /// All objects, which also stay in the buffer.
  var all: [NSManagedObject] { unsafe Array(UnsafeBufferPointer(start: objects, count: count)) }

  /// Moves a range of objects out, and releases earlier ones that were not taken.
  ///
  /// - Precondition: None of the range was taken before.
  mutating func take(_ range: Range<Int>) -> [NSManagedObject] {
    precondition(
      range.lowerBound >= taken && range.upperBound <= count, "These objects were taken already.")
    unsafe (objects + taken).deinitialize(count: range.lowerBound - taken)
    taken = range.upperBound
    return unsafe Array(unsafeUninitializedCapacity: range.count) { [objects] buffer, initialized in
      if let start = buffer.baseAddress {
        unsafe start.moveInitialize(from: objects + range.lowerBound, count: range.count)
      }
      initialized = range.count
    }
  }
}
