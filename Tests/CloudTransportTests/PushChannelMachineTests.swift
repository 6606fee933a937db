import CloudTransport
import TestSupport
import Testing

@Suite("The push channel")
struct PushChannelMachineTests {
  private typealias Action = PushChannelMachine.Action

  private static let stream = TransportResponse(
    status: 200, headers: [("Content-Type", "text/event-stream")])
  private static let notification = TransportResponse(
    status: 200, headers: [("content-type", "application/json; charset=utf-8")],
    body: Array(" {}".utf8))
  private static let quiet = TransportResponse(status: 200)
  private static let portal = TransportResponse(
    status: 200, headers: [("Content-Type", "text/html")], body: [60])
  private static let broken = TransportError(.broken, "broken")

  private func pause(_ failures: Int, _ asked: Duration? = nil) -> [Action] {
    [.pause(PushBackoff(failures: failures, asked: asked))]
  }

  @Test func `A broken stream is opened again`() {
    var machine = PushChannelMachine()
    #expect(machine.start() == [.openStream])
    #expect(machine.streamOpened(Self.stream) == [.tell(.listening)])
    #expect(machine.streamSaid([]) == [])
    #expect(
      machine.streamSaid([[1], [2]]) == [.tell(.notification([1])), .tell(.notification([2]))])
    #expect(machine.streamEnded(Self.broken, lasted: .seconds(60)) == pause(1))
    #expect(machine.paused() == [.openStream])
    #expect(machine.streamEnded(Self.broken, lasted: .seconds(60)) == pause(2))
    #expect(machine.paused() == [.openStream])
    #expect(machine.streamOpened(Self.stream) == [.tell(.listening)])
    #expect(machine.streamEnded(nil, lasted: .seconds(1)) == pause(3))
    #expect(machine.paused() == [.openStream])
    #expect(machine.streamOpened(Self.stream) == [.tell(.listening)])
    #expect(machine.streamEnded(nil, lasted: .seconds(30)) == pause(1))
  }

  @Test func `A stream that delivered something is opened again soon`() {
    var machine = PushChannelMachine()
    _ = machine.start()
    /// The pause after a stream that received data and lasted for a few seconds.
    func pauseAfter(_ said: [[[UInt8]]], seconds: Double) -> [Action] {
      _ = machine.streamOpened(Self.stream)
      for notifications in said { _ = machine.streamSaid(notifications) }
      defer { _ = machine.paused() }
      return machine.streamEnded(Self.broken, lasted: .seconds(seconds))
    }
    // If streams end soon after the greeting, the pauses grow.
    #expect(pauseAfter([[]], seconds: 1) == pause(1))
    #expect(pauseAfter([[]], seconds: 4.9) == pause(2))
    // A proxy cuts idle streams, or a server restarts.
    #expect(pauseAfter([[]], seconds: 5) == pause(1))
    #expect(pauseAfter([[]], seconds: 15) == pause(1))
    #expect(pauseAfter([], seconds: 15) == pause(2))
    #expect(pauseAfter([[], [[1]], []], seconds: 0.1) == pause(1))
    #expect(pauseAfter([], seconds: 29) == pause(2))
    #expect(pauseAfter([], seconds: 30) == pause(1))
  }

  @Test(arguments: [404, 405, 406, 501])
  func `If the server rejects streams, the device polls`(status: Int) {
    var machine = PushChannelMachine()
    _ = machine.start()
    #expect(machine.streamOpened(TransportResponse(status: status)) == [.tell(.listening), .poll])
    #expect(
      machine.pollAnswered(Self.notification, waited: .zero) == [
        .tell(.notification(Array(" {}".utf8))), .poll,
      ])
    #expect(machine.pollAnswered(Self.quiet, waited: .seconds(25)) == [.poll])
    #expect(machine.pollAnswered(Self.quiet, waited: .milliseconds(10)) == pause(1))
    #expect(machine.paused() == [.openStream])
  }

  @Test func `Too many immediate responses cause a pause`() {
    var machine = PushChannelMachine(hasStream: false)
    _ = machine.start()
    let reported = Action.tell(.notification(Array(" {}".utf8)))
    for _ in 0..<2 {
      for _ in 1..<100 {
        #expect(
          machine.pollAnswered(Self.notification, waited: .milliseconds(1)) == [reported, .poll])
      }
      #expect(
        machine.pollAnswered(Self.notification, waited: .milliseconds(1)) == [reported] + pause(1))
      #expect(machine.paused() == [.tell(.listening), .poll])
    }
    for _ in 0..<300 {
      #expect(machine.pollAnswered(Self.notification, waited: .seconds(1)) == [reported, .poll])
    }
  }

  @Test func `If a proxy buffers streams, the device polls`() {
    var machine = PushChannelMachine()
    _ = machine.start()
    _ = machine.streamOpened(Self.stream)
    let silence = TransportError(.timedOut, "silence")
    #expect(machine.streamEnded(silence, lasted: .seconds(120)) == [.poll])
    #expect(machine.pollFailed(Self.broken, waited: .seconds(9)) == pause(1))
    _ = machine.paused()
    _ = machine.streamOpened(Self.stream)
    _ = machine.streamSaid([])
    #expect(machine.streamEnded(silence, lasted: .seconds(120)) == pause(1))
  }

  @Test func `If the server offers no stream, the device polls`() {
    var machine = PushChannelMachine(hasStream: false)
    let begins: [Action] = [.tell(.listening), .poll]
    #expect(machine.start() == begins)
    let untyped = TransportResponse(
      status: 200, headers: [("Content-Type", "text/plain")], body: Array("{}".utf8))
    #expect(
      machine.pollAnswered(untyped, waited: .zero) == [
        .tell(.notification(Array("{}".utf8))), .poll,
      ])
    #expect(machine.pollAnswered(Self.portal, waited: .seconds(9)) == pause(1))
    #expect(machine.paused() == begins)
    let silence = TransportError(.timedOut, "silence")
    #expect(machine.pollFailed(silence, waited: .seconds(120)) == [.poll])
    #expect(machine.pollFailed(silence, waited: .seconds(10)) == pause(1))
    #expect(machine.paused() == begins)
    #expect(
      machine.pollAnswered(TransportResponse(status: 404), waited: .zero) == [
        .tell(.refused(status: 404))
      ])
  }

  @Test func `The server or the network can delay the next attempt`() {
    var machine = PushChannelMachine()
    _ = machine.start()
    #expect(machine.streamOpened(Self.portal) == pause(1))
    _ = machine.paused()
    let busy = TransportResponse(status: 503, headers: [("Retry-After", "40")])
    #expect(machine.streamOpened(busy) == pause(2, .seconds(40)))
    _ = machine.paused()
    #expect(machine.streamOpened(TransportResponse(status: 302)) == pause(3))
    _ = machine.paused()
    _ = machine.streamOpened(TransportResponse(status: 405))
    #expect(machine.pollAnswered(Self.portal, waited: .seconds(9)) == pause(4))
  }

  @Test(arguments: [400, 401, 403, 410, 421])
  func `A rejected device stops listening`(status: Int) {
    var machine = PushChannelMachine()
    _ = machine.start()
    #expect(
      machine.streamOpened(TransportResponse(status: status)) == [.tell(.refused(status: status))])
    #expect(machine.paused() == [] && machine.pollFailed(Self.broken, waited: .zero) == [])
    var polling = PushChannelMachine()
    _ = polling.start()
    _ = polling.streamOpened(TransportResponse(status: 404))
    #expect(
      polling.pollAnswered(TransportResponse(status: status), waited: .zero) == [
        .tell(.refused(status: status))
      ])
  }

  @Test func `Pauses grow to a maximum and respect the server's delay`() {
    let halves = (1...12).map { PushBackoff(failures: $0).duration(chance: 0) }
    #expect(halves.prefix(4) == [.seconds(0.5), .seconds(1), .seconds(2), .seconds(4)])
    #expect(
      halves.last == .seconds(150)
        && PushBackoff(failures: 1_000).duration(chance: 0.999) < .seconds(300))
    #expect(PushBackoff(failures: 1, asked: .seconds(40)).duration(chance: 0.5) == .seconds(40))
    #expect(PushBackoff(failures: 9, asked: .seconds(1)).duration(chance: 0) == .seconds(128))
    #expect(
      PushBackoff(failures: 1, asked: .seconds(1 << 40)).duration(chance: 0) == .seconds(3_600))
  }
}
