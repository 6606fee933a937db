package import Foundation

/// Raw DEFLATE over whole buffers, as in the model cache of a store.
package enum RawDeflate {
  /// Decompresses a complete stream.
  ///
  /// The limit guards against small inputs that inflate to gigabytes.
  package static func inflate(_ data: Data, maximumOutputBytes: Int) throws(CompressionError)
    -> Data
  {
    var inflater = try Inflater(maximumOutputBytes: maximumOutputBytes)
    var output: [UInt8] = []
    try inflater.append([UInt8](data), to: &output)
    try inflater.finish()
    return Data(output)
  }

  /// Compresses a complete buffer.
  package static func deflate(_ data: Data, level: Int = Deflater.standardLevel)
    throws(CompressionError) -> Data
  {
    var deflater = try Deflater(level: level)
    var output: [UInt8] = []
    try deflater.append([UInt8](data), to: &output)
    try deflater.finish(to: &output)
    return Data(output)
  }
}
