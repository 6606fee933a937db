/// Objects in a row of memory, which are given away in arrays without being counted again.
///
/// Copying a part of an array holds each of its objects once more, and the end of the array lets go
/// of each: of many objects, each of the two is a visit to memory that is no longer in a cache.
@safe
struct GivenObjects: ~Copyable {
  @safe private let objects: UnsafeMutablePointer<NSManagedObject>
  private(set) var count = 0
  /// How many objects were given away, from the first.
  private var taken = 0

  init(capacity: Int) { objects = .allocate(capacity: max(1, capacity)) }

  deinit {
    unsafe (objects + taken).deinitialize(count: count - taken)
    unsafe objects.deallocate()
  }

  /// Adds an object, for which there must be room.
  @inline(__always)
  mutating func append(_ object: __owned NSManagedObject) {
    unsafe (objects + count).initialize(to: object)
    count += 1
  }

  subscript(index: Int) -> NSManagedObject { objects[index] }

  /// Lends an object, which is not counted as held.
  @inline(__always)
  func withObject(_ index: Int, _ body: (NSManagedObject) -> Void) {
    let object = unsafe UnsafeRawPointer(objects + index).assumingMemoryBound(
      to: Unmanaged<NSManagedObject>.self)
    unsafe object.pointee._withUnsafeGuaranteedRef(body)
  }

  mutating func replace(_ index: Int, with object: NSManagedObject) { objects[index] = object }

  /// All objects, which stay where they are.
  var all: [NSManagedObject] { unsafe Array(UnsafeBufferPointer(start: objects, count: count)) }

  /// Gives some objects away, with those before them that nobody took.
  ///
  /// - Precondition: None of them was given away.
  mutating func take(_ range: Range<Int>) -> [NSManagedObject] {
    precondition(
      range.lowerBound >= taken && range.upperBound <= count, "These objects were given away.")
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
