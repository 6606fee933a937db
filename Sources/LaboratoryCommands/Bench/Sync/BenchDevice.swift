import Dispatch
import Foundation
import Synchronization

/// A demonstration device in a separate process, for benchmarks: calls wait for the answer.
package final class BenchDevice {
  private let process: DeviceProcess
  private let answers: DeviceAnswers
  private let place: DemoPlace
  private let server: BenchServer
  private var lastOrder = 0

  /// Starts the process, without a store.
  package init(_ name: DemoDeviceName, on server: BenchServer) throws {
    self.server = server
    place = server.place("\(name.rawValue)-\(UUID().uuidString)")
    let folder = URL(fileURLWithPath: place.folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let answers = DeviceAnswers()
    self.answers = answers
    process = try DeviceProcess(name, executable: server.executable, folder: folder) {
      answers.take($0)
    }
    server.note(process: process.processIdentifier)
  }

  deinit { server.forget(process: process.processIdentifier) }

  /// The system's accounting of the process.
  var figures: ProcessFigures { ProcessFigures(process: process.processIdentifier) }

  /// Opens the device's store: a new one, or a file that other processes also have open.
  @discardableResult
  package func open(sharedFile: String? = nil) throws -> DemoSpan {
    var place = place
    place.sharedFile = sharedFile
    return try ask(.measured(.open(place: place)))
  }

  /// Sends an order and returns its number.
  package func begin(_ order: DemoOrder) throws -> Int {
    lastOrder += 1
    try process.send(DemoRequest(number: lastOrder, order: order))
    return lastOrder
  }

  /// Waits until an order is done.
  @discardableResult
  package func end(_ number: Int) throws -> DemoSpan {
    guard case .done(_, let span) = try answers.wait(for: number) else {
      throw DeviceAnswers.Failure.noSense
    }
    return span
  }

  /// Sends an order, and waits until it is done.
  @discardableResult
  package func ask(_ order: DemoOrder) throws -> DemoSpan { try end(try begin(order)) }

  /// The counts and the digest of its content.
  package func sum() throws -> DemoSum {
    guard case .sum(_, let sum) = try answers.wait(for: try begin(.measured(.sum))) else {
      throw DeviceAnswers.Failure.noSense
    }
    return sum
  }
}

/// The answers of a device that no call has returned yet.
private final class DeviceAnswers: Sendable {
  enum Failure: Error, CustomStringConvertible {
    case gone, silent, noSense
    case refused(String)
    case noise(String)

    var description: String {
      switch self {
      case .gone: "The process of a device has ended."
      case .silent: "A device does not answer."
      case .noSense: "A device sent an unexpected answer."
      case .refused(let reason): "A device failed: \(reason)"
      case .noise(let line): "A device said: \(line)"
      }
    }
  }

  private let events = Mutex<[Int: Result<DemoMessage, Failure>]>([:])
  /// An error that ends all orders.
  private let end = Mutex<Failure?>(nil)
  private let news = DispatchSemaphore(value: 0)

  /// The time limit, which is longer than a device's own.
  private static let patienceSeconds = 1_800.0

  /// Records an event of the process.
  func take(_ event: DemoEvent) {
    switch event {
    case .message(let message, _): take(message)
    case .noise(let line, _): end.withLock { $0 = $0 ?? .noise(line) }
    case .gone: end.withLock { $0 = $0 ?? .gone }
    case .tick, .stop: return
    }
    news.signal()
  }

  private func take(_ message: DemoMessage) {
    switch message {
    case .done(let order, _), .sum(let order, _): events.withLock { $0[order] = .success(message) }
    case .refused(let order, let reason): events.withLock { $0[order] = .failure(.refused(reason)) }
    case .shows, .server: break
    }
  }

  func wait(for order: Int) throws -> DemoMessage {
    while true {
      if let answer = events.withLock({ $0.removeValue(forKey: order) }) { return try answer.get() }
      if let failure = end.withLock(\.self) { throw failure }
      guard news.wait(timeout: .now() + Self.patienceSeconds) == .success else {
        throw Failure.silent
      }
    }
  }
}
