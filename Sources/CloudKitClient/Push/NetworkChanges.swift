import Dispatch
import Foundation
import Synchronization

/// Hears from the system that addresses or routes of this machine have changed.
///
/// It listens at a socket (of netlink) while somebody waits, and costs nothing while nothing
/// changes. Where the system has no such socket, nobody is told anything, and whoever waits waits
/// for as long as without it.
final class NetworkChanges: Sendable {
  static let machine = NetworkChanges()

  private struct State {
    var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastNumber = 0
    var source: (any DispatchSourceRead)?
  }

  private let state = Mutex(State())

  /// Comes back when something has changed, or when the task is cancelled.
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

  private func tell() {
    for waiter in state.withLock({ Array($0.waiters.values) }) { waiter.yield() }
  }

  /// Listens at a socket, which is closed when the source is cancelled.
  private func open() -> (any DispatchSourceRead)? {
    guard let socket = NetlinkSocket() else { return nil }
    let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: .global())
    source.setEventHandler { [weak self] in
      socket.drain()
      self?.tell()
    }
    source.setCancelHandler { socket.close() }
    source.activate()
    return source
  }
}

/// The system's socket for news of its network; what they say is not looked at.
private struct NetlinkSocket {
  let descriptor: CInt

  /// `RTMGRP_LINK`, `RTMGRP_IPV4_IFADDR`, `RTMGRP_IPV4_ROUTE`, `RTMGRP_IPV6_IFADDR`,
  /// `RTMGRP_IPV6_ROUTE` of Linux's `rtnetlink.h`.
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

  /// Wants to be told; the address is Linux's `sockaddr_nl`.
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

  /// Takes away what has come.
  func drain() {
    var bytes = [UInt8](repeating: 0, count: 8_192)
    while unsafe recv(descriptor, &bytes, bytes.count, 0) > 0 {}
  }

  func close() { Foundation.close(descriptor) }
}
