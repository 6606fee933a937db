import Foundation

/// Measures the minimum time to copy rows over a connection between two plain SQLite databases.
///
/// Names and values are sent without encoding. Every commit is flushed.
final class BareTransfer {
  private let source: BareRecordStore
  private let destination: BareRecordStore
  private let ends: (sending: BenchSocket, receiving: BenchSocket)
  private var buffer: [UInt8]

  /// The number of rows sent before the first is received; the socket's buffer holds them.
  private static let rowsAtOnce = 50
  /// The number of rows per transaction, as on devices.
  private static let rowsInTransaction = 1_000
  private static let bytesOfRow = BenchRecords.bytes.count + BenchRecords.bytesOfName

  /// Creates the files and the connection of a transfer.
  ///
  /// - Parameter path: The path prefix of the two database files.
  init(path: String) throws {
    source = try BareRecordStore(path: path + "-source.sqlite")
    destination = try BareRecordStore(path: path + "-destination.sqlite")
    ends = try BenchSocket.pair()
    buffer = [UInt8](repeating: 0, count: Self.rowsAtOnce * Self.bytesOfRow)
  }

  /// The seconds to insert rows, send them, and insert them at the destination.
  func seconds(rows: Int) throws -> Double {
    let begun = SideBySide.Clock.wall.seconds
    for start in stride(from: 0, to: rows, by: Self.rowsInTransaction) {
      let names = BenchRecords.names(min(Self.rowsInTransaction, rows - start))
      try source.append(names)
      var received: [String] = []
      for part in stride(from: 0, to: names.count, by: Self.rowsAtOnce) {
        received += try carry(Array(names[part..<min(part + Self.rowsAtOnce, names.count)]))
      }
      try destination.append(received)
    }
    let seconds = SideBySide.Clock.wall.seconds - begun
    guard try source.read() == destination.read() else { throw LocalBenchmark.Disagreement() }
    return seconds
  }

  /// Sends rows, receives them, and returns the received names.
  private func carry(_ names: [String]) throws -> [String] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(names.count * Self.bytesOfRow)
    for name in names {
      bytes += name.utf8
      bytes += BenchRecords.bytes
    }
    try ends.sending.send(bytes)
    var received = 0
    while received < bytes.count {
      received += try ends.receiving.receive(into: &buffer, from: received)
    }
    return names.indices.map { row in
      let start = row * Self.bytesOfRow
      return String(decoding: buffer[start..<start + BenchRecords.bytesOfName], as: UTF8.self)
    }
  }
}
