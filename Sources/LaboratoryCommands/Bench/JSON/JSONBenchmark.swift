import Foundation
import JSONCoding

/// The benchmarks of reading and writing JSON, beside Foundation's coders.
package struct JSONBenchmark: Sendable {
  /// How many records a document holds.
  package var records = 400
  /// How many times each workload is measured.
  package var rounds = 15

  package init() {}

  package typealias Measured = LocalBenchmark.Measured

  /// Both sides read different records, so their times mean nothing.
  struct Disagreement: Error, CustomStringConvertible {
    var description: String {
      "The benchmark's records are not the same when Foundation reads them."
    }
  }

  /// Its workloads.
  package func workloads() -> [BenchmarkWorkload] {
    [BenchmarkWorkload("json.read", run: read), BenchmarkWorkload("json.write", run: write)]
  }

  /// A document into records.
  private func read() throws -> Measured {
    let document = try document()
    let data = Data(document)
    let sides = try SideBySide(
      rounds: rounds, ours: { _ = try BenchmarkRecord.read(document) },
      reference: { _ = try JSONDecoder().decode(BenchmarkRecord.Response.self, from: data) })
    return Measured(
      result: sides.result("json.read", items: records, limit: 0.18), spread: sides.spread)
  }

  /// Records into a document; the buffer is kept, as a server keeps it.
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

  /// The document, which both sides read as the same records.
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
