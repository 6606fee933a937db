import Dispatch
import Foundation
import Synchronization

/// Observes changes of this machine's network addresses and routes.
///
/// It reads a netlink socket while there are waiters, and costs nothing while nothing changes. On
/// systems without netlink, no change is reported, and waiters rely on their timeouts.
final class NetworkChanges: Sendable {
  static let machine = NetworkChanges()

  private struct State {
    var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastNumber = 0
    var source: (any DispatchSourceRead)?
  }

  private let state = Mutex(State())

  /// Returns after the next change, or when the task is cancelled.
  func next() async {
    let (changes, waiter) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = add(waiter)
    defer { remove(number) }
    for await _ in changes { return }
  }

  private func add(_ waiter: AsyncStream<Void>.Continuation) -> Int {
    state.withLock { state in
      state.lastNumber += 1
      state.waiters[state.lastNumber] = waiter
      if state.source == nil { state.source = open() }
      return state.lastNumber
    }
  }

  private func remove(_ number: Int) {
    state.withLock { state in
      state.waiters[number] = nil
      guard state.waiters.isEmpty else { return }
      state.source?.cancel()
      state.source = nil
    }
  }

  private func notifyWaiters() {
    for waiter in state.withLock({ Array($0.waiters.values) }) { waiter.yield() }
  }

  /// Opens a socket, which is closed when the source is cancelled.
  private func open() -> (any DispatchSourceRead)? {
    guard let socket = NetlinkSocket() else { return nil }
    let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: .global())
    source.setEventHandler { [weak self] in
      socket.drain()
      self?.notifyWaiters()
    }
    source.setCancelHandler { socket.close() }
    source.activate()
    return source
  }
}

/// A netlink socket for network changes.
///
/// The contents of its messages are ignored.
private struct NetlinkSocket {
  let descriptor: CInt

  /// Link, address and route changes, by the values of Linux's `rtnetlink.h`.
  private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

  init?() {
    #if os(Linux)
    let kind = CInt(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let opened = socket(AF_NETLINK, kind, 0)
    guard opened >= 0 else { return nil }
    descriptor = opened
    guard isBound() else {
      close()
      return nil
    }
    #else
    return nil
    #endif
  }

  /// Joins the multicast groups.
  ///
  /// The address is Linux's `sockaddr_nl`.
  private func isBound() -> Bool {
    var address = (
      family: UInt16(AF_NETLINK), padding: UInt16(0), process: UInt32(0), groups: Self.groups
    )
    let length = socklen_t(MemoryLayout.size(ofValue: address))
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe bind(
        descriptor, UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), length) == 0
    }
  }

  /// Discards the pending messages.
  func drain() {
    var bytes = [UInt8](repeating: 0, count: 8_192)
    while unsafe recv(descriptor, &bytes, bytes.count, 0) > 0 {}
  }

  func close() { Foundation.close(descriptor) }
}
