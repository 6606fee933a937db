internal import CSQLite
package import Foundation

extension Connection {
  /// Registers a collation for use after `COLLATE`.
  ///
  /// The order must be total and must not change while the connection is open: an index that was
  /// written with another order gives wrong results. `compare` lives as long as the connection and
  /// must not retain it.
  package func register(
    collation name: String, _ compare: @escaping (Span<UInt8>, Span<UInt8>) -> ComparisonResult
  ) throws(SQLiteError) {
    let handle = try unsafe handle()
    let collation = unsafe Unmanaged.passRetained(Collation(compare: compare))
    let code = unsafe sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, collation.toOpaque(),
      { context, leftCount, left, rightCount, right in
        guard let context = unsafe context else { return 0 }
        let collation = unsafe Unmanaged<Collation>.fromOpaque(context).takeUnretainedValue()
        let leftBytes = unsafe UnsafeBufferPointer(
          start: left?.assumingMemoryBound(to: UInt8.self), count: Int(leftCount))
        let rightBytes = unsafe UnsafeBufferPointer(
          start: right?.assumingMemoryBound(to: UInt8.self), count: Int(rightCount))
        return unsafe collation.compare(leftBytes.span, rightBytes.span).code
      },
      { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<Collation>.fromOpaque(context).release()
      })
    guard code == SQLITE_OK else {
      // SQLite releases a function that it rejects, but not a collation.
      unsafe collation.release()
      throw failure(code)
    }
  }
}

/// Keeps a collation's closure; SQLite holds it until the connection closes.
private final class Collation {
  let compare: (Span<UInt8>, Span<UInt8>) -> ComparisonResult

  init(compare: @escaping (Span<UInt8>, Span<UInt8>) -> ComparisonResult) { self.compare = compare }
}

extension ComparisonResult {
  /// The sign that SQLite expects.
  fileprivate var code: Int32 {
    switch self {
    case .orderedAscending: -1
    case .orderedSame: 0
    case .orderedDescending: 1
    }
  }
}
