import CloudKitClient
import Foundation
import TestSupport
import Testing

/// Something that a program does over a network, which every fault meets at every request.
struct NetworkTrial {
  /// Two devices of Ada's and one of Grace's.
  typealias Devices = DistantCloud.Devices

  /// What has to be there before, over a network that works.
  var prepare: (Devices) async throws -> Void = { _ in }
  /// What is done, once for each request that it makes, and once more: the fault happens to another
  /// one each time.
  let act: (Devices) async throws -> Void
  /// What is true afterwards.
  let verify: (Devices, _ when: Comment) async throws -> Void

  /// What passes by itself: the client asks again, and what it does is done once.
  static let passing: [NetworkFault] = [
    .up(20, .reset), .up(400, .close), .down(0, .reset), .down(300, .close),
    .delay(upMilliseconds: 2, downMilliseconds: 2), .duplicate(answering: .first), .late,
  ]

  /// Answers of somebody else than the server, who wants people to sign in, or speaks no HTTP.
  static let captive: [NetworkFault] = [
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 21\r\n\r\n<html>Sign in!</html>",
    "HTTP/1.1 302 Found\r\nLocation: http://portal.example/\r\nContent-Length: 0\r\n\r\n",
    "no HTTP",
  ].map { .answer(Array($0.utf8), .close) }

  /// - Parameter others: What passes by itself beside the usual.
  func runThroughEverything(and others: [NetworkFault] = []) async throws {
    try await runThroughWhatPasses(Self.passing + others)
    try await runThroughCaptiveNetworks()
    try await runWithWrongClocks()
  }

  /// Sees that nothing of what passes by itself is noticed, at whatever request.
  private func runThroughWhatPasses(_ faults: [NetworkFault]) async throws {
    try await run(faults) { error, when in Issue.record(error, when) }
  }

  /// Sees that an answer of somebody else is told as such, at whatever request, unless all went
  /// well nevertheless.
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

  /// Sees that it does not matter what time the devices think it is, whoever has signed in.
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

  /// - Parameter judge: Looks at the error with which it ended where the fault happened.
  private func run(_ faults: [NetworkFault], _ judge: (any Error, _ when: Comment) -> Void)
    async throws
  {
    for fault in faults {
      var number = 0
      while try await run(fault, at: number, judge) { number += 1 }
      #expect(number > 0, "It asked nothing.")
    }
  }

  /// Does it once, with a cloud of its own.
  ///
  /// - Returns: Whether the fault happened: there were so many requests.
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
