/// Where a reader stands in one container: an array's index, or where an object's present key
/// begins.
struct Frame: Sendable {
  var isArray: Bool
  var place: Int
}

/// One frame for each container that may be open, by its depth; the first, at 0, stands for the
/// document.
///
/// The memory is the stack's own, so that setting a frame is a store and no more.
@safe struct FrameStack: ~Copyable {
  private let start: UnsafeMutablePointer<Frame>
  /// The greatest depth that has a frame.
  let greatestDepth: Int

  init(greatestDepth: Int) {
    self.greatestDepth = max(0, greatestDepth)
    unsafe start = .allocate(capacity: self.greatestDepth + 1)
    unsafe start.initialize(
      repeating: Frame(isArray: false, place: -1), count: self.greatestDepth + 1)
  }

  deinit { unsafe start.deallocate() }

  subscript(depth: Int) -> Frame {
    @inline(__always) get {
      precondition(depth >= 0 && depth <= greatestDepth)
      return unsafe start[depth]
    }
    @inline(__always) nonmutating set {
      precondition(depth >= 0 && depth <= greatestDepth)
      unsafe start[depth] = newValue
    }
  }
}
