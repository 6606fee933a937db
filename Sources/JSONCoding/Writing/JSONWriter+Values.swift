extension JSONWriter {
  /// Writes a text.
  public mutating func string(_ text: String) {
    beginValue(reserving: 0)
    put(quoted: text)
  }

  /// Writes a text of which there are the bytes, without making a string of them.
  ///
  /// - Parameter text: UTF-8. Whoever writes has seen that it is.
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

  /// Writes a double as the shortest number that reads back to it.
  ///
  /// A whole number keeps its fraction (`3.0`), so that readers who look at the text take it for a
  /// double too. What is not finite has no form in JSON: it stops the program, so the caller
  /// decides before.
  public mutating func double(_ value: Double) {
    precondition(value.isFinite, "JSON has no number for \(value)")
    let whole = Int64(exactly: value.magnitude < 0x1p53 ? value : .nan)
    guard let whole, whole != 0 || value.sign == .plus else { return put(description: value) }
    beginValue(reserving: DecimalDigits.most + 3)
    put(whole)
    buffer.put(ASCII.dot)
    buffer.put(ASCII.zero)
  }

  /// Writes a value that is JSON already.
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
  /// Appends an integer; the caller has reserved `DecimalDigits.most`.
  @inline(__always)
  private mutating func put(_ value: Int64) {
    if value < 0 { buffer.put(ASCII.minus) }
    buffer.put(decimal: value.magnitude)
  }
}
