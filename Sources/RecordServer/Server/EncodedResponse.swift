import CloudWire
import JSONCoding

/// A response that was encoded while it was computed.
struct EncodedResponse: WireResponse {
  let bytes: [UInt8]

  func write(to writer: inout JSONWriter) { writer.raw(bytes.span) }
}
