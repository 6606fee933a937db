import Foundation

/// Memory management of rows.
extension RowLayout {
  /// Creates the empty row, from which all rows without values are copied.
  func makeEmpty(_ row: RowReference, nullBitmapOffset: Int) {
    unsafe row.start.initializeMemory(as: UInt8.self, repeating: 0, count: nullBitmapOffset)
    unsafe (row.start + nullBitmapOffset).initializeMemory(
      as: UInt8.self, repeating: 0xFF, count: stride - nullBitmapOffset)
    for index in 0..<referenceCount {
      let place = unsafe place(of: references[index], in: row)
      switch references[index].kind {
      case .string: unsafe place.initializeMemory(as: String?.self, to: nil)
      case .data: unsafe place.initializeMemory(as: Data?.self, to: nil)
      case .url: unsafe place.initializeMemory(as: URL?.self, to: nil)
      default: unsafe place.initializeMemory(as: BoxedValue?.self, to: nil)
      }
    }
  }

  /// Initializes raw memory as a row without values.
  ///
  /// All references of the empty row are nil, so its bytes can be copied.
  @inline(__always)
  package func initializeRow(_ row: RowReference, key: Int64, version: Int64) {
    unsafe row.start.copyMemory(from: emptyRow.start, byteCount: stride)
    row.key = key
    row.version = version
  }

  /// Initializes raw memory as a row with the values of another.
  package func initializeRow(_ row: RowReference, copying source: RowReference) {
    unsafe row.start.copyMemory(from: source.start, byteCount: stride)
    for index in 0..<referenceCount {
      let slot = references[index]
      let place = unsafe place(of: slot, in: row)
      switch slot.kind {
      case .string: unsafe place.initializeMemory(as: String?.self, to: slot.text(in: source))
      case .data:
        unsafe place.initializeMemory(as: Data?.self, to: slot.load(from: source, as: Data?.self))
      case .url:
        unsafe place.initializeMemory(as: URL?.self, to: slot.load(from: source, as: URL?.self))
      default:
        unsafe place.initializeMemory(
          as: BoxedValue?.self, to: slot.load(from: source, as: BoxedValue?.self))
      }
    }
  }

  /// Releases the references of a row.
  ///
  /// The memory is raw afterwards.
  package func deinitializeRow(_ row: RowReference) { deinitializeRows(1, from: row) }

  /// Releases the references of adjacent rows.
  func deinitializeRows(_ count: Int, from first: RowReference) {
    for index in 0..<referenceCount {
      let place = unsafe place(of: references[index], in: first)
      switch references[index].kind {
      // A lazy string is nil in this type, so nothing is released.
      case .string: unsafe drop(String??.self, count, from: place)
      case .data: unsafe drop(Data?.self, count, from: place)
      case .url: unsafe drop(URL?.self, count, from: place)
      default: unsafe drop(BoxedValue?.self, count, from: place)
      }
    }
  }

  /// Destroys the values of one slot in adjacent rows.
  @unsafe
  @inline(__always)
  private func drop<Value>(_ type: Value.Type, _ count: Int, from first: UnsafeMutableRawPointer) {
    for index in 0..<count {
      // A move is faster than deinitialization, which uses the type's witness table.
      _ = unsafe (first + index * stride).assumingMemoryBound(to: Value.self).move()
    }
  }

  /// Allocates a separate row without values.
  package func allocateRow(key: Int64, version: Int64 = 0) -> RowReference {
    let row = unsafe RowReference(.allocate(byteCount: stride, alignment: 16))
    initializeRow(row, key: key, version: version)
    return row
  }

  /// Allocates a separate row with the values of another.
  package func allocateRow(copying source: RowReference) -> RowReference {
    let row = unsafe RowReference(.allocate(byteCount: stride, alignment: 16))
    initializeRow(row, copying: source)
    return row
  }

  /// Initializes raw memory by moving a row from `allocateRow`, whose memory is freed.
  ///
  /// Swift values may be moved bitwise.
  func initializeRow(_ row: RowReference, moving source: RowReference) {
    unsafe row.start.copyMemory(from: source.start, byteCount: stride)
    unsafe source.start.deallocate()
  }

  /// Destroys a row from `allocateRow`.
  package func deallocateRow(_ row: RowReference) {
    deinitializeRow(row)
    unsafe row.start.deallocate()
  }

  private func place(of slot: RowSlot, in row: RowReference) -> UnsafeMutableRawPointer {
    unsafe row.start + Int(slot.offset)
  }
}
