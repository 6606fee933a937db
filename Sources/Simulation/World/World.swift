import CloudKitTesting
import CloudMirroring
import Foundation

/// A whole world in one process: devices, the real server, the networks between them, and faults,
/// all from one seed.
///
///     steps: a user saves │ a device runs some engine steps │ a fault is injected
///       └─▶ faults stop ─▶ every device becomes idle ─▶ a new device fetches all ─▶ comparison
///
/// Only one event happens at a time. Each event adds a line to the trace, so that two runs of one
/// seed can be compared.
final class World {
  let plan: WorldPlan
  let server: SimulatedServer
  /// The server's content, as each user with devices sees it.
  let views: [(account: String, view: ServerView)]
  var devices: [SimulatedDevice] = []
  /// The recovery code of the keys for encrypted values; nil if nothing is encrypted.
  var recoveryCode: String?
  /// Another user, who signs in on devices for a while; nil if there is none.
  var guest: GuestUser?
  /// The model version of the server's schema.
  var deployed = SimulatedModel.Version.first
  var generator: SimulatedGenerator
  var acknowledged = AcknowledgedWrites()
  /// The order of contributions on each device after its last complete import, by name.
  var orders: [String: ContributionOrder] = [:]
  /// The devices with a pending push, by name.
  var pendingPushes: Set<String> = []
  /// The acknowledged writes to each device's local objects, by device name.
  var drafts: [String: AcknowledgedWrites] = [:]
  /// The names of all records that the server has had.
  var namesEverSeen: Set<String> = []
  /// The objects that a device's former user left on it, by device name.
  var formerUsersObjects: [String: Set<String>] = [:]
  private(set) var number = 0
  private(set) var trace: [String] = []
  private(set) var violations: [Violation] = []
  let folder: URL
  /// The users who share objects; nil if the workload does not.
  private(set) var people: People?

  init(_ plan: WorldPlan, in folder: URL) async throws {
    self.plan = plan
    self.folder = folder
    generator = SimulatedGenerator(seed: plan.seed)
    server = try await SimulatedServer(
      chance: SharedRandomness(seed: plan.seed ^ 0x5E),
      files: plan.serverHasFiles ? StorageFiles(in: folder) : nil)
    var views: [(String, ServerView)] = []
    for account in plan.accounts {
      views.append(
        (account, try await ServerView(server.cloud, of: plan.workload, account: account)))
    }
    self.views = views
    for index in 0..<plan.deviceCount {
      let account = plan.accounts[index * plan.accounts.count / plan.deviceCount]
      devices.append(try makeDevice("Device\(index + 1)", index, of: account))
    }
    if plan.workload.shares { people = People(self) }
  }

  /// The server's content, as the first user sees it.
  var view: ServerView { views[0].view }

  /// Creates a device; one that `isWhole` has the newest model, and not the plan's mutation.
  func makeDevice(
    _ name: String, _ index: Int, of account: String = World.user, isWhole: Bool = false
  ) throws -> SimulatedDevice {
    let device = try SimulatedDevice(
      name, at: server, in: folder, seed: plan.seed &* 31 &+ UInt64(index) &+ 1,
      sizes: plan.sizes(isWhole: isWhole),
      workload: plan.workload,
      version: plan.workload.changesModel && (index == 0 || isWhole) ? .second : .first,
      environment: plan.workload.environment, power: plan.power(isWhole: isWhole),
      mutation: isWhole ? nil : plan.mutation, owner: account)
    if plan.workload.shares { device.network.keepReceivedTexts() }
    return device
  }

  var cloud: TestCloud { server.cloud }

  // MARK: Progress

  /// Runs the world and returns the outcome.
  func run() async -> SimulationOutcome {
    do {
      if plan.workload.changesModel { try await deploy(.first) }
      if plan.workload.isPublic { try await closeAlbums() }
      for device in devices { try await device.start() }
      if plan.workload.encrypts { try await giveFirstKeys() }
      if plan.workload.changesAccounts { try await addGuest() }
      try await people?.begin()
      while number < plan.stepCount, violations.isEmpty {
        number += 1
        try await step()
        try await people?.observe()
      }
      if violations.isEmpty { try await settle() }
      if violations.isEmpty, plan.workload.changesModel { try await meet() }
      if violations.isEmpty { try await compare() }
    } catch {
      // The description of an error prints its user info in no fixed order.
      violate(.error, "\(type(of: error)): \((error as NSError).localizedDescription)")
    }
    for problem in server.problems { violate(.error, "The server reports: \(problem)") }
    for device in devices {
      do { try device.stop() } catch {
        violate(.error, "\(device.name) cannot be closed: \(error)")
      }
    }
    await cloud.end()
    let coverage = devices.reduce(into: FaultCoverage()) { $0.add($1.network.coverage) }
    return SimulationOutcome(
      plan: plan, stepCount: number, trace: trace, violations: violations, coverage: coverage)
  }

  private func step() async throws {
    let device = devices[generator.below(devices.count)]
    if let people, generator.isOnce(in: 4) { return try await people.act(on: device) }
    switch generator.below(20) {
    case 0..<11: try await save(on: device)
    case 11..<18: try await drive(device)
    default: try await disturb(device)
    }
  }

  private func save(on device: SimulatedDevice) async throws {
    let kinds = plan.workload.changes
    let kind = kinds[generator.below(kinds.count)]
    let owner = plan.workload.isPublic ? device.account : nil
    let change = Change(
      kind, number: number, author: device.name, date: device.now, owner: owner,
      part: try await people?.part(of: device), &generator)
    // A crash happens before or after the save is written.
    let mayCrash = !plan.faults.isDisjoint(with: [.crash, .power])
    let point = mayCrash && generator.isOnce(in: 10) ? generator.below(2) : nil
    let losesPower = point != nil && losesPower()
    device.network.plan(point.map { .init(kind: .saves, crashPoint: $0, losesPower: losesPower) })
    device.network.begin(.save)
    defer { device.network.begin(nil) }
    guard let effects = try await saved(change, on: device) else { return }
    device.network.plan(nil)
    let description = ([kind.rawValue] + effects.map(\.text)).joined(separator: " ")
    if device.network.isDead {
      try await device.restart()
      note(
        "\(device.name) \(losesPower ? "loses power" : "crashes") \(point == 0 ? "before" : "after") a save"
      )
    }
    if point != 0 {
      try await recordUnseenDeletions(effects, by: device)
      note(effects, by: device)
      people?.note(effects, by: device, areOfOthers: change.part == 1)
    }
    note("\(device.name) saves \(description) pending=\(try device.pendingCount())")
  }

  /// The effects of a save; nil if the device's disk was full, or a rule of sharing rejected it.
  private func saved(_ change: Change, on device: SimulatedDevice) async throws -> [Effect]? {
    do { return try await device.save(change) } catch
      where device.isDiskFull || people?.isRefusal(error) == true
    {
      device.network.plan(nil)
      if device.network.isDead { try await device.restart() }
      if device.isDiskFull { device.network.count(.fullDisk, at: .save) }
      let reason = device.isDiskFull ? "has no space to save" : "may not save"
      note("\(device.name) \(reason) \(change.kind.rawValue)")
      return nil
    }
  }

  // MARK: Recording

  func note(_ line: String) { trace.append("\(number) \(line)") }

  func violate(_ invariant: Violation.Invariant, _ message: String) {
    add([Violation(invariant: invariant, message: message)])
  }

  func add(_ found: [Violation]) {
    for violation in found { note("VIOLATION \(violation)") }
    violations += found
  }
}

extension Effect {
  /// The text in the trace.
  fileprivate var text: String {
    switch self {
    case .inserted(let key): "+\(key)"
    case .deleted(let key): "-\(key)"
    case .wrote(let place, let text, _): "\(place)=\(text)"
    case .arranged(let place, let members, _): "\(place)=\(members.joined(separator: ","))"
    }
  }
}
