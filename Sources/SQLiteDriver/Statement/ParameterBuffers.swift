/// One small buffer per parameter, reused by every execution of a statement.
///
/// SQLite reads a bound text in place if its bytes are declared static. A buffer changes
/// only when its parameter is bound again, and SQLite no longer uses the old bytes then. So binding
/// a value costs one copy and no allocation.
///
/// The buffers are raw memory rather than an array in a class: every bound text passes through
/// here, and the exclusivity checks would cost as much as the copy.
@safe struct ParameterBuffers {
  private let buffers: UnsafeMutableBufferPointer<UnsafeMutableRawBufferPointer>

  /// Allocates buffers for parameters.
  ///
  /// - Parameter count: The number of parameters. The owner calls `deallocate()` when SQLite no
  ///   longer uses the buffers.
  init(count: Int) {
    unsafe buffers = .allocate(capacity: count)
    unsafe buffers.initialize(repeating: UnsafeMutableRawBufferPointer(start: nil, count: 0))
  }

  /// Copies `bytes` into the buffer of parameter `index`, which counts from 1.
  ///
  /// - Returns: The copy, or nil if the value is too long or there is no such parameter.
  @inline(__always)
  func store(_ bytes: UnsafeRawBufferPointer, forParameter index: Int) -> UnsafeRawPointer? {
    guard index > 0, unsafe index <= buffers.count, bytes.count <= Limits.parameterBufferBytes
    else { return nil }
    let slot = index - 1
    if unsafe buffers[slot].count < bytes.count { grow(slot, toHold: bytes.count) }
    unsafe buffers[slot].copyMemory(from: bytes)
    return unsafe UnsafeRawPointer(buffers[slot].baseAddress)
  }

  func deallocate() {
    unsafe buffers.forEach { unsafe $0.deallocate() }
    unsafe buffers.deallocate()
  }

  @inline(never)
  private func grow(_ slot: Int, toHold count: Int) {
    let smallest = 64
    let capacity = Swift.max(smallest, 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount))
    unsafe buffers[slot].deallocate()
    unsafe buffers[slot] = .allocate(byteCount: capacity, alignment: 8)
  }
}
