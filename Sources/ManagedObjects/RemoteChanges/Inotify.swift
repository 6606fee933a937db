#if canImport(Glibc)
import Glibc

/// The inotify interface of the Linux kernel, with its events as values.
///
/// All access to the kernel's structures is in this file.
struct Inotify: Sendable {
  /// An event in a folder.
  struct Event: Equatable {
    /// The number of the folder's watch, or -1 if the kernel lost events.
    let folder: Int32
    /// The name of the file.
    let name: String
    /// Whether the watch has ended, for example because its folder was deleted.
    let isEnd: Bool
  }

  private let descriptor: Int32

  /// The description of the last error.
  static var lastError: String { unsafe String(cString: strerror(errno)) }

  /// Creates an instance; nil if the system allows no further one.
  init?() {
    descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    if descriptor < 0 { return nil }
  }

  /// Watches a folder, and returns the number of the watch; nil if the kernel rejects it.
  ///
  /// Another watch of the same folder has the same number.
  func watch(_ path: String) -> Int32? {
    let number = unsafe inotify_add_watch(
      descriptor, path, UInt32(IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO))
    return number < 0 ? nil : number
  }

  func unwatch(_ number: Int32) { _ = inotify_rm_watch(descriptor, number) }

  /// Wakes the waiting thread with an event that has no meaning.
  func wake() {
    if let number = watch("/") { unwatch(number) }
  }

  /// Ends all watches.
  ///
  /// No thread may be waiting.
  func close() { _ = Glibc.close(descriptor) }

  /// Waits for events, at most for the given time or, for nil, without limit.
  func wait(milliseconds: Int32?) {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&state, 1, milliseconds ?? -1)
  }

  /// Waits for a time, without watching for events.
  static func rest(milliseconds: Int32) { _ = poll(nil, 0, milliseconds) }

  /// Takes the events that are available.
  func events() -> [Event] {
    var events: [Event] = []
    unsafe withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
      while true {
        let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { return }
        unsafe Self.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &events)
      }
    }
    return events
  }

  private static func parse(_ bytes: UnsafeRawBufferPointer, into events: inout [Event]) {
    let headerBytes = MemoryLayout<inotify_event>.size
    var offset = 0
    while offset + headerBytes <= bytes.count {
      let header = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
      let end = offset + headerBytes + Int(header.len)
      guard end <= bytes.count else { return }
      let name = unsafe bytes[(offset + headerBytes)..<end].prefix { $0 != 0 }
      let event = Event(
        folder: header.wd, name: unsafe String(decoding: name, as: UTF8.self),
        isEnd: header.mask & UInt32(IN_IGNORED) != 0)
      // A save writes many pages of one file, which causes equal events.
      if event != events.last { events.append(event) }
      offset = end
    }
  }
}
#endif
