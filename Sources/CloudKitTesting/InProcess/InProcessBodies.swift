internal import CloudTransport
internal import HTTPServer
internal import Synchronization

/// Collects a response body in memory.
final class MemoryBody: HTTPResponseSink {
  private let limit: Int
  private let taken = Mutex<[UInt8]>([])

  init(limit: Int) { self.limit = limit }

  var bytes: [UInt8] { taken.withLock(\.self) }

  func write(_ bytes: [UInt8]) async throws {
    let count = taken.withLock { taken in
      taken += bytes
      return taken.count
    }
    guard count <= limit else {
      throw TransportError(
        .malformed, "The answer has more than the maximum of \(limit) bytes.")
    }
  }
}

/// Writes a response body to a file.
struct FileBody: HTTPResponseSink {
  private let file: DownloadFile
  private let progress: TransportProgress

  init(_ file: DownloadFile, progress: @escaping TransportProgress) {
    self.file = file
    self.progress = progress
  }

  func write(_ bytes: [UInt8]) async throws {
    try Task.checkCancellation()
    try file.append(bytes)
    progress(file.count, file.total)
  }
}

/// Passes a response body to a reader, with back-pressure.
final class QueuedBody: HTTPResponseSink {
  /// The bytes that may be buffered unread.
  private static let unreadBytes = 256 << 10

  let queue: PieceQueue
  private let rooms: AsyncStream<Void>

  init() {
    let (rooms, room) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    self.rooms = rooms
    queue = PieceQueue(limit: Self.unreadBytes) { room.yield() }
  }

  func write(_ bytes: [UInt8]) async throws {
    while !queue.offer(bytes) {
      for await _ in rooms { break }
      try Task.checkCancellation()
    }
  }
}

/// Cancels a task that may not have been created yet.
final class DeferredCancellation: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  private let state = Mutex(State())

  func hold(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }
}
