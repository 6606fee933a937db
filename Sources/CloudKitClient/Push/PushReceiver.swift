import CloudRecords
import CloudTransport
import CloudWire
import Foundation
import Synchronization

/// A signal to the listeners of a device.
package enum PushSignal: Sendable {
  /// The device has started to listen. Earlier changes may not have been reported.
  ///
  /// - `tellsOfEnds`: Whether the server reports the end of subscriptions.
  case listening(tellsOfEnds: Bool)
  /// The device cannot listen, for the given reason. It retries until it can.
  case silent(CKError)
  case notification(CKNotification)
  /// A sync engine of this process has saved changes, which the server reports to other devices
  /// only.
  case saved(CKDatabase.Scope, by: ObjectIdentifier)
  /// The schema of the container's environment may have changed.
  case schemaChanged
  /// This process has changed subscriptions to a database, which the server reports to other
  /// devices only.
  case subscriptionsChanged(CKDatabase.Scope)
}

/// Receives the server's push messages for this device, over one connection for all listeners.
///
///     first listener ──▶ token ──▶ channel ──▶ signals ──▶ last listener leaves: channel closed
///                          ▲          │
///                          └──────────┘ the token is rejected (see `ChannelRenewalPolicy`), or the
///                                       account changes or cannot be read
///
/// The server does not report changes to the device that made them, so a container's sync engines
/// notify each other. After the connection breaks, a network change or a response to another
/// request ends the back-off early. Listeners learn from `listening` that the network is back.
final class PushReceiver: Sendable {
  private let state = Mutex(State())

  private struct State {
    var listeners: [Int: AsyncStream<PushSignal>.Continuation] = [:]
    var lastNumber = 0
    var work: Task<Void, Never>?
    /// The number of the current channel, so that late events of an earlier one are ignored.
    var channel = 0
    /// The `listening` signal of the current connection; nil while the device does not listen.
    var listening: PushSignal?
    /// The schema version that the server last reported, on any channel.
    var schema: String?
    /// Whether the container was bound to another server, which ends this receiver.
    var hasEnded = false
  }

  /// The maximum number of buffered signals of a listener.
  ///
  /// If older signals are dropped, `listening` follows, which makes the app fetch all changes.
  private static let bufferedSignals = 1_000

  /// Returns a new stream of signals for one listener.
  func signals(from binding: ContainerBinding) -> AsyncStream<PushSignal> {
    let (signals, continuation) = AsyncStream<PushSignal>.makeStream(
      bufferingPolicy: .bufferingNewest(Self.bufferedSignals))
    let number = state.withLock { state -> Int? in
      guard !state.hasEnded else { return nil }
      state.lastNumber += 1
      state.listeners[state.lastNumber] = continuation
      // A later listener has missed the `listening` signal of the current connection.
      if let listening = state.listening { continuation.yield(listening) }
      if state.work == nil { start(binding, &state) }
      return state.lastNumber
    }
    if let number {
      continuation.onTermination = { [weak self] _ in self?.remove(number) }
    } else {
      continuation.finish()
    }
    return signals
  }

  /// Reconnects after an account change, if there are listeners.
  func restart(_ binding: ContainerBinding) {
    let former = state.withLock { state -> Task<Void, Never>? in
      guard let former = state.work else { return nil }
      start(binding, &state)
      return former
    }
    former?.cancel()
  }

  /// Ends all streams, including later ones of listeners that still use this receiver's binding.
  func end() {
    let (listeners, work) = state.withLock { state in
      defer {
        state = State(lastNumber: state.lastNumber, channel: state.channel + 1, hasEnded: true)
      }
      return (Array(state.listeners.values), state.work)
    }
    work?.cancel()
    for listener in listeners { listener.finish() }
  }

  private func remove(_ number: Int) {
    let ended = state.withLock { state -> Task<Void, Never>? in
      state.listeners[number] = nil
      guard state.listeners.isEmpty else { return nil }
      defer { (state.work, state.listening, state.channel) = (nil, nil, state.channel + 1) }
      return state.work
    }
    ended?.cancel()
  }

  /// Sends a signal to all listeners.
  ///
  /// - Parameter channel: The channel that the signal comes from; nil for signals of this process.
  ///   Signals of earlier channels are ignored.
  func send(_ signal: PushSignal, by channel: Int? = nil) {
    state.withLock { state in
      if let channel, channel != state.channel { return }
      switch signal {
      case .listening: state.listening = signal
      case .silent: state.listening = nil
      case .notification, .saved, .schemaChanged, .subscriptionsChanged: break
      }
      // Sent under the lock, so that a concurrent new listener gets each signal once and in order.
      for listener in state.listeners.sorted(by: { $0.key < $1.key }) {
        if case .dropped = listener.value.yield(signal), let listening = state.listening {
          listener.value.yield(listening)
        }
      }
    }
  }

  /// Handles the schema version that the server reports at the start of each stream, even if it is
  /// unchanged.
  private func schemaReported(_ version: String, by channel: Int) {
    let isNew = state.withLock { state in
      guard channel == state.channel, state.schema != version else { return false }
      state.schema = version
      return true
    }
    if isNew { send(.schemaChanged, by: channel) }
  }

  // MARK: The channel

  private func start(_ binding: ContainerBinding, _ state: inout State) {
    state.channel += 1
    state.listening = nil
    let channel = state.channel
    state.work = Task.detached { [weak self, weak binding] in
      // Repeating a request with the same identifier returns the same token.
      let device = UUID().uuidString
      var (pace, accountFailures) = (ChannelRenewalPolicy(), 0)
      let early = EarlyAttempts()
      while !Task.isCancelled, let self, let binding {
        let session: CloudSession
        do throws(CKError) { session = try binding.session() } catch {
          // The accounts may become readable again without any signal, so retry.
          self.send(.silent(error), by: channel)
          accountFailures += 1
          await binding.dependencies.pause(PushBackoff(failures: accountFailures))
          continue
        }
        accountFailures = 0
        let pause = await self.listen(to: session, as: device, channel, &pace, early)
        if let pause, !Task.isCancelled { await early.pause(pause, session) }
      }
    }
  }

  /// Listens until the channel ends.
  ///
  /// - Returns: The back-off; nil to request a new token immediately.
  private func listen(
    to session: CloudSession, as device: String, _ number: Int, _ pace: inout ChannelRenewalPolicy,
    _ early: EarlyAttempts
  ) async -> PushBackoff? {
    let dependencies = session.dependencies
    let begun = dependencies.now()
    do throws(CKError) {
      try await listen(to: session, as: device, number, early)
      return pace.refused(after: dependencies.now().timeIntervalSince(begun))
    } catch {
      if !Task.isCancelled { send(.silent(error), by: number) }
      return pace.failed(asked: error.retryAfterSeconds)
    }
  }

  /// Listens until the server rejects the device, or the task is cancelled.
  private func listen(
    to session: CloudSession, as device: String, _ number: Int, _ early: EarlyAttempts
  ) async throws(CKError) {
    let (channel, tellsOfEnds) = try await session.openChannel(device, early) { [weak self] in
      self?.send(.silent(.pushBroken), by: number)
    }
    let listening = PushSignal.listening(tellsOfEnds: tellsOfEnds)
    for await event in channel.events {
      switch event {
      case .listening: send(listening, by: number)
      case .notification(let bytes):
        send(CKNotification(bytes).map { .notification($0) } ?? listening, by: number)
      case .schema(let version): schemaReported(version, by: number)
      case .refused(let status):
        session.setDeviceToken(nil)
        send(.silent(.pushRefused(status)), by: number)
      }
    }
    await channel.stop()
  }
}

extension CKError {
  /// The error for an interrupted push connection.
  fileprivate static let pushBroken = CKError(
    .networkFailure, "The push connection to the server is interrupted. It is being restored.")

  /// Creates the error for a push token that the server rejected.
  fileprivate static func pushRefused(_ status: Int) -> CKError {
    CKError(
      .serverRejectedRequest,
      "The server rejected this device's push token (status \(status)). Requesting another token.")
  }
}

/// Ends the back-off early when the server responds to another request of this device.
///
/// Each early end leads to an attempt. Some proxies pass requests but not streams. Behind such a
/// proxy, a busy app would cause one attempt per request, so early ends are throttled.
private final class EarlyAttempts: Sendable {
  /// The minimum time between two early ends, in seconds.
  private static let distance: TimeInterval = 10

  private let last = Mutex<Date?>(nil)

  func pause(_ pause: PushBackoff, _ session: CloudSession) async {
    let (dependencies, answers) = (session.dependencies, session.answers)
    let before = answers.count
    await dependencies.waitForNetwork(atMost: pause.duration(chance: dependencies.chance())) {
      var count = before
      if let asked = pause.asked {
        try? await dependencies.wait(asked)
        count = answers.count
      }
      repeat {
        count = await answers.next(after: count)
      } while !Task.isCancelled && !self.take(dependencies.monotonicNow())
    }
  }

  /// Returns whether a back-off may end early now, and records the time if it may.
  private func take(_ now: Date) -> Bool {
    last.withLock { last in
      if let last, now.timeIntervalSince(last) < Self.distance { return false }
      last = now
      return true
    }
  }
}

extension ClientDependencies {
  /// Waits before the next attempt, with increasing back-off.
  fileprivate func pause(_ pause: PushBackoff) async {
    await waitForNetwork(atMost: pause.duration(chance: chance()))
  }
}

extension CloudSession {
  /// Registers the device and opens its channel.
  fileprivate func openChannel(
    _ device: String, _ early: EarlyAttempts, broken: @escaping @Sendable () -> Void
  ) async throws(CKError) -> (PushChannel, tellsOfEnds: Bool) {
    let asked = TokensCreateRequest(
      environment: address.container.environment.rawValue, clientIdentifier: device)
    let (answer, _) = try await exchange(
      address.devicePath(TokensCreateRequest.endpoint), asked.body, CallOptions())
    let created: PushTokenResponse = try read(answer)
    setDeviceToken(created.token)
    let wait = address.absolute(created.webcourierURL)
    // A server that returns no stream URL supports only Apple's documented protocol, long polling.
    let stream = created.streamURL.map { TransportRequest(.get, address.absolute($0)) }
    let channel = PushChannel(
      transport, stream: stream, wait: TransportRequest(.get, wait),
      pause: { [weak self] in if let self { await early.pause($0, self) } }, broken: broken)
    return (channel, tellsOfEnds: stream != nil)
  }
}

extension CKNotification {
  /// Parses a notification; nil if it is invalid.
  fileprivate convenience init?(_ bytes: [UInt8]) {
    guard let dictionary = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    else { return nil }
    self.init(fromRemoteNotificationDictionary: dictionary)
  }
}
