import CloudKitTesting
import CloudMirroring
import Foundation

/// A whole world in one process: devices, the real server, what lies between them, and what goes
/// wrong; all from one seed.
///
///     steps: somebody saves │ a device does some steps of its engine │ something goes wrong
///       └──▶ faults stop ──▶ every device comes to its end ──▶ a new device fetches everything ──▶ all are compared
///
/// One thing happens at a time. Each thing leaves a line in the trace, so that two runs of one seed
/// can be compared.
final class World {
  let plan: WorldPlan
  let server: SimulatedServer
  /// What the server has, as each of those who have devices sees it.
  let views: [(account: String, view: ServerView)]
  var devices: [SimulatedDevice] = []
  /// What gives devices the keys for encrypted values; nil where nothing is encrypted.
  var recoveryCode: String?
  /// Somebody else, whose account devices have for a while; nil where none has.
  var stranger: GuestUser?
  /// The version of the model that the server's schema has.
  var deployed = SimulatedModel.Version.first
  var generator: SimulatedGenerator
  var book = AcknowledgedWrites()
  /// In which orders devices had contributions when they last had everything, by their names.
  var orders: [String: ContributionOrder] = [:]
  /// The devices to which a push is on its way, by name.
  var untold: Set<String> = []
  /// What each device has acknowledged of what it keeps to itself, by its name.
  var drafts: [String: AcknowledgedWrites] = [:]
  /// The names of records that the server has had.
  var namesEverSeen: Set<String> = []
  /// The objects that a device's former user left on it, by the device's name.
  var leftBehind: [String: Set<String>] = [:]
  private(set) var number = 0
  private(set) var trace: [String] = []
  private(set) var violations: [Violation] = []
  let folder: URL

  init(_ plan: WorldPlan, in folder: URL) async throws {
    self.plan = plan
    self.folder = folder
    generator = SimulatedGenerator(seed: plan.seed)
    server = try await SimulatedServer(
      chance: SharedRandomness(seed: plan.seed ^ 0x5E),
      files: plan.serverHasFiles ? StorageFiles(in: folder) : nil)
    var views: [(String, ServerView)] = []
    for account in plan.workload.accounts {
      views.append(
        (account, try await ServerView(server.cloud, of: plan.workload, account: account)))
    }
    self.views = views
    for index in 0..<plan.deviceCount {
      // The last of several people has one device.
      let account = plan.workload.accounts[
        max(0, index + plan.workload.accounts.count - plan.deviceCount)]
      devices.append(try makeDevice("Device\(index + 1)", index, of: account))
    }
  }

  /// What the server has, as the first user sees it.
  var view: ServerView { views[0].view }

  func makeDevice(
    _ name: String, _ index: Int, of account: String = World.user, isWhole: Bool = false
  ) throws -> SimulatedDevice {
    try SimulatedDevice(
      name, at: server, in: folder, seed: plan.seed &* 31 &+ UInt64(index) &+ 1,
      seam: plan.seam(isWhole: isWhole),
      workload: plan.workload,
      version: plan.workload.changesModel && (index == 0 || isWhole) ? .second : .first,
      environment: plan.workload.environment, power: plan.power(isWhole: isWhole),
      mutation: isWhole ? nil : plan.mutation, owner: account)
  }

  var cloud: TestCloud { server.cloud }

  // MARK: The course of things

  /// Lets everything happen, and gives what came of it.
  func run() async -> SimulationOutcome {
    do {
      if plan.workload.changesModel { try await deploy(.first) }
      if plan.workload.isPublic { try await closeAlbums() }
      for device in devices { try await device.start() }
      if plan.workload.encrypts { try await giveFirstKeys() }
      if plan.workload.changesAccounts { try await letStrangerIn() }
      while number < plan.stepCount, violations.isEmpty {
        number += 1
        try await step()
      }
      if violations.isEmpty { try await settle() }
      if violations.isEmpty, plan.workload.changesModel { try await meet() }
      if violations.isEmpty { try await compare() }
    } catch {
      // The description of an error has its information in no order.
      violate(.error, "\(type(of: error)): \((error as NSError).localizedDescription)")
    }
    for problem in server.problems { violate(.error, "The server reports: \(problem)") }
    for device in devices {
      do { try device.stop() } catch {
        violate(.error, "\(device.name) cannot be closed: \(error)")
      }
    }
    await cloud.end()
    return SimulationOutcome(plan: plan, stepCount: number, trace: trace, violations: violations)
  }

  private func step() async throws {
    let device = devices[generator.below(devices.count)]
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
      kind, number: number, author: device.name, date: device.now, owner: owner, &generator)
    // A crash comes before the save is written, or behind.
    let mayCrash = !plan.faults.isDisjoint(with: [.crash, .power])
    let moment = mayCrash && generator.isOnce(in: 10) ? generator.below(2) : nil
    let losesPower = moment != nil && losesPower()
    device.network.plan(moment.map { .init(kind: .saves, moment: $0, losesPower: losesPower) })
    guard let effects = try await saved(change, on: device) else { return }
    device.network.plan(nil)
    let told = ([kind.rawValue] + effects.map(\.text)).joined(separator: " ")
    if device.network.isDead {
      try await device.restart()
      note(
        "\(device.name) \(losesPower ? "loses power" : "crashes") \(moment == 0 ? "before" : "behind") a save"
      )
    }
    if moment != 0 {
      try await noteUnheard(effects, by: device)
      note(effects, by: device)
    }
    note("\(device.name) saves \(told) pending=\(try device.pendingCount())")
  }

  /// What a save did; nil where the device's disk had no room for it.
  private func saved(_ change: Change, on device: SimulatedDevice) async throws -> [Effect]? {
    do { return try await device.save(change) } catch  where device.isDiskFull {
      device.network.plan(nil)
      if device.network.isDead { try await device.restart() }
      note("\(device.name) has no room to save \(change.kind.rawValue)")
      return nil
    }
  }

  // MARK: What is written down

  func note(_ line: String) { trace.append("\(number) \(line)") }

  func violate(_ invariant: Violation.Invariant, _ message: String) {
    add([Violation(invariant: invariant, message: message)])
  }

  func add(_ news: [Violation]) {
    for violation in news { note("VIOLATION \(violation)") }
    violations += news
  }
}

extension Effect {
  /// How the trace tells it.
  fileprivate var text: String {
    switch self {
    case .inserted(let key): "+\(key)"
    case .deleted(let key): "-\(key)"
    case .wrote(let place, let text, _): "\(place)=\(text)"
    case .arranged(let place, let members, _): "\(place)=\(members.joined(separator: ","))"
    }
  }
}
