import CloudKitClient
import Foundation
import TestSupport
import Testing

/// A program's operation over a network in which faults occur in each of its requests.
struct NetworkTrial {
  /// Two devices of Ada's and one of Grace's.
  typealias Devices = DistantCloud.Devices

  /// Prepares the data over a working network.
  var prepare: (Devices) async throws -> Void = { _ in }
  /// The operation.
  ///
  /// It runs many times, each time with faults in other requests.
  let act: (Devices) async throws -> Void
  /// Verifies the result.
  let verify: (Devices, _ when: Comment) async throws -> Void

  /// Temporary faults: the client retries, and the operation has its effect once.
  static let passing: [NetworkFault] = [
    .up(20, .reset), .up(400, .close), .down(0, .reset), .down(300, .close),
    .delay(upMilliseconds: 2, downMilliseconds: 2), .duplicate(answering: .first), .late,
  ]

  /// Answers of a gateway that asks for a sign-in, or does not speak HTTP.
  static let captive: [NetworkFault] = [
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 21\r\n\r\n<html>Sign in!</html>",
    "HTTP/1.1 302 Found\r\nLocation: http://portal.example/\r\nContent-Length: 0\r\n\r\n",
    "no HTTP",
  ].map { .answer(Array($0.utf8), .close) }

  /// A part of a trial; for long trials, each is a test case with its own time limit.
  enum Part: Sendable {
    case temporaryFault(NetworkFault)
    /// A kind of answer, by its index in `captive`.
    case captiveNetwork(Int)
    case wrongClocks
  }

  /// All parts: temporary faults, captive networks, and wrong clocks.
  ///
  /// - Parameter others: Additional temporary faults.
  static func parts(and others: [NetworkFault] = []) -> [Part] {
    (passing + others).map { .temporaryFault($0) } + captive.indices.map { .captiveNetwork($0) }
      + [.wrongClocks]
  }

  /// Runs all parts, one after another.
  func runThroughEverything(and others: [NetworkFault] = []) async throws {
    for part in Self.parts(and: others) { try await run(part) }
  }

  func run(_ part: Part) async throws {
    switch part {
    case .temporaryFault(let fault): try await runWithTemporaryFault(fault)
    case .captiveNetwork(let kind): try await runThroughCaptiveNetworks(kind)
    case .wrongClocks: try await runWithWrongClocks()
    }
  }

  /// Expects a temporary fault to go unnoticed, in whichever request it occurs.
  ///
  /// Each run has the fault in every fourth request, starting at a different offset, so that a
  /// retry succeeds.
  private func runWithTemporaryFault(_ fault: NetworkFault) async throws {
    let gap = [NetworkFault](repeating: .none, count: 3)
    for offset in 0...gap.count {
      let faults = [[NetworkFault]](repeating: [fault] + gap, count: 100).flatMap(\.self)
      try await run(Array(gap.prefix(offset)) + faults, "\(fault) in requests \(offset), …") {
        Issue.record($0, $1)
      }
    }
  }

  /// Expects a gateway's answer to be reported as such, in whichever request it occurs, unless the
  /// operation succeeded nevertheless.
  ///
  /// The first request gets every kind of answer; later ones get one kind each, in turn.
  private func runThroughCaptiveNetworks(_ kind: Int) async throws {
    var number = 0
    while try await runThroughCaptiveNetwork(Self.captive[kind], at: number) {
      number += number < kind ? 1 : Self.captive.count
    }
  }

  /// Returns whether the operation sent enough requests to reach the fault.
  private func runThroughCaptiveNetwork(_ fault: NetworkFault, at number: Int) async throws -> Bool
  {
    let plan = [NetworkFault](repeating: .none, count: number) + [fault]
    return try await run(plan, "\(fault) in request \(number)") { error, when in
      let error = error as? CKError
      let partial = (error?.partialErrorsByItemID ?? [:]).values.compactMap {
        ($0 as? CKError)?.code
      }
      #expect(
        error?.code == .networkFailure || partial.contains(.networkFailure),
        "\(when): \(String(describing: error))")
    }
  }

  /// Expects success with wrong clocks on the devices.
  private func runWithWrongClocks() async throws {
    let days = 86_400.0
    for offsets in [[3 * days, -3 * days, 0], [-4_000 * days, 4_000 * days, 4_000 * days]] {
      try await withDistantCloud { cloud in
        try await cloud.usingDevices(clockOffsets: offsets) { devices in
          try await prepare(devices)
          try await act(devices)
          try await verify(devices, "Clocks that are wrong by \(offsets)")
        }
      }
    }
  }

  /// Runs once with a new cloud.
  ///
  /// - Parameters:
  ///   - plan: The faults of the operation's requests, one after another.
  ///   - judge: Checks the error of a run with faults.
  /// - Returns: Whether all of the plan was injected, that is, whether there were enough requests.
  @discardableResult private func run(
    _ plan: [NetworkFault], _ when: Comment, _ judge: (any Error, _ when: Comment) -> Void
  ) async throws -> Bool {
    var isDone = false
    try await withDistantCloud { cloud in
      try await cloud.usingDevices { devices in
        try await prepare(devices)
        cloud.proxy.plan = plan
        var failure: (any Error)?
        do { try await act(devices) } catch { failure = error }
        let left = cloud.proxy.plan.count
        isDone = left == 0
        cloud.proxy.plan = []
        #expect(left < plan.count, "No request was sent: \(when)")
        if let failure { judge(failure, when) } else { try await verify(devices, when) }
      }
    }
    return isDone
  }
}
