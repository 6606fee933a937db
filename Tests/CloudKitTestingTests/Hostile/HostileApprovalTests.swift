import CloudKitClient
import CloudKitTesting
import TestSupport
import Testing

/// Two devices of a user that run approvals, and a third device, which the server controls and
/// which requests the keys in the user's name.
///
/// The user types the digits that the true new device shows, for any request that the old device
/// lists. Whatever the server does, its device gets no keys.
private final class HostileApproval {
  private let cloud: HostileCloud
  private var chance: SeededGenerator
  private let old: CKContainer
  private let new: CKContainer
  /// The server's device, whose requests the server performs as they are.
  private let servers: CKContainer
  private var digits: String?
  private(set) var violations: [String] = []
  private(set) var approvals = 0

  init(seed: UInt64) async throws {
    cloud = try await HostileCloud(
      seed: seed,
      attacks: [
        .replayKeys, .hideKeys, .damageKeys, .loseRequest, .failAfterDelivery, .delayRequest,
        .refuse,
      ], probability: 0.15)
    chance = SeededGenerator(seed: seed)
    old = try await cloud.signIn("ada").container
    new = try await cloud.signIn("ada").container
    servers = try await cloud.cloud.signIn("ada").container
    cloud.isHostile = false
    _ = try await old.encryption.status()
    cloud.isHostile = true
  }

  func run(steps: Int) async {
    for _ in 0..<steps {
      try? await step()
      if (try? await servers.encryption.hasKeys()) == true {
        violations.append("The server's device has the keys.")
        return
      }
    }
    if (try? await new.encryption.hasKeys()) == true { approvals += 1 }
  }

  private func step() async throws {
    let asking = Int.random(in: 0..<3, using: &chance) == 0 ? servers : new
    switch Int.random(in: 0..<10, using: &chance) {
    case 0:
      // Two devices may have the same name.
      try await asking.encryption.requestApproval(deviceName: "new")
      if asking === new { digits = nil }
    case 1...3:
      guard let waiting = try await waiting() else { return }
      try await old.encryption.beginApproval(of: waiting)
    case 4...6:
      guard case .compare(let shown) = try await asking.encryption.approvalProgress() else {
        return
      }
      if asking === new { digits = shown }
    case 7...8:
      guard let waiting = try await waiting(), let digits else { return }
      try await old.encryption.approve(waiting, code: digits)
    default:
      _ = try await asking.encryption.confirmDigits()
    }
  }

  private func waiting() async throws -> CKContainer.Encryption.WaitingDevice? {
    try await old.encryption.waitingDevices().randomElement(using: &chance)
  }
}

@Suite("Approvals on a hostile server") struct HostileApprovalTests {
  /// `PARHELION_HOSTILE_SEEDS` sets the number of seeds, and `PARHELION_SEED` the first one.
  @Test func `A device that the server controls gets no keys`() async throws {
    var approvals = 0
    let seeds = try await SeededGenerator.forEachHostileSeed(24, until: { approvals > 0 }) { seed in
      let life = try await HostileApproval(seed: seed)
      await life.run(steps: 40)
      #expect(life.violations.isEmpty, "PARHELION_SEED=\(seed)")
      approvals += life.approvals
    }
    // Without an approval, the runs would prove little.
    if seeds >= 24 { #expect(approvals > 0) }
  }
}
