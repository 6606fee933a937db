import CloudKitClient
import Foundation
import TestSupport
import Testing

/// A program's operation over a network, in which each fault is injected into each request.
struct NetworkTrial {
  /// Two devices of Ada's and one of Grace's.
  typealias Devices = DistantCloud.Devices

  /// Prepares the data over a working network.
  var prepare: (Devices) async throws -> Void = { _ in }
  /// The operation, which runs once for each of its requests and once more.
  ///
  /// Each run injects the fault into another request.
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

  /// Runs with each fault in each request, with captive networks, and with wrong clocks.
  ///
  /// - Parameter others: Additional temporary faults.
  func runThroughEverything(and others: [NetworkFault] = []) async throws {
    try await runThroughWhatPasses(Self.passing + others)
    try await runThroughCaptiveNetworks()
    try await runWithWrongClocks()
  }

  /// Expects temporary faults to go unnoticed, in whichever request they occur.
  private func runThroughWhatPasses(_ faults: [NetworkFault]) async throws {
    try await run(faults) { error, when in Issue.record(error, when) }
  }

  /// Expects a gateway's answer to be reported as such, in whichever request it occurs, unless the
  /// operation succeeded nevertheless.
  private func runThroughCaptiveNetworks() async throws {
    try await run(Self.captive) { error, when in
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

  /// Runs with each fault in each request.
  ///
  /// - Parameter judge: Checks the error of a run with the fault.
  private func run(_ faults: [NetworkFault], _ judge: (any Error, _ when: Comment) -> Void)
    async throws
  {
    for fault in faults {
      var number = 0
      while try await run(fault, at: number, judge) { number += 1 }
      #expect(number > 0, "No request was sent.")
    }
  }

  /// Runs once with a new cloud.
  ///
  /// - Returns: Whether the fault was injected, that is, whether there were enough requests.
  private func run(
    _ fault: NetworkFault, at number: Int, _ judge: (any Error, _ when: Comment) -> Void
  ) async throws -> Bool {
    let when = Comment("\(fault) at request \(number)")
    var hasHappened = false
    try await withDistantCloud { cloud in
      try await cloud.usingDevices { devices in
        try await prepare(devices)
        cloud.proxy.plan = [NetworkFault](repeating: .none, count: number) + [fault]
        var failure: (any Error)?
        do { try await act(devices) } catch { failure = error }
        hasHappened = cloud.proxy.plan.isEmpty
        cloud.proxy.plan = []
        guard let failure else { return try await verify(devices, when) }
        guard hasHappened else { throw failure }
        judge(failure, when)
      }
    }
    return hasHappened
  }
}
