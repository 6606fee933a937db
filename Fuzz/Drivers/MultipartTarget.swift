import RecordServerHTTP

/// Forms with a file: the file or error is the same however the form is divided, and a file
/// survives being sent in a form.
enum MultipartTarget: FuzzTarget {
  static let name = "multipart"

  private static let boundary = "x"

  static func run(_ bytes: [UInt8]) {
    let whole = read(bytes, inPiecesOf: max(1, bytes.count))
    for length in [1, Int(bytes.first ?? 1) % 31 + 2] {
      require(
        read(bytes, inPiecesOf: length) == whole, "the result depends on how the form is divided")
    }
    let end = Array("\r\n--\(boundary)".utf8)
    guard !contains(end, in: Array("\r\n".utf8) + bytes + end.dropLast()) else { return }
    let form =
      Array("--\(boundary)\r\nContent-Type: a/b\r\n\r\n".utf8) + bytes + end + Array("--\r\n".utf8)
    require(
      read(form, inPiecesOf: 64) == .success(bytes), "a file changes when it is sent in a form")
  }

  private static func read(_ form: [UInt8], inPiecesOf length: Int) -> Result<
    [UInt8], MultipartError
  > {
    Result { () throws(MultipartError) in
      var reader = MultipartReader(boundary: boundary)
      var contents: [UInt8] = []
      for start in stride(from: 0, to: form.count, by: length) {
        contents += try reader.read(Array(form[start..<min(form.count, start + length)]))
      }
      try reader.finish()
      return contents
    }
  }

  private static func contains(_ wanted: [UInt8], in bytes: [UInt8]) -> Bool {
    guard bytes.count >= wanted.count else { return false }
    return (0...(bytes.count - wanted.count)).contains { bytes[$0...].starts(with: wanted) }
  }

  static func seeds() throws -> [[UInt8]] {
    [
      "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a\"\r\n\r\nfile\r\n--x--\r\n",
      "--x\r\n\r\n\r\n--x--",
      "preamble\r\n--x \t\r\nA: b\r\n\r\n\r\n--X\r\n-\r\n--x--epilogue",
      "--x\r\n\r\na\r\n--x\r\n\r\nb\r\n--x--",
      "--x--", "\r\n--",
    ].map { Array($0.utf8) }
  }
}
