/// The connection over which a device receives the notifications of all its subscriptions.
///
///     let channel = PushChannel(transport, stream: …, wait: …, pause: …)
///     for await event in channel.events { … }
///
/// The channel reconnects until it is stopped or released, or the server refuses the device.
package final class PushChannel: Sendable {
  /// The maximum number of unread events.
  ///
  /// Older ones are dropped.
  private static let unreadEvents = 1_000

  /// The events of the channel.
  ///
  /// They can be iterated once.
  package let events: AsyncStream<PushEvent>
  private let work: Task<Void, Never>

  /// Creates a channel and starts it.
  ///
  /// - Parameters:
  ///   - stream: The request for the stream of notifications with the device's token, or nil if the
  ///     server offers none.
  ///   - wait: The request that waits for one notification.
  ///   - pause: Waits for the duration of a back-off, and returns early if its task is cancelled.
  ///   - broken: Called before each pause, while no connection is open.
  package init(
    _ transport: any CloudTransport, stream: TransportRequest?, wait: TransportRequest,
    pause: @escaping @Sendable (PushBackoff) async -> Void,
    broken: @escaping @Sendable () -> Void = {}
  ) {
    let (events, line) = AsyncStream<PushEvent>.makeStream(
      bufferingPolicy: .bufferingNewest(Self.unreadEvents))
    self.events = events
    let listener = Listener(
      transport: transport, stream: stream?.waiting, wait: wait.waiting, pause: pause,
      broken: broken, line: line)
    work = Task.detached { await listener.run() }
  }

  deinit { work.cancel() }

  /// Ends the channel, and returns when its connection is closed.
  package func stop() async {
    work.cancel()
    await work.value
  }
}

extension TransportRequest {
  /// The request with the time limits of a long poll.
  fileprivate var waiting: TransportRequest {
    var request = self
    request.idleLimit = PushChannelMachine.silence
    request.wholeLimit = nil
    return request
  }
}

/// Executes the actions of the machine.
private struct Listener: Sendable {
  let transport: any CloudTransport
  let stream: TransportRequest?
  let wait: TransportRequest
  let pause: @Sendable (PushBackoff) async -> Void
  let broken: @Sendable () -> Void
  let line: AsyncStream<PushEvent>.Continuation

  func run() async {
    var machine = PushChannelMachine(hasStream: stream != nil)
    var actions = machine.start()
    while !actions.isEmpty, !Task.isCancelled {
      var next: [PushChannelMachine.Action] = []
      for action in actions { next += await perform(action, &machine) }
      actions = next
    }
    line.finish()
  }

  private func perform(
    _ action: PushChannelMachine.Action, _ machine: inout PushChannelMachine
  ) async -> [PushChannelMachine.Action] {
    switch action {
    case .openStream:
      guard let stream else { preconditionFailure("A channel without a stream should open one.") }
      return await open(stream, &machine)
    case .poll: return await poll(&machine)
    case .pause(let length):
      // A stopped channel is not broken.
      if !Task.isCancelled { broken() }
      await pause(length)
      return machine.paused()
    case .tell(let event):
      line.yield(event)
      return []
    }
  }

  private func open(
    _ stream: TransportRequest, _ machine: inout PushChannelMachine
  ) async -> [PushChannelMachine.Action] {
    let begun = ContinuousClock.now
    do {
      let opened = try await transport.open(stream)
      let actions = machine.streamOpened(opened.head)
      guard machine.isStreaming else { return actions }
      tell(actions)
      var reader = ServerSentEvents()
      for try await piece in opened.pieces {
        tell(machine.streamSaid(try reader.take(piece)))
        if let version = reader.takeSchema() { line.yield(.schema(version)) }
      }
      return machine.streamEnded(nil, lasted: begun.duration(to: .now))
    } catch {
      return machine.streamEnded(error as? TransportError, lasted: begun.duration(to: .now))
    }
  }

  private func tell(_ actions: [PushChannelMachine.Action]) {
    for case .tell(let event) in actions { line.yield(event) }
  }

  private func poll(_ machine: inout PushChannelMachine) async -> [PushChannelMachine.Action] {
    let begun = ContinuousClock.now
    do throws(TransportError) {
      return machine.pollAnswered(try await transport.send(wait), waited: begun.duration(to: .now))
    } catch {
      return machine.pollFailed(error, waited: begun.duration(to: .now))
    }
  }
}
