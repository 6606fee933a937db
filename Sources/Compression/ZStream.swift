import CZlib

/// A `z_stream` at a fixed address, because the library's internal state points to it.
///
/// Each call sets the buffers, and clears them before it returns.
@safe struct ZStream: ~Copyable {
  enum Direction {
    case deflate(level: Int)
    case inflate
  }

  private let stream: UnsafeMutablePointer<z_stream>
  private let direction: Direction

  init(_ direction: Direction) throws(CompressionError) {
    let pointer = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe pointer.initialize(to: z_stream())
    let status =
      switch direction {
      case .deflate(let level): unsafe parhelion_deflate_init_raw(pointer, Int32(clamping: level))
      case .inflate: unsafe parhelion_inflate_init_raw(pointer)
      }
    guard status == Z_OK else {
      unsafe pointer.deallocate()
      throw CompressionError(
        .library, "The compression library did not start (zlib status \(status)).", inputOffset: 0)
    }
    unsafe stream = unsafe pointer
    self.direction = direction
  }

  deinit {
    switch direction {
    case .deflate: _ = unsafe deflateEnd(stream)
    case .inflate: _ = unsafe inflateEnd(stream)
    }
    unsafe stream.deallocate()
  }

  /// The result of one call of the library.
  struct Step {
    let status: Int32
    let taken: Int
    let given: Int
  }

  /// Calls the library once with `input` from `offset`, and writes to `output`.
  mutating func step(_ input: [UInt8], from offset: Int, into output: inout [UInt8], flush: Int32)
    -> Step
  {
    let inputCount = min(input.count - offset, Limits.inputStepBytes)
    let outputCount = output.count
    return unsafe input.withUnsafeBufferPointer { source in
      unsafe output.withUnsafeMutableBufferPointer { target in
        // The library never writes through next_in, although its type lacks the const.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(
          mutating: source.baseAddress.map { unsafe $0 + offset })
        unsafe stream.pointee.avail_in = UInt32(inputCount)
        unsafe stream.pointee.next_out = target.baseAddress
        unsafe stream.pointee.avail_out = UInt32(outputCount)
        let status =
          switch direction {
          case .deflate: unsafe CZlib.deflate(stream, flush)
          case .inflate: unsafe CZlib.inflate(stream, flush)
          }
        let step = unsafe Step(
          status: status, taken: inputCount - Int(stream.pointee.avail_in),
          given: outputCount - Int(stream.pointee.avail_out))
        unsafe stream.pointee.next_in = nil
        unsafe stream.pointee.next_out = nil
        return step
      }
    }
  }
}
