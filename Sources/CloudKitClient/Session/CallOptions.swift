import CloudTransport
package import Foundation

/// The request options from an operation's configuration.
package struct CallOptions: Sendable {
  /// The time without any data after which a request fails.
  package var requestLimit = Duration.seconds(60)
  /// The time by which all requests of an operation must be done, by the monotonic clock; nil for
  /// no limit.
  package var deadline: Date?
  package var retry = RetryPolicy()

  package init() {}

  /// The options of an operation that starts now.
  init(_ configuration: CKOperation.Configuration, at now: Date) {
    self.init()
    requestLimit = Self.limit(configuration.timeoutIntervalForRequest)
    deadline = now + configuration.timeoutIntervalForResource
  }

  /// The options of requests for keys, which the key engine sends on behalf of an operation.
  @TaskLocal static var forKeys = CallOptions()

  /// Runs work whose requests for keys keep this operation's time limits.
  func limitingKeyRequests<Result>(_ work: () async throws -> Result) async throws -> Result {
    var limits = CallOptions()
    (limits.requestLimit, limits.deadline) = (requestLimit, deadline)
    return try await Self.$forKeys.withValue(limits, operation: work)
  }

  /// Sets a request's timeouts from the remaining time.
  ///
  /// - Throws: An error if no time remains.
  func limit(_ request: inout TransportRequest, at now: Date) throws(CKError) {
    request.idleLimit = requestLimit
    guard let deadline else { return }
    let left = deadline.timeIntervalSince(now)
    guard left > 0 else {
      throw CKError(.networkFailure, "The operation exceeded timeoutIntervalForResource.")
    }
    request.wholeLimit = Self.limit(left)
  }

  /// A duration from seconds that the app chose, which may be infinite or not a number.
  private static func limit(_ seconds: TimeInterval) -> Duration {
    .seconds(min(max(0, seconds), longestLimit))
  }

  /// Whether there is enough time to wait for a retry.
  func allows(_ wait: Duration, at now: Date) -> Bool {
    guard let deadline else { return true }
    return now + wait / .seconds(1) < deadline
  }

  /// About a century, in seconds.
  ///
  /// Longer values would overflow.
  private static let longestLimit = 3e9
}
