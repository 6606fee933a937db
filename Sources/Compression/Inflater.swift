import CZlib

/// Decompresses a raw DEFLATE stream (RFC 1951, without header and checksum) that arrives in
/// pieces.
///
/// A piece of n bytes gives at most about 1,032 × n bytes of output. A caller bounds memory by the
/// size of its pieces and by draining `output`. `maximumOutputBytes` bounds the total output.
package struct Inflater: ~Copyable {
  private var stream: ZStream
  private var scratch = [UInt8](repeating: 0, count: Limits.outputStepBytes)
  private let maximumOutputBytes: Int
  private var inputBytes = 0
  private var outputBytes = 0

  /// Whether the stream's last block has been read.
  package private(set) var isAtEnd = false

  /// Creates a decompressor with a limit for its whole output.
  package init(maximumOutputBytes: Int) throws(CompressionError) {
    self.maximumOutputBytes = maximumOutputBytes
    stream = try ZStream(.inflate)
  }

  /// Decompresses the next piece, and appends the output.
  package mutating func append(_ input: [UInt8], to output: inout [UInt8]) throws(CompressionError)
  {
    var offset = 0
    while true {
      guard !isAtEnd else {
        guard offset == input.count else {
          throw failure(.trailingBytes, "Bytes follow the end of the compressed data.")
        }
        return
      }
      let step = stream.step(input, from: offset, into: &scratch, flush: Z_NO_FLUSH)
      offset += step.taken
      inputBytes += step.taken
      outputBytes += step.given
      guard outputBytes <= maximumOutputBytes else {
        throw failure(
          .tooLarge,
          "The data inflates to more than the \(maximumOutputBytes) bytes that are allowed here.")
      }
      output.append(contentsOf: scratch[..<step.given])
      switch step.status {
      case Z_STREAM_END: isAtEnd = true
      case Z_OK: if offset == input.count && step.given < scratch.count { return }
      case Z_BUF_ERROR: return  // Nothing left to do with this piece.
      case Z_DATA_ERROR, Z_NEED_DICT: throw failure(.corrupted, "The compressed data is damaged.")
      default:
        throw failure(.library, "The compression library failed (zlib status \(step.status)).")
      }
    }
  }

  /// Checks that the stream was complete.
  package consuming func finish() throws(CompressionError) {
    guard isAtEnd else { throw failure(.truncated, "The compressed data ends too early.") }
  }

  private func failure(_ code: CompressionError.Code, _ message: String) -> CompressionError {
    CompressionError(code, message, inputOffset: inputBytes)
  }
}
