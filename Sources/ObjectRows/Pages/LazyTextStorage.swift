/// The bytes of a page's lazy strings (`RowSlot`), in memory that is freed with the page.
@safe
struct LazyTextStorage: ~Copyable {
  @safe private var pieces: [UnsafeMutableRawPointer] = unsafe []
  @safe private var next: UnsafeMutableRawPointer?
  private var room = 0

  deinit {
    unsafe pieces.forEach { unsafe $0.deallocate() }
  }

  /// Stores a string, and returns its address.
  ///
  /// - Parameter pieceBytes: The minimum number of bytes to allocate at once.
  @unsafe
  mutating func keep(_ utf8: Span<UInt8>, pieceBytes: Int) -> UnsafeRawPointer {
    let bytes = (Self.headerBytes + utf8.count + Self.headerBytes - 1) & ~(Self.headerBytes - 1)
    if bytes > room { takePiece(max(bytes, pieceBytes)) }
    let place = unsafe next.unsafelyUnwrapped
    unsafe next = place + bytes
    room -= bytes
    unsafe place.storeBytes(of: UInt32(utf8.count), as: UInt32.self)
    unsafe utf8.withUnsafeBytes { utf8 in
      if let start = utf8.baseAddress {
        unsafe (place + Self.headerBytes).copyMemory(from: start, byteCount: utf8.count)
      }
    }
    return UnsafeRawPointer(place)
  }

  /// Creates the string at an address.
  ///
  /// Invalid UTF-8 becomes replacement characters.
  @unsafe
  static func string(at place: UnsafeRawPointer) -> String {
    let count = unsafe Int(place.load(as: UInt32.self))
    return unsafe String(
      decoding: UnsafeRawBufferPointer(start: place + headerBytes, count: count), as: UTF8.self)
  }

  /// The size of the byte count that precedes the bytes of a string.
  private static let headerBytes = MemoryLayout<UInt32>.size

  private mutating func takePiece(_ bytes: Int) {
    let piece = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
    unsafe pieces.append(piece)
    unsafe next = piece
    room = bytes
  }
}
