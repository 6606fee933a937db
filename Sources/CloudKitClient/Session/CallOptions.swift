import CloudTransport
package import Foundation

/// What an operation's configuration says of its requests.
package struct CallOptions: Sendable {
  /// How long nothing may come of a request before it is given up.
  package var requestLimit = Duration.seconds(60)
  /// When all that an operation asks for has to be done, files and repetitions among it, by the
  /// clock that nobody sets; nil for no limit.
  package var deadline: Date?
  package var retry = RetryPolicy()

  package init() {}

  /// The options of something that begins now.
  init(_ configuration: CKOperation.Configuration, at now: Date) {
    self.init()
    requestLimit = Self.limit(configuration.timeoutIntervalForRequest)
    deadline = now + configuration.timeoutIntervalForResource
  }

  /// What requests about keys keep to, which engines of encrypted values make for whoever asks
  /// them.
  @TaskLocal static var ofKeys = CallOptions()

  /// Does something with keys, whose requests keep within these limits of time.
  func limitingKeys<Result>(_ work: () async throws -> Result) async throws -> Result {
    var limits = CallOptions()
    (limits.requestLimit, limits.deadline) = (requestLimit, deadline)
    return try await Self.$ofKeys.withValue(limits, operation: work)
  }

  /// Gives a request what is left of the time.
  ///
  /// - Throws: Where nothing is left.
  func limit(_ request: inout TransportRequest, at now: Date) throws(CKError) {
    request.idleLimit = requestLimit
    guard let deadline else { return }
    let left = deadline.timeIntervalSince(now)
    guard left > 0 else {
      throw CKError(
        .networkFailure, "It was not done within the time that timeoutIntervalForResource allows.")
    }
    request.wholeLimit = Self.limit(left)
  }

  /// A limit of time of some seconds, which are what the program wants them to be: without end, or
  /// no number.
  private static func limit(_ seconds: TimeInterval) -> Duration {
    .seconds(min(max(0, seconds), longestLimit))
  }

  /// Whether there is time to wait before something is sent again.
  func allows(_ wait: Duration, at now: Date) -> Bool {
    guard let deadline else { return true }
    return now + wait / .seconds(1) < deadline
  }

  /// A century, in seconds: whoever waits longer has no limit, and durations have one.
  private static let longestLimit = 3e9
}
