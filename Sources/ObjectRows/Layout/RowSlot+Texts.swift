public import Synchronization

/// Texts in slots.
///
/// A text of more than fifteen bytes is an allocation of its own. A store leaves the bytes of such
/// texts on the page, where they become a `String` when somebody asks for it: most of what is
/// fetched is never read.
///
/// ```
///                first word              second word
/// a `String?`    as Swift lays it out    as Swift lays it out
/// a late text    where its bytes are     1, which stands for no text and is what nil is in a `String??`
/// ```
///
/// A page is shared by threads. Whoever makes the string puts it in the place of the late text,
/// under a lock: the first word, then the second. So who finds a second word that is not 1 finds
/// the first one that belongs to it.
extension RowSlot {
  /// The text, or nil where there is none.
  @inlinable @inline(__always)
  package func text(in row: RowReference) -> String? {
    if let text = readyText(in: row) { return text }
    return lateText(in: row)
  }

  /// The text as it is at hand, nil where there is none; nothing where it is late.
  @inlinable @inline(__always)
  package func readyText(in row: RowReference) -> String?? {
    let place = unsafe row.start + Int(offset)
    let second = unsafe (place + 8).assumingMemoryBound(to: Atomic<UInt>.self)
    if unsafe second.pointee.load(ordering: .acquiring) == Self.late { return nil }
    return unsafe .some(place.assumingMemoryBound(to: String?.self).pointee)
  }

  /// Lends the text, without taking a reference to it where it is at hand.
  @inline(__always)
  package func withText<Result, Failure>(
    in row: RowReference, _ body: (String?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if isLate(in: row) { return try body(lateText(in: row)) }
    return try withValue(in: row, as: String?.self, body)
  }

  /// Makes a late text ready.
  @inline(__always)
  package func bringInText(in row: RowReference) {
    if kind == .string, isLate(in: row) { _ = lateText(in: row) }
  }

  /// The second word of a late text.
  @usableFromInline static var late: UInt { 1 }

  private func isLate(in row: RowReference) -> Bool {
    let second = unsafe (row.start + Int(offset) + 8).assumingMemoryBound(to: Atomic<UInt>.self)
    return unsafe second.pointee.load(ordering: .acquiring) == Self.late
  }

  /// Notes where the bytes of a text are, in a row that was just made.
  @unsafe
  @inline(__always)
  func initialize(lateText bytes: UnsafeRawPointer, in row: RowReference) {
    let place = unsafe row.start + Int(offset)
    unsafe place.storeBytes(of: UInt(bitPattern: bytes), as: UInt.self)
    unsafe place.storeBytes(of: Self.late, toByteOffset: 8, as: UInt.self)
    setNull(false, in: row)
  }

  /// Makes the string of a late text and leaves it in the slot.
  @usableFromInline @inline(never)
  func lateText(in row: RowReference) -> String? {
    let place = unsafe row.start + Int(offset)
    let second = unsafe (place + 8).assumingMemoryBound(to: Atomic<UInt>.self)
    let bytes = stringsOfLateTexts.withLock { _ in
      unsafe second.pointee.load(ordering: .relaxed) == Self.late
        ? unsafe place.load(as: UInt.self) : 0
    }
    // Somebody else made the string meanwhile.
    guard let bytes = unsafe UnsafeRawPointer(bitPattern: bytes) else {
      return unsafe place.assumingMemoryBound(to: String?.self).pointee
    }
    let text = unsafe LazyTextStorage.string(at: bytes)
    stringsOfLateTexts.withLock { _ in
      guard unsafe second.pointee.load(ordering: .relaxed) == Self.late else { return }
      let words = Self.words(of: text)
      unsafe place.storeBytes(of: words.first, as: UInt.self)
      unsafe second.pointee.store(words.second, ordering: .releasing)
    }
    return text
  }

  /// A text as it lies in memory, held once more.
  private static func words(of text: String) -> (first: UInt, second: UInt) {
    unsafe withUnsafeTemporaryAllocation(of: String?.self, capacity: 1) { place in
      unsafe place.initializeElement(at: 0, to: text)
      return unsafe UnsafeRawBufferPointer(place).load(as: (first: UInt, second: UInt).self)
    }
  }
}

/// Guards the places of late texts while strings come into them.
private let stringsOfLateTexts = Mutex(())
