/// Extracts a request's body from the bytes of a connection.
enum RequestBodyDecoder: Sendable {
  case length(remaining: Int)
  case chunked(ChunkedBodyDecoder)

  /// Creates a decoder for a framing, or returns nil if there is no body.
  init?(_ framing: BodyFraming) {
    switch framing {
    case .none: return nil
    case .length(let length): self = .length(remaining: length)
    case .chunked: self = .chunked(ChunkedBodyDecoder())
    }
  }

  /// Extracts the available part of the body from an offset, and advances the offset past it.
  mutating func take(
    from bytes: Span<UInt8>, at place: inout Int
  ) throws(HTTPParseError) -> (body: [UInt8], isEnd: Bool) {
    switch self {
    case .length(let remaining):
      let count = min(remaining, bytes.count - place)
      defer { place += count }
      self = .length(remaining: remaining - count)
      return ([UInt8](copying: bytes.extracting(place..<place + count)), count == remaining)
    case .chunked(var decoder):
      defer { self = .chunked(decoder) }
      return try Self.take(from: bytes, at: &place, with: &decoder)
    }
  }

  private static func take(
    from bytes: Span<UInt8>, at place: inout Int, with decoder: inout ChunkedBodyDecoder
  ) throws(HTTPParseError) -> (body: [UInt8], isEnd: Bool) {
    var body: [UInt8] = []
    while let piece = try decoder.next(in: bytes, at: &place) {
      switch piece {
      case .data(let range): body.append(copying: bytes.extracting(range))
      case .end: return (body, true)
      }
    }
    return (body, false)
  }
}
