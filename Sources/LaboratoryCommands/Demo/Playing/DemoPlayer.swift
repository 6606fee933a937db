import Dispatch
package import Foundation

/// Plays the scenes: sends orders to the processes, receives their messages, and shows the result.
package final class DemoPlayer {
  private let executable: String
  private let scenes: [DemoScene]
  private let screen: DemoScreen
  private let pace: DemoPace
  private let folder: URL
  private let patience: Double
  private let begun = SideBySide.Clock.wall.seconds
  private let events: AsyncStream<DemoEvent>
  private let event: AsyncStream<DemoEvent>.Continuation
  private var stage: DemoStage?
  private var lastOrder = 0
  /// The total seconds of pauses so far.
  private var pausedSeconds = 0.0
  /// The orders whose answers were not awaited yet.
  private var unanswered: [Int] = []
  private(set) var state = DemoState()
  private(set) var summary = DemoSummary()

  /// The reason for ending early.
  struct Failure: Error {
    let problems: [String]
  }

  /// Creates a player of the demonstration.
  ///
  /// - Parameters:
  ///   - executable: The path of `parhelion`.
  ///   - pace: The pauses for viewers.
  ///   - folder: The parent of the demonstration's temporary folder.
  ///   - patience: The time limit in seconds.
  package init(
    executable: String, _ sizes: DemoSizes, _ screen: DemoScreen, pace: DemoPace = .none,
    folder: URL = FileManager.default.temporaryDirectory, patience: Double = 48
  ) {
    (self.executable, self.screen, self.pace, self.folder) = (executable, screen, pace, folder)
    self.patience = patience
    scenes = DemoScenes.all(sizes)
    (events, event) = AsyncStream<DemoEvent>.makeStream()
  }

  /// A closure that ends the play early, with the name of the reason.
  package var stop: @Sendable (String) -> Void { { [event] name in event.yield(.stop(name)) } }

  /// Plays everything, cleans up, and returns the summary.
  package func play() async -> DemoSummary {
    // Writing to a process that has ended must be an error, not a signal.
    _ = signal(SIGPIPE, SIG_IGN)
    let ticks = Self.ticks { [event] in event.yield(.tick) }
    do {
      try await start()
      for (index, scene) in scenes.enumerated() { try await play(scene, number: index + 1) }
      summary.notes = state.onServer.notes.count
      summary.digest = state.onServer.digest
    } catch let failure as Failure {
      summary.problems = failure.problems
    } catch {
      summary.problems = ["\(error)"]
    }
    ticks.cancel()
    stage?.end()
    stage = nil
    summary.seconds = seconds
    try? screen.draw(state)
    screen.close()
    return summary
  }

  /// The seconds since the player's initialization.
  private var seconds: Double { SideBySide.Clock.wall.seconds - begun }

  private static func ticks(_ body: @escaping @Sendable () -> Void) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "parhelion.demo"))
    timer.schedule(deadline: .now(), repeating: .milliseconds(50))
    timer.setEventHandler(handler: body)
    timer.resume()
    return timer
  }

  // MARK: Scenes

  private func start() async throws {
    let stage = try await DemoStage.make(executable: executable, in: folder, event)
    self.stage = stage
    state.server = stage.serverState
    for name in DemoDeviceName.devices { try begin(name, .open(place: stage.place(of: name))) }
    try await waitForAll()
    summary.startSeconds = seconds
    try say("A server and two devices of one account run, each in a separate process.")
  }

  private func play(_ scene: DemoScene, number: Int) async throws {
    let begun = playedSeconds
    state.scene = (number, scenes.count, scene.title)
    try say("\(number). \(scene.title)")
    try await pause(pace.titleSeconds)
    for step in scene.steps {
      try await play(step)
      try await pause(pace.seconds(after: step))
    }
    summary.add(scene.title, seconds: playedSeconds - begun)
  }

  /// The seconds without pauses.
  private var playedSeconds: Double { seconds - pausedSeconds }

  /// Pauses for viewers, if there is enough time left.
  private func pause(_ length: Double) async throws {
    let begun = seconds
    guard length > 0, begun < patience * 0.75 else { return }
    while seconds - begun < length { try await waitForTick() }
    pausedSeconds += seconds - begun
  }

  private func play(_ step: DemoStep) async throws {
    switch step {
    case .tell(let name, let order):
      try begin(name, order)
      try await waitForAll()
    case .begin(let name, let order): try begin(name, order)
    case .waitForAll: try await waitForAll()
    case .waitFor(let name, let folder, let count):
      try await wait("\(count) notes of “\(folder)” on the \(name.rawValue)") { state in
        state.contents(of: name).notes.count { $0.folder == folder } >= count
      }
    case .agree: try await agree()
    case .expect(let expectation):
      let problem = expectation.problem(in: state.onServer, filed: state.filed)
      if let problem { throw Failure(problems: [problem]) }
    case .measure(let title, let changes): try await measure(title, changes)
    case .killServer:
      stage?.killServer()
      try serverChanged("The server was killed.")
    case .startServer:
      try stage?.startServer()
      try serverChanged("The server runs again, with the same folder.")
    }
  }

  private func serverChanged(_ line: String) throws {
    if let stage { state.server = stage.serverState }
    try say(line)
  }

  func say(_ line: String) throws {
    state.say(line)
    try screen.say(line, at: seconds)
  }

  // MARK: Orders

  /// Sends an order to a process.
  @discardableResult
  func begin(_ name: DemoDeviceName, _ order: DemoOrder) throws -> Int {
    lastOrder += 1
    try stage?.send(DemoRequest(number: lastOrder, order: order), to: name)
    unanswered.append(lastOrder)
    return lastOrder
  }

  /// Waits until all orders are done.
  func waitForAll() async throws {
    let refused = try await answers().compactMap { answer in
      if case .refused(let reason) = answer { reason } else { nil }
    }
    if !refused.isEmpty { throw Failure(problems: refused) }
  }

  /// Waits for the answers to all orders since the last call, and returns them.
  func answers() async throws -> [DemoState.Answer] {
    let numbers = unanswered
    unanswered = []
    try await wait("an answer of every device") { state in
      numbers.allSatisfy { state.answers[$0] != nil }
    }
    return numbers.compactMap { state.answers[$0] }
  }

  /// The place of the process that reads the server.
  var witnessPlace: DemoPlace? { stage?.place(of: .witness) }

  func setLatency(_ latency: DemoSummary.Latency) {
    summary.latency = latency
    state.latency = latency.line
  }

  // MARK: Receiving

  /// Handles events until a condition is true.
  func wait(_ what: String, until isReached: (DemoState) -> Bool) async throws {
    if isReached(state) { return }
    for await event in events {
      try take(event)
      if isReached(state) { return }
      guard seconds < patience else {
        throw Failure(problems: ["Timed out after \(Int(patience)) s, waiting for \(what)."])
      }
    }
  }

  /// Handles events until the next tick.
  func waitForTick() async throws {
    for await event in events {
      try take(event)
      if case .tick = event { return }
    }
  }

  /// Whether there is time for another attempt.
  var hasTime: Bool { seconds < patience }

  private func take(_ event: DemoEvent) throws {
    switch event {
    case .message(let message, let name): state.take(message, from: name)
    case .noise(let line, let name): throw Failure(problems: ["The \(name.rawValue) said: \(line)"])
    case .gone(let name):
      throw Failure(problems: ["The process of the \(name.rawValue) has ended."])
    case .stop(let name): throw Failure(problems: ["It was stopped by \(name)."])
    case .tick:
      state.seconds = seconds
      try screen.draw(state)
    }
  }
}
