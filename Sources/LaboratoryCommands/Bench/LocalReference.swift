import CSQLiteReference

/// The local workloads in C.
@safe final class LocalReference {
  /// A failure of the reference.
  struct Failure: Error, CustomStringConvertible {
    let code: Int32
    var description: String {
      "The C reference of the benchmark failed with SQLite's code \(code)."
    }
  }

  private let reference: OpaquePointer

  init() throws {
    guard let reference = unsafe parhelion_reference_open() else { throw Failure(code: -1) }
    unsafe self.reference = unsafe reference
    try execute(LocalRows.schema)
  }

  deinit { unsafe parhelion_reference_close(reference) }

  func removeAll() throws { try execute("DELETE FROM ZPOST") }

  private func execute(_ sql: String) throws {
    try check(unsafe parhelion_reference_execute(reference, sql))
  }

  func insert(_ count: Int, of rows: LocalReference.Rows) throws {
    try check(
      unsafe parhelion_reference_insert(
        reference, LocalRows.insert, Int64(count), rows.names.baseAddress, rows.notes.baseAddress,
        rows.tokens.baseAddress, Int64(LocalRows.variety)))
  }

  func read() throws -> Int64 {
    var checksum: Int64 = 0
    try check(unsafe parhelion_reference_read(reference, LocalRows.select, &checksum))
    return checksum
  }

  private func check(_ code: Int32) throws {
    guard code == 0 else { throw Failure(code: code) }
  }
}

extension LocalReference {
  /// The content of the rows in C, at fixed addresses.
  @safe final class Rows {
    let names: UnsafeMutableBufferPointer<parhelion_reference_bytes>
    let notes: UnsafeMutableBufferPointer<parhelion_reference_bytes>
    let tokens: UnsafeMutableBufferPointer<parhelion_reference_bytes>

    convenience init(_ rows: LocalRows) {
      self.init(
        names: rows.posts.map(\.name), notes: rows.posts.map(\.note),
        tokens: rows.posts.map(\.token))
    }

    init(names: [String], notes: [String], tokens: [[UInt8]]) {
      unsafe self.names = Self.copy(names.map { Array($0.utf8) })
      unsafe self.notes = Self.copy(notes.map { Array($0.utf8) })
      unsafe self.tokens = Self.copy(tokens)
    }

    deinit {
      unsafe Self.free(names)
      unsafe Self.free(notes)
      unsafe Self.free(tokens)
    }

    private static func free(_ list: UnsafeMutableBufferPointer<parhelion_reference_bytes>) {
      unsafe list.forEach { unsafe $0.bytes.deallocate() }
      unsafe list.deallocate()
    }

    private static func copy(_ values: [[UInt8]]) -> UnsafeMutableBufferPointer<
      parhelion_reference_bytes
    > {
      let list = UnsafeMutableBufferPointer<parhelion_reference_bytes>.allocate(
        capacity: values.count)
      for (index, value) in values.enumerated() {
        let bytes = UnsafeMutableBufferPointer<CChar>.allocate(capacity: max(1, value.count))
        for (offset, byte) in value.enumerated() { unsafe bytes[offset] = CChar(bitPattern: byte) }
        unsafe list.initializeElement(
          at: index,
          to: parhelion_reference_bytes(
            bytes: UnsafePointer(bytes.baseAddress), count: Int32(value.count)))
      }
      return unsafe list
    }
  }
}
