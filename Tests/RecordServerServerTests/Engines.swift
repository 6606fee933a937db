import RecordStorage
import Synchronization

/// Storage that fails after a number of writes.
final class FailingEngine: StorageEngine {
  private let engine: any StorageEngine
  private let left = Mutex<Int?>(nil)

  init(_ engine: any StorageEngine = MemoryStorageEngine()) { self.engine = engine }

  var isRestored: Bool { engine.isRestored }

  func endRestoration() async throws { try await engine.endRestoration() }

  func fail(afterWrites count: Int?) { left.withLock { $0 = count } }

  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    try await engine.read(in: partition, body)
  }

  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    let isOver = left.withLock { left in
      guard let count = left else { return false }
      left = count - 1
      return count <= 0
    }
    guard !isOver else {
      throw StorageError(.unavailable, "an injected fault")
    }
    return try await engine.write(in: partition, body)
  }

  func close() async { await engine.close() }
}

/// Storage in memory that runs a block after each write.
final class InterleavingEngine: StorageEngine {
  private let engine = MemoryStorageEngine()
  private let block = Mutex<(@Sendable () async throws -> Void)?>(nil)

  func betweenWrites(_ body: (@Sendable () async throws -> Void)?) {
    block.withLock { $0 = body }
  }

  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    try await engine.read(in: partition, body)
  }

  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    let result = try await engine.write(in: partition, body)
    // The block's own writes run no block.
    let next = block.withLock { block in
      defer { block = nil }
      return block
    }
    if let next {
      try await next()
      block.withLock { $0 = next }
    }
    return result
  }

  func close() async { await engine.close() }
}

/// Storage that counts reads, and runs a block after each of them.
final class ReadCountingEngine: StorageEngine {
  private let engine: any StorageEngine
  private let count = Mutex(0)
  private let block = Mutex<(@Sendable () async -> Void)?>(nil)

  init(_ engine: any StorageEngine = MemoryStorageEngine()) { self.engine = engine }

  /// The number of reads since `reset`.
  var reads: Int { count.withLock(\.self) }

  func reset() { count.withLock { $0 = 0 } }

  func afterRead(_ body: (@Sendable () async -> Void)?) { block.withLock { $0 = body } }

  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    let result = try await engine.read(in: partition, body)
    count.withLock { $0 += 1 }
    // The block's own reads run no block.
    let next = block.withLock { block in
      defer { block = nil }
      return block
    }
    if let next {
      await next()
      block.withLock { $0 = next }
    }
    return result
  }

  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    try await engine.write(in: partition, body)
  }

  func close() async { await engine.close() }
}

/// A counter for several tasks.
final class Counter: Sendable {
  private let number = Mutex(0)

  var count: Int { number.withLock(\.self) }

  /// The next of some values; nil after the last.
  func take<Value: Sendable>(of values: [Value]) -> Value? {
    number.withLock { number in
      guard number < values.count else { return nil }
      number += 1
      return values[number - 1]
    }
  }
}

/// Storage in memory that counts the entries that readers visit.
final class EntryCountingEngine: StorageEngine {
  private let engine = MemoryStorageEngine()
  private let touched = Mutex(0)

  /// The entries that were visited since `reset`.
  var entries: Int { touched.withLock(\.self) }
  /// The number of stored entries.
  var count: Int { get async throws { try await engine.read { try $0.entries(in: .all).count } } }

  func reset() { touched.withLock { $0 = 0 } }

  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    let engine = self
    return try await self.engine.read(in: partition) { try body(CountingTransaction($0, engine)) }
  }

  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    try await engine.write(in: partition, body)
  }

  func close() async { await engine.close() }

  private final class CountingTransaction: StorageReading {
    private let transaction: any StorageReading
    private let engine: EntryCountingEngine

    init(_ transaction: any StorageReading, _ engine: EntryCountingEngine) {
      self.transaction = transaction
      self.engine = engine
    }

    func visitValues(of keys: [StorageKey], _ visit: (Int, Span<UInt8>?) throws -> Void) throws {
      engine.touched.withLock { $0 += keys.count }
      try transaction.visitValues(of: keys, visit)
    }

    func visitEntries(
      in range: StorageRange, order: StorageOrder, limit: Int,
      _ visit: (Span<UInt8>, Span<UInt8>) throws -> VisitContinuation
    ) throws {
      try transaction.visitEntries(in: range, order: order, limit: limit) { key, value in
        engine.touched.withLock { $0 += 1 }
        return try visit(key, value)
      }
    }
  }
}

/// Storage in memory that counts the bytes that writers read.
final class ByteCountingEngine: StorageEngine {
  private struct Count {
    var (read, held, mostHeld) = (0, 0, 0)
  }

  private let engine = MemoryStorageEngine()
  private let counted = Mutex(Count())

  /// The bytes of keys and values that were read since `reset`.
  var bytes: Int { counted.withLock(\.read) }

  /// The maximum since `reset` of the bytes that were read and not yet written.
  var mostHeld: Int { counted.withLock(\.mostHeld) }

  func reset() { counted.withLock { $0 = Count() } }

  func read<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageReading) throws -> Result
  ) async throws -> Result {
    try await engine.read(in: partition, body)
  }

  func write<Result: Sendable>(
    in partition: String?, _ body: @escaping @Sendable (any StorageWriting) throws -> Result
  ) async throws -> Result {
    let engine = self
    return try await self.engine.write(in: partition) { try body(CountingTransaction($0, engine)) }
  }

  func close() async { await engine.close() }

  private final class CountingTransaction: StorageWriting {
    private let transaction: any StorageWriting
    private let engine: ByteCountingEngine

    init(_ transaction: any StorageWriting, _ engine: ByteCountingEngine) {
      self.transaction = transaction
      self.engine = engine
    }

    private func count(_ bytes: Int) {
      engine.counted.withLock { count in
        count.read += bytes
        count.held += bytes
        count.mostHeld = max(count.mostHeld, count.held)
      }
    }

    func visitValues(of keys: [StorageKey], _ visit: (Int, Span<UInt8>?) throws -> Void) throws {
      try transaction.visitValues(of: keys) { index, value in
        count(value?.count ?? 0)
        try visit(index, value)
      }
    }

    func visitEntries(
      in range: StorageRange, order: StorageOrder, limit: Int,
      _ visit: (Span<UInt8>, Span<UInt8>) throws -> VisitContinuation
    ) throws {
      try transaction.visitEntries(in: range, order: order, limit: limit) { key, value in
        count(key.count + value.count)
        return try visit(key, value)
      }
    }

    func set(_ value: Span<UInt8>, for key: StorageKey) throws(StorageError) {
      let bytes = key.bytes.count + value.count
      engine.counted.withLock { $0.held = max(0, $0.held - bytes) }
      try transaction.set(value, for: key)
    }

    func remove(_ key: StorageKey) throws(StorageError) { try transaction.remove(key) }

    func removeEntries(in range: StorageRange) throws(StorageError) {
      try transaction.removeEntries(in: range)
    }
  }
}
