import Foundation
import JSONCoding

/// The benchmarks of reading and writing JSON, compared with Foundation's coders.
package struct JSONBenchmark: Sendable {
  /// The number of records in a document.
  package var records = 400
  /// The number of rounds of each workload.
  package var rounds = 15

  package init() {}

  package typealias Measured = LocalBenchmark.Measured

  /// The error if the two sides read different records, so that their times are not comparable.
  struct Disagreement: Error, CustomStringConvertible {
    var description: String {
      "The benchmark's records are not the same when Foundation reads them."
    }
  }

  /// The workloads.
  package func workloads() -> [BenchmarkWorkload] {
    [BenchmarkWorkload("json.read", run: read), BenchmarkWorkload("json.write", run: write)]
  }

  /// Decodes a document into records.
  private func read() throws -> Measured {
    let document = try document()
    let data = Data(document)
    let sides = try SideBySide(
      rounds: rounds, ours: { _ = try BenchmarkRecord.read(document) },
      reference: { _ = try JSONDecoder().decode(BenchmarkRecord.Response.self, from: data) })
    return Measured(
      result: sides.result("json.read", items: records, limit: 0.18), spread: sides.spread)
  }

  /// Encodes records into a document; the buffer is reused, as in a server.
  private func write() throws -> Measured {
    let records = contents
    let response = BenchmarkRecord.Response(records: records)
    var writer = JSONWriter()
    let sides = try SideBySide(
      rounds: rounds,
      ours: {
        writer.removeAll()
        BenchmarkRecord.write(records, to: &writer)
      },
      reference: { _ = try JSONEncoder().encode(response) })
    return Measured(
      result: sides.result("json.write", items: records.count, limit: 0.07), spread: sides.spread)
  }

  private var contents: [BenchmarkRecord] { (0..<records).map { BenchmarkRecord(number: $0) } }

  /// The document, after a check that both sides read the same records from it.
  private func document() throws -> [UInt8] {
    var writer = JSONWriter()
    BenchmarkRecord.write(contents, to: &writer)
    let document = writer.array()
    let foundations = try JSONDecoder().decode(BenchmarkRecord.Response.self, from: Data(document))
      .records
    guard try BenchmarkRecord.read(document) == contents, foundations == contents else {
      throw Disagreement()
    }
    return document
  }
}
