internal import CHTTPSystem
private import Glibc

/// An epoll instance, the kernel's list of watched descriptors.
///
/// It is safe to use from any thread.
struct Poller: ~Copyable, Sendable {
  /// The events for which a descriptor is watched or ready.
  struct Events: OptionSet {
    let rawValue: UInt32

    static let input = Events(PARHELION_INPUT)
    static let output = Events(PARHELION_OUTPUT)
    /// The client has finished sending.
    ///
    /// This event is reported even while input is not watched.
    static let peerClosed = Events(PARHELION_PEER_CLOSED)
    /// The connection failed.
    ///
    /// This event and `hangUp` are reported without being watched.
    static let error = Events(PARHELION_ERROR)
    static let hangUp = Events(PARHELION_HANG_UP)

    init(rawValue: UInt32) { self.rawValue = rawValue }
    private init(_ value: some BinaryInteger) { rawValue = UInt32(value) }
    private init<Constant: RawRepresentable>(_ value: Constant)
    where Constant.RawValue: BinaryInteger {
      rawValue = UInt32(value.rawValue)
    }
  }

  private let descriptor: CInt

  init() throws(HTTPServerError) {
    descriptor = parhelion_poll_create()
    if descriptor < 0 { throw .system("epoll_create1", -descriptor) }
  }

  deinit { close(descriptor) }

  func add(_ watched: CInt, _ events: Events, token: UInt64) throws(HTTPServerError) {
    let result = parhelion_poll_add(descriptor, watched, events.rawValue, token)
    if result < 0 { throw .system("epoll_ctl", -result) }
  }

  func change(_ watched: CInt, _ events: Events, token: UInt64) {
    let result = parhelion_poll_change(descriptor, watched, events.rawValue, token)
    precondition(result == 0, "A descriptor that is watched cannot be changed: error \(-result).")
  }

  func remove(_ watched: CInt) { _ = parhelion_poll_remove(descriptor, watched) }

  /// Waits for events, writes them to the beginning of the buffer, and returns their number.
  ///
  /// An interrupted wait returns 0.
  func wait(into ready: inout [parhelion_ready], milliseconds: CInt) -> Int {
    let count = unsafe ready.withUnsafeMutableBufferPointer {
      unsafe parhelion_poll_wait(descriptor, $0.baseAddress, CInt($0.count), milliseconds)
    }
    precondition(count >= 0 || count == -EINTR, "epoll_wait fails with error \(-count).")
    return max(0, Int(count))
  }
}
