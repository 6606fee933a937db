import CloudKitTesting
import CloudMirroring
import MirrorModel

/// Runs the steps of devices' engines.
extension World {
  /// Runs some steps of a device, with random network faults.
  func drive(_ device: SimulatedDevice) async throws {
    try await withFaults(device) {
      // A save triggers an export anyway; this adds a random reason.
      let reason = generator.below(plan.workload.exportsBeforeImports ? 12 : 4)
      if reason < 2 { try await wake(device) }
      try deliverPush(device, mayCome: reason == 2)
      for _ in 0...generator.below(4) {
        guard !device.network.isDead, try await advance(device) != nil else { break }
      }
    }
  }

  /// Runs work of a device with random faults, and restarts the device after a crash.
  func withFaults(_ device: SimulatedDevice, _ body: () async throws -> Void) async throws {
    device.network.inject(faultScript())
    device.network.plan(plannedCrash())
    server.storage.crash(atCrashPoint: serverCrashPoint())
    let crashes = server.storage.crashCount
    try await body()
    device.network.inject([])
    device.network.plan(nil)
    server.storage.crash(atCrashPoint: nil)
    _ = try await server.restart()
    if server.storage.crashCount > crashes { note("the server crashed and restarted") }
    guard device.network.isDead else { return }
    try await device.restart()
    let pending = try device.pendingCount()
    note("\(device.name) crashed within a step and restarts, pending=\(pending)")
  }

  /// Makes everything due on a device, and makes its user's pending decisions.
  func wake(_ device: SimulatedDevice) async throws {
    for engine in try device.engines() {
      if case .blocked(let failure) = engine.machine.phase(at: engine.mirror.now),
        failure.kind == .zoneDeletedByUser
      {
        try await decide(device, engine)
      }
      if plan.mutation == .moveData, device.account == GuestUser.user {
        engine.note(.accountResolved(takesAlong: true))
      }
    }
    try device.note(.asked)
  }

  /// Runs one step of a device's engine, and checks its result; nil if nothing is due.
  func advance(_ device: SimulatedDevice) async throws -> MirrorOutcome? {
    guard let engine = try device.nextEngine() else { return nil }
    let (pending, answered) = (try device.pendingCount(), device.network.answeredCount)
    let requests = device.network.requestCount
    device.network.begin(
      engine.machine.due(at: engine.mirror.now).map(SimulatedOperation.init))
    defer { device.network.begin(nil) }
    guard let (step, outcome) = await engine.runNextStep() else { return nil }
    if device.isDiskFull, outcome.failure?.kind == .store {
      device.network.count(.fullDisk, at: SimulatedOperation(step))
    }
    _ = try await server.restart()
    if step == .exporting, device.network.requestCount > requests { push(toAllBut: device) }
    server.storage.ignoreCrashPoints(true)
    defer { server.storage.ignoreCrashPoints(false) }
    let left = try device.pendingCount()
    let failure = outcome.failure.map { " failure=\($0.kind.rawValue)" } ?? ""
    let what = (people == nil ? "" : "\(engine.mirror.scope) ") + "\(step)\(failure)"
    let result = (outcome.hasMoved ? " moved" : "") + " pending=\(left)"
    note("\(device.name) \(what)\(result) requests=\(device.network.requestCount)")
    guard !device.network.isDead else {
      // Other devices may delete the new records before the next check.
      if step == .exporting { namesEverSeen.formUnion(try await allNames()) }
      return outcome
    }
    if left < pending, answered == device.network.answeredCount, !plan.workload.mergesObjects {
      violate(
        .outbox, "\(device.name) removed entries from its outbox without a response.")
    }
    try await check(device, after: step, outcome)
    return outcome
  }

  private func check(_ device: SimulatedDevice, after step: MirrorStep, _ outcome: MirrorOutcome)
    async throws
  {
    switch step {
    case .exporting:
      let isComplete = outcome.failure == nil && outcome.blockers.isEmpty && !outcome.hasMore
      if isComplete, !plan.workload.hasConsequences, try device.pendingCount() > 0 {
        violate(
          .outbox, "\(device.name) sent all entries without a fault, and some are still pending."
        )
      }
      let names = try await allNames()
      namesEverSeen.formUnion(names)
      let contents = try await device.contents()
      let unseen = try device.recordNames(contents).filter { !namesEverSeen.contains($0.value) }
      for key in try device.durable(Array(unseen.keys), of: contents).sorted() {
        violate(.outbox, "\(device.name) considers \(key) sent, but the server never had it.")
      }
      guard plan.workload.savesTogether, plan.faults.isSubset(of: .harmless) else { return }
      let sent = try device.recordNames(contents).filter { names.contains($0.value) }
      checkTogetherOnServer(contents.objects.keys.filter { sent[$0] != nil })
    case .importing where plan.workload.isPublic:
      checkClosed(device, try await device.contents())
    case .importing where plan.workload == .contributions && outcome.failure == nil:
      try await checkContributions(device)
    case .importing where plan.workload.savesTogether && outcome.failure == nil:
      try await checkTogether(device)
    default: break
    }
  }

  /// The planned crash of a device in its next steps; nil for none.
  private func plannedCrash() -> SimulatedNetwork.PlannedCrash? {
    if plan.faults.contains(.crash), generator.isOnce(in: 6) {
      let crashPoint = generator.below(4)
      note("crash at moment \(crashPoint) of the next saves")
      return .init(kind: .saves, crashPoint: crashPoint)
    }
    guard !plan.faults.isDisjoint(with: [.transaction, .power]), generator.isOnce(in: 3) else {
      return nil
    }
    let crashPoint = generator.below(SimulationLimits.crashPoints)
    let losesPower = losesPower()
    note(
      "\(losesPower ? "loss of power" : "crash") at moment \(crashPoint) of the next transactions")
    return .init(kind: .transactions, crashPoint: crashPoint, losesPower: losesPower)
  }

  /// Whether a crash is a power failure: always, never, or in half of the cases, by the world's
  /// faults.
  func losesPower() -> Bool {
    guard plan.faults.contains(.power) else { return false }
    return plan.faults.isDisjoint(with: [.crash, .transaction]) || generator.isOnce(in: 2)
  }

  /// The crash point of the server in its next writes; nil for no crash.
  private func serverCrashPoint() -> Int? {
    guard plan.faults.contains(.server), generator.isOnce(in: 3) else { return nil }
    let crashPoint = generator.below(8)
    note("the server crashes at moment \(crashPoint) of its next writes")
    return crashPoint
  }

  /// The faults of the next requests: none, or one, after which the network may be lost.
  private func faultScript() -> [SimulatedNetwork.Fault?] {
    var faults: [SimulatedNetwork.Fault] = []
    if plan.faults.contains(.network) {
      faults += [
        .plain(.lostRequest), .plain(.lostResponse), .plain(.repeatedRequest), .plain(.noNetwork),
        .plain(.unavailable(retryAfterSeconds: 60)), .plain(.cutResponse(afterBytes: 20)),
        .throttled,
      ]
    }
    if plan.faults.contains(.late) { faults += [.late, .late] }
    if plan.faults.contains(.quota) { faults.append(.quota) }
    if plan.faults.contains(.crash) { faults += [.crash(arrives: true), .crash(arrives: false)] }
    if plan.faults.contains(.power) {
      faults += [.crash(arrives: true, losesPower: true), .crash(arrives: false, losesPower: true)]
    }
    guard !faults.isEmpty, generator.isOnce(in: 2) else { return [] }
    let (fault, place) = (faults[generator.below(faults.count)], generator.below(6))
    // The client retries immediately, three times; half of the faults last that long.
    let rest: [SimulatedNetwork.Fault?] =
      generator.isOnce(in: 2) ? Array(repeating: .plain(.noNetwork), count: 3) : []
    note("next at request \(place): \(fault.text)\(rest.isEmpty ? "" : ", and no network")")
    return Array(repeating: nil, count: place) + [fault] + rest
  }

  /// Stops faults, and checks that every device becomes idle.
  func settle() async throws {
    for device in devices {
      if await device.network.deliverLate() > 0 { note("\(device.name)'s late requests arrive") }
      device.network.heal()
      device.skew = 0
      if device.isDiskFull { try device.setDiskFull(false) }
      try await endVisit(device)
      try await giveKeys(device)
    }
    if plan.workload.changesModel, deployed == .first { try await deploy(.second) }
    for round in 0..<SimulationLimits.rounds {
      // A device whose user has returned compares names on the next day, so one round is too few.
      var isQuiet = round > 0 || !plan.workload.isPublic
      // Only the daily comparison of all names detects deletions.
      if plan.workload.isPublic {
        try await cloud.advance(by: .seconds(SimulationLimits.secondsUntilNamesCompared))
      }
      for device in devices {
        let (isIdle, count) = try await finish(device)
        try await people?.observe()
        isQuiet = isQuiet && isIdle
        guard violations.isEmpty else { return }
        guard count < SimulationLimits.stepsInRound else {
          return violate(.liveness, "\(device.name) runs steps without becoming idle.")
        }
      }
      if isQuiet { return }
    }
    violate(
      .liveness,
      "After \(SimulationLimits.rounds) rounds without faults, some work is still due.")
  }

  /// Runs all due steps of a device; returns whether nothing is left to do, and their number.
  func finish(_ device: SimulatedDevice) async throws -> (isIdle: Bool, count: Int) {
    try await wake(device)
    var (isIdle, count) = (true, 0)
    while count < SimulationLimits.stepsInRound, let outcome = try await advance(device) {
      count += 1
      if outcome.failure != nil || outcome.hasMoved { isIdle = false }
    }
    if try device.pendingCount() > 0 { isIdle = false }
    return (isIdle, count)
  }
}

extension SimulatedOperation {
  fileprivate init(_ step: MirrorStep) {
    switch step {
    case .setUp: self = .setUp
    case .importing: self = .importing
    case .exporting: self = .exporting
    case .reset: self = .reset
    }
  }
}
