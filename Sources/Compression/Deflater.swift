import CZlib

/// Compresses data that arrives in pieces into a raw DEFLATE stream (RFC 1951, without header and
/// checksum).
///
/// The same input, level and library version give the same bytes.
package struct Deflater: ~Copyable {
  /// The library's default balance between speed and size.
  package static let standardLevel = 6

  private var stream: ZStream
  private var scratch = [UInt8](repeating: 0, count: Limits.outputStepBytes)
  private var inputBytes = 0

  /// Creates a compressor with a level from 0 (stored) to 9 (smallest).
  package init(level: Int = Deflater.standardLevel) throws(CompressionError) {
    stream = try ZStream(.deflate(level: level))
  }

  /// Compresses the next piece, and appends the output that is ready.
  package mutating func append(_ input: [UInt8], to output: inout [UInt8]) throws(CompressionError)
  {
    var offset = 0
    while offset < input.count {
      let step = stream.step(input, from: offset, into: &scratch, flush: Z_NO_FLUSH)
      guard step.status == Z_OK else { throw failure(step.status) }
      offset += step.taken
      inputBytes += step.taken
      output.append(contentsOf: scratch[..<step.given])
    }
  }

  /// Ends the stream, and appends its remaining output.
  package consuming func finish(to output: inout [UInt8]) throws(CompressionError) {
    while true {
      let step = stream.step([], from: 0, into: &scratch, flush: Z_FINISH)
      output.append(contentsOf: scratch[..<step.given])
      switch step.status {
      case Z_STREAM_END: return
      case Z_OK, Z_BUF_ERROR: continue
      default: throw failure(step.status)
      }
    }
  }

  private func failure(_ status: Int32) -> CompressionError {
    CompressionError(
      .library, "The compression library failed (zlib status \(status)).", inputOffset: inputBytes)
  }
}
