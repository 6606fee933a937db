import CloudRecords
import CloudTransport
import CloudWire
import Foundation
import Synchronization

/// What a device hears of: a notification, or that it may have missed some.
package enum PushSignal: Sendable {
  /// The device listens from now on: what happened before was perhaps not told.
  ///
  /// - `tellsOfEnds`: Whether the server tells when a subscription ends.
  case listening(tellsOfEnds: Bool)
  /// The device does not hear what the server tells, and why; it is tried again, until it listens.
  case silent(CKError)
  case notification(CKNotification)
  /// An engine of this program has saved something, which the server tells other devices alone.
  case saved(CKDatabase.Scope, by: ObjectIdentifier)
  /// The schema of the container's environment may have changed.
  case schemaChanged
  /// This program has changed or ended subscriptions to a database, which the server tells other
  /// devices alone.
  case subscriptionsChanged(CKDatabase.Scope)
}

/// Hears what the server tells this device, over one connection for all that listen.
///
///     first listener ──▶ token ──▶ channel ──▶ words to everybody ──▶ last listener goes: the channel is closed
///                          ▲          │
///                          └──────────┘ the server refuses the token (`ChannelRenewalPolicy` says when), or somebody else is signed in; the accounts cannot be read
///
/// Who listens is not told by the server of what was done through the same binding: it leaves out
/// the device that did it. Engines tell each other. Where the connection breaks, a change of the
/// machine's network or an answer to another request ends the pause before the next attempt, and
/// that the device listens again tells everybody that the network is back.
final class PushReceiver: Sendable {
  private let state = Mutex(State())

  private struct State {
    var listeners: [Int: AsyncStream<PushSignal>.Continuation] = [:]
    var lastNumber = 0
    var work: Task<Void, Never>?
    /// Counts the channels, so that what a former one has still to say is not taken for the present
    /// one's.
    var channel = 0
    /// What the device was told when it began to listen; nil while it does not.
    var listening: PushSignal?
    /// The version of the schema that the server told last, over all channels.
    var schema: String?
    /// The container is bound to something else: nobody listens here any more.
    var hasEnded = false
  }

  /// Words that nobody has taken yet; older ones are lost then, and those that are left make a
  /// program look at everything.
  private static let unreadWords = 1_000

  /// A stream of its own for whoever listens, for as long as they do.
  func words(from binding: ContainerBinding) -> AsyncStream<PushSignal> {
    let (words, line) = AsyncStream<PushSignal>.makeStream(
      bufferingPolicy: .bufferingNewest(Self.unreadWords))
    let number = state.withLock { state -> Int? in
      guard !state.hasEnded else { return nil }
      state.lastNumber += 1
      state.listeners[state.lastNumber] = line
      // Whoever comes later has missed that the device listens.
      if let listening = state.listening { line.yield(listening) }
      if state.work == nil { start(binding, &state) }
      return state.lastNumber
    }
    if let number {
      line.onTermination = { [weak self] _ in self?.remove(number) }
    } else {
      line.finish()
    }
    return words
  }

  /// Somebody else is signed in: begins again, where anybody listens.
  func restart(_ binding: ContainerBinding) {
    let former = state.withLock { state -> Task<Void, Never>? in
      guard let former = state.work else { return nil }
      start(binding, &state)
      return former
    }
    former?.cancel()
  }

  /// Nobody listens any more, nor does anybody begin to who has just asked what the container is
  /// bound to.
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

  /// Tells everybody who listens.
  ///
  /// - Parameter channel: Which channel says it, whose word counts as long as it is the present
  ///   one; nil for words of this program.
  func tell(_ word: PushSignal, by channel: Int? = nil) {
    state.withLock { state in
      if let channel, channel != state.channel { return }
      switch word {
      case .listening: state.listening = word
      case .silent: state.listening = nil
      case .notification, .saved, .schemaChanged, .subscriptionsChanged: break
      }
      // Within the lock: whoever comes meanwhile is told once, in the order of what happened.
      for listener in state.listeners.sorted(by: { $0.key < $1.key }) { listener.value.yield(word) }
    }
  }

  /// The server told the version of the schema: at the start of a stream it is the same one as a
  /// rule.
  private func schemaTold(_ version: String, by channel: Int) {
    let isNews = state.withLock { state in
      guard channel == state.channel, state.schema != version else { return false }
      state.schema = version
      return true
    }
    if isNews { tell(.schemaChanged, by: channel) }
  }

  // MARK: The channel

  private func start(_ binding: ContainerBinding, _ state: inout State) {
    state.channel += 1
    state.listening = nil
    let channel = state.channel
    state.work = Task.detached { [weak self, weak binding] in
      // Who asks again with the same name gets the same token.
      let device = UUID().uuidString
      var (pace, accountFailures) = (ChannelRenewalPolicy(), 0)
      let early = EarlyAttempts()
      while !Task.isCancelled, let self, let binding {
        let session: CloudSession
        do throws(CKError) { session = try binding.session() } catch {
          // Where the accounts cannot be read, that may be mended by whoever looks after the
          // machine, and nobody is told.
          self.tell(.silent(error), by: channel)
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

  /// Listens until that goes on no more.
  ///
  /// - Returns: How long nothing is asked then; nil where another token is asked for at once.
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
      if !Task.isCancelled { tell(.silent(error), by: number) }
      return pace.failed(asked: error.retryAfterSeconds)
    }
  }

  /// Listens until the server refuses the device, or this is cancelled.
  private func listen(
    to session: CloudSession, as device: String, _ number: Int, _ early: EarlyAttempts
  ) async throws(CKError) {
    let (channel, tellsOfEnds) = try await session.openChannel(device, early) { [weak self] in
      self?.tell(.silent(.pushBroken), by: number)
    }
    let listening = PushSignal.listening(tellsOfEnds: tellsOfEnds)
    for await event in channel.events {
      switch event {
      case .listening: tell(listening, by: number)
      case .notification(let bytes):
        tell(CKNotification(bytes).map { .notification($0) } ?? listening, by: number)
      case .schema(let version): schemaTold(version, by: number)
      case .refused(let status):
        session.setDeviceToken(nil)
        tell(.silent(.pushRefused(status)), by: number)
      }
    }
    await channel.stop()
  }
}

extension CKError {
  /// The connection over which the server tells of changes is broken.
  fileprivate static let pushBroken = CKError(
    .networkFailure,
    "The connection over which the server tells of changes is broken. It is tried again.")

  /// The server does not let this device listen.
  fileprivate static func pushRefused(_ status: Int) -> CKError {
    CKError(
      .serverRejectedRequest,
      "The server does not tell this device of changes (status \(status)). It is asked again with another token."
    )
  }
}

/// Ends pauses early when the server answers another request of the same device.
///
/// An answer does not shorten what the server itself asked for (`Retry-After`): it is about other
/// requests. Each such end costs an attempt. Where requests pass and streams do not, as through
/// some proxies, a busy program would make one attempt for each request: so early ends keep a
/// distance.
private final class EarlyAttempts: Sendable {
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
      } while !Task.isCancelled && !self.take(dependencies.steady())
    }
  }

  /// Whether a pause may end early now, after the former one that did.
  private func take(_ now: Date) -> Bool {
    last.withLock { last in
      if let last, now.timeIntervalSince(last) < Self.distance { return false }
      last = now
      return true
    }
  }
}

extension ClientDependencies {
  /// Waits before a next attempt: longer after each that failed.
  fileprivate func pause(_ pause: PushBackoff) async {
    await waitForNetwork(atMost: pause.duration(chance: chance()))
  }
}

extension CloudSession {
  /// Makes the device known, and connects it.
  fileprivate func openChannel(
    _ device: String, _ early: EarlyAttempts, broken: @escaping @Sendable () -> Void
  ) async throws(CKError) -> (PushChannel, tellsOfEnds: Bool) {
    let asked = TokensCreateRequest(
      environment: address.container.environment.rawValue, clientIdentifier: device)
    let (answer, _) = try await exchange(
      address.devicePath(TokensCreateRequest.endpoint), asked.body, CallOptions())
    let made: PushTokenResponse = try read(answer)
    setDeviceToken(made.token)
    let wait = address.absolute(made.webcourierURL)
    // Whoever says nothing of a stream speaks the documented protocol: one request after the other.
    let stream = made.streamURL.map { TransportRequest(.get, address.absolute($0)) }
    let channel = PushChannel(
      transport, stream: stream, wait: TransportRequest(.get, wait),
      pause: { [weak self] in if let self { await early.pause($0, self) } }, broken: broken)
    return (channel, tellsOfEnds: stream != nil)
  }
}

extension CKNotification {
  /// The notification in the server's JSON; nil for one that cannot be read, which may stand for
  /// anything.
  fileprivate convenience init?(_ bytes: [UInt8]) {
    guard let dictionary = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    else { return nil }
    self.init(fromRemoteNotificationDictionary: dictionary)
  }
}
