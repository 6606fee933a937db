/// The position of a reader in one container: the index in an array, or the start of an object's
/// current key.
struct Frame: Sendable {
  var isArray: Bool
  var place: Int
}

/// One frame for each container that may be open, by depth.
///
/// Frame 0 is the document's.
///
/// The stack owns its memory, so setting a frame is a single store.
@safe struct FrameStack: ~Copyable {
  private let start: UnsafeMutablePointer<Frame>
  /// The greatest depth with a frame.
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
