/// Removes the framing of a chunked body (RFC 9112, 7.1), strictly and from pieces of any size.
///
///     size ──;──▶ extension ──CR──▶ sizeEnd ──LF──▶ data ──▶ dataEnd ──CR LF──▶ size
///       │                             │ size 0
///       └──CR──▶ sizeEnd              └──▶ trailer ──CR──▶ bodyEnd ──LF──▶ finished
///
///     trailer ──▶ trailerName ──:──▶ trailerValue ──CR──▶ trailerEnd ──LF──▶ trailer
///
/// Trailers are checked and discarded. A field that arrives after the decisions it should influence
/// is an attack vector.
package struct ChunkedBodyDecoder: Sendable {
  /// The meaning of the next bytes.
  package enum Piece: Equatable, Sendable {
    /// Bytes of the body.
    case data(Range<Int>)
    /// The body ended before this offset.
    case end
  }

  private enum State {
    case size(digits: Int)
    case `extension`
    case sizeEnd
    case data
    case dataEnd
    case dataLineFeed
    case trailer
    case trailerName
    case trailerValue
    case trailerEnd
    case bodyEnd
    case finished
  }

  private var state = State.size(digits: 0)
  /// The size that is being read, then the remaining bytes of the chunk.
  private var remaining = 0
  private var extensionBytes = 0
  private var trailerBytes = 0

  package init() {}

  /// Returns the next piece of the body from an offset, and advances the offset past it.
  ///
  /// Returns nil if all bytes are consumed.
  package mutating func next(in bytes: Span<UInt8>, at place: inout Int) throws(HTTPParseError)
    -> Piece?
  {
    while place < bytes.count {
      if case .finished = state { return .end }
      if case .data = state { return data(in: bytes, at: &place) }
      try take(bytes[place])
      place += 1
    }
    if case .finished = state { return .end }
    return nil
  }

  private mutating func data(in bytes: Span<UInt8>, at place: inout Int) -> Piece {
    let count = min(remaining, bytes.count - place)
    defer { place += count }
    remaining -= count
    if remaining == 0 { state = .dataEnd }
    return .data(place..<place + count)
  }

  private mutating func take(_ byte: UInt8) throws(HTTPParseError) {
    switch state {
    case .size(let digits): try takeSize(byte, digits: digits)
    case .extension: try takeExtension(byte)
    case .sizeEnd: try expectLineFeed(byte, then: remaining == 0 ? .trailer : .data)
    case .dataEnd:
      guard byte == ByteClass.carriageReturn else { throw .malformedChunk }
      state = .dataLineFeed
    case .dataLineFeed: try expectLineFeed(byte, then: .size(digits: 0))
    case .trailer, .trailerName, .trailerValue: try takeTrailer(byte)
    case .trailerEnd: try expectLineFeed(byte, then: .trailer)
    case .bodyEnd: try expectLineFeed(byte, then: .finished)
    case .data, .finished: preconditionFailure("No framing is read within data or after the body.")
    }
  }

  private mutating func expectLineFeed(_ byte: UInt8, then next: State) throws(HTTPParseError) {
    guard byte == ByteClass.lineFeed else { throw .malformedChunk }
    state = next
  }

  private mutating func takeSize(_ byte: UInt8, digits: Int) throws(HTTPParseError) {
    if let value = ByteClass.hexadecimalValue(byte) {
      guard digits < Limits.chunkSizeDigits else { throw .malformedChunk }
      // Nothing remains of the previous chunk here, so the number starts at 0.
      remaining = remaining << 4 | value
      state = .size(digits: digits + 1)
      return
    }
    guard digits > 0 else { throw .malformedChunk }
    switch byte {
    case ByteClass.carriageReturn: state = .sizeEnd
    case UInt8(ascii: ";"): state = .extension
    default: throw .malformedChunk
    }
  }

  private mutating func takeExtension(_ byte: UInt8) throws(HTTPParseError) {
    if byte == ByteClass.carriageReturn {
      state = .sizeEnd
      return
    }
    guard ByteClass.isFieldValue(byte) else { throw .malformedChunk }
    extensionBytes += 1
    guard extensionBytes <= Limits.chunkExtensionBytes else { throw .tooManyExtensionBytes }
  }

  private mutating func takeTrailer(_ byte: UInt8) throws(HTTPParseError) {
    trailerBytes += 1
    guard trailerBytes <= Limits.trailerBytes else { throw .tooManyTrailerBytes }
    switch state {
    case .trailer where byte == ByteClass.carriageReturn: state = .bodyEnd
    case .trailer where ByteClass.isToken(byte): state = .trailerName
    case .trailerName where byte == ByteClass.colon: state = .trailerValue
    case .trailerName where ByteClass.isToken(byte): break
    case .trailerValue where byte == ByteClass.carriageReturn: state = .trailerEnd
    case .trailerValue where ByteClass.isFieldValue(byte): break
    default: throw .malformedChunk
    }
  }
}
