public import Synchronization

/// Strings in slots.
///
/// A string of more than fifteen bytes needs an allocation. A store keeps such strings as bytes on
/// the page, and they become a `String` on demand, because most fetched strings are never read.
///
/// ```
///                first word                second word
/// a `String?`    as Swift lays it out      as Swift lays it out
/// a lazy string  the address of its bytes  1, which no string has: it is nil in a `String??`
/// ```
///
/// Threads share a page. The thread that creates the string replaces the lazy string under a lock:
/// the first word, then the second. So a thread that reads a second word other than 1 reads the
/// first word that belongs to it.
extension RowSlot {
  /// The string, or nil if there is none.
  @inlinable @inline(__always)
  package func text(in row: RowReference) -> String? {
    if let text = availableText(in: row) { return text }
    return lazyText(in: row)
  }

  /// The string if it is available: `.some(nil)` if there is none, and nil if it is lazy.
  @inlinable @inline(__always)
  package func availableText(in row: RowReference) -> String?? {
    let place = unsafe row.start + Int(offset)
    let second = unsafe (place + 8).assumingMemoryBound(to: Atomic<UInt>.self)
    if unsafe second.pointee.load(ordering: .acquiring) == Self.lazyMark { return nil }
    return unsafe .some(place.assumingMemoryBound(to: String?.self).pointee)
  }

  /// Calls a closure with the string, without retaining it if it is not lazy.
  @inline(__always)
  package func withText<Result, Failure>(
    in row: RowReference, _ body: (String?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if isLazy(in: row) { return try body(lazyText(in: row)) }
    return try withValue(in: row, as: String?.self, body)
  }

  /// Creates the string of the slot, if it is lazy.
  @inline(__always)
  package func loadText(in row: RowReference) {
    if kind == .string, isLazy(in: row) { _ = lazyText(in: row) }
  }

  /// The second word of a lazy string.
  @usableFromInline static var lazyMark: UInt { 1 }

  private func isLazy(in row: RowReference) -> Bool {
    let second = unsafe (row.start + Int(offset) + 8).assumingMemoryBound(to: Atomic<UInt>.self)
    return unsafe second.pointee.load(ordering: .acquiring) == Self.lazyMark
  }

  /// Sets the address of a string's bytes in a new row.
  @unsafe
  @inline(__always)
  func initialize(lazyText bytes: UnsafeRawPointer, in row: RowReference) {
    let place = unsafe row.start + Int(offset)
    unsafe place.storeBytes(of: UInt(bitPattern: bytes), as: UInt.self)
    unsafe place.storeBytes(of: Self.lazyMark, toByteOffset: 8, as: UInt.self)
    setNull(false, in: row)
  }

  /// Creates the string of a lazy slot and stores it in the slot.
  @usableFromInline @inline(never)
  func lazyText(in row: RowReference) -> String? {
    let place = unsafe row.start + Int(offset)
    let second = unsafe (place + 8).assumingMemoryBound(to: Atomic<UInt>.self)
    let bytes = lazyTextLock.withLock { _ in
      unsafe second.pointee.load(ordering: .relaxed) == Self.lazyMark
        ? unsafe place.load(as: UInt.self) : 0
    }
    // If another thread has created the string, the slot contains it.
    guard let bytes = unsafe UnsafeRawPointer(bitPattern: bytes) else {
      return unsafe place.assumingMemoryBound(to: String?.self).pointee
    }
    let text = unsafe LazyTextStorage.string(at: bytes)
    lazyTextLock.withLock { _ in
      guard unsafe second.pointee.load(ordering: .relaxed) == Self.lazyMark else { return }
      let words = Self.words(of: text)
      unsafe place.storeBytes(of: words.first, as: UInt.self)
      unsafe second.pointee.store(words.second, ordering: .releasing)
    }
    return text
  }

  /// The memory words of a string, which own a reference to its storage.
  private static func words(of text: String) -> (first: UInt, second: UInt) {
    unsafe withUnsafeTemporaryAllocation(of: String?.self, capacity: 1) { place in
      unsafe place.initializeElement(at: 0, to: text)
      return unsafe UnsafeRawBufferPointer(place).load(as: (first: UInt, second: UInt).self)
    }
  }
}

/// Protects lazy slots while strings are stored in them.
private let lazyTextLock = Mutex(())
