import CloudWire
import JSONCoding

/// An answer that was written while it was made.
struct EncodedResponse: WireResponse {
  let bytes: [UInt8]

  func write(to writer: inout JSONWriter) { writer.raw(bytes.span) }
}
