/// A growing buffer of bytes that is reused for several documents.
@safe struct ByteBuffer: ~Copyable {
  private(set) var start: UnsafeMutablePointer<UInt8>
  private(set) var capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    unsafe start = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit { unsafe start.deallocate() }

  var span: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      let bytes = unsafe Span(_unsafeStart: UnsafePointer(start), count: count)
      return unsafe _overrideLifetime(bytes, borrowing: self)
    }
  }

  mutating func removeAll() { count = 0 }

  // MARK: Appending

  /// Reserves room for bytes.
  ///
  /// The functions below write without a check.
  @inline(__always)
  mutating func reserve(_ more: Int) {
    if capacity &- count < more { grow(more) }
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    let larger = max(capacity * 2, count + more)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    unsafe moved.update(from: start, count: count)
    unsafe start.deallocate()
    unsafe start = unsafe moved
    capacity = larger
  }

  /// Appends a byte into reserved room.
  @inline(__always)
  mutating func put(_ byte: UInt8) {
    assert(count < capacity)
    unsafe start[count] = byte
    count &+= 1
  }

  /// Appends bytes into reserved room.
  @inline(__always)
  mutating func put(_ bytes: UnsafePointer<UInt8>, _ length: Int) {
    assert(length <= capacity - count)
    unsafe (start + count).update(from: bytes, count: length)
    count &+= length
  }

  /// Appends an integer's digits.
  ///
  /// The caller has reserved `DecimalDigits.most`.
  @inline(__always)
  mutating func put(decimal value: UInt64) {
    let length = DecimalDigits.count(of: value)
    assert(capacity - count >= length)
    var (rest, end) = (value, unsafe start + count + length)
    while rest >= 100 {
      let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
      unsafe end -= 2
      unsafe end.update(from: DecimalDigits.pairs.utf8Start + Int(pair) &* 2, count: 2)
      rest = quotient
    }
    if rest >= 10 {
      unsafe (end - 2).update(from: DecimalDigits.pairs.utf8Start + Int(rest) &* 2, count: 2)
    } else {
      unsafe (end - 1).pointee = ASCII.zero + UInt8(rest)
    }
    count &+= length
  }
}
