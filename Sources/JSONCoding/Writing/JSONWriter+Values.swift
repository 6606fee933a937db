extension JSONWriter {
  /// Writes a text.
  public mutating func string(_ text: String) {
    beginValue(reserving: 0)
    put(quoted: text)
  }

  /// Writes a text from its bytes, without creating a string.
  ///
  /// - Parameter text: Valid UTF-8, which the caller guarantees.
  public mutating func string(utf8 text: Span<UInt8>) {
    beginValue(reserving: 0)
    unsafe text.withUnsafeBufferPointer { bytes in unsafe put(quoted: bytes) }
  }

  /// Writes `true` or `false`.
  public mutating func bool(_ value: Bool) { put(word: value ? "true" : "false") }

  /// Writes `null`.
  public mutating func null() { put(word: "null") }

  /// Writes an integer.
  public mutating func int64(_ value: Int64) {
    beginValue(reserving: DecimalDigits.most + 1)
    put(value)
  }

  /// Writes a double as the shortest number with the same value.
  ///
  /// A whole number keeps its fraction (`3.0`), so that readers of the text recognize a double.
  /// Infinity and NaN have no JSON form and stop the program: the caller checks for them.
  public mutating func double(_ value: Double) {
    precondition(value.isFinite, "JSON has no number for \(value)")
    let whole = Int64(exactly: value.magnitude < 0x1p53 ? value : .nan)
    guard let whole, whole != 0 || value.sign == .plus else { return put(description: value) }
    beginValue(reserving: DecimalDigits.most + 3)
    put(whole)
    buffer.put(ASCII.dot)
    buffer.put(ASCII.zero)
  }

  /// Writes a value that is already JSON.
  public mutating func raw(_ value: Span<UInt8>) {
    beginValue(reserving: value.count)
    unsafe value.withUnsafeBufferPointer { bytes in
      if let start = bytes.baseAddress { unsafe buffer.put(start, bytes.count) }
    }
  }

  private mutating func put(word: StaticString) {
    beginValue(reserving: word.utf8CodeUnitCount)
    unsafe buffer.put(word.utf8Start, word.utf8CodeUnitCount)
  }

  private mutating func put(description value: Double) {
    var text = value.description
    text.withUTF8 { bytes in
      beginValue(reserving: bytes.count)
      if let start = bytes.baseAddress { unsafe buffer.put(start, bytes.count) }
    }
  }
}

extension JSONWriter {
  /// Appends an integer.
  ///
  /// The caller has reserved `DecimalDigits.most`.
  @inline(__always)
  private mutating func put(_ value: Int64) {
    if value < 0 { buffer.put(ASCII.minus) }
    buffer.put(decimal: value.magnitude)
  }
}
