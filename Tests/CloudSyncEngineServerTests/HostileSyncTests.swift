import CloudKitClient
import CloudKitTesting
import CloudSyncEngine
import Foundation
import Synchronization
import TestSupport
import Testing

/// A program that syncs records with two encrypted values, which it always sets together.
private final class SecretProgram: CKSyncEngineDelegate {
  private struct State {
    var records: [CKRecord.ID: CKRecord] = [:]
    /// The pairs of values that the engine has reported.
    var shown: [(name: String, s: String?, t: String?)] = []
  }

  private let state = Mutex(State())

  /// Removes and returns the reported pairs.
  func takeShown() -> [(name: String, s: String?, t: String?)] {
    state.withLock { state in
      defer { state.shown = [] }
      return state.shown
    }
  }

  func write(_ value: String, to recordID: CKRecord.ID, _ engine: CKSyncEngine) {
    state.withLock { state in
      let record =
        state.records[recordID] ?? CKRecord(recordType: "Note", recordID: recordID)
      for key in ["s", "t"] { record.encryptedValues[key] = value }
      state.records[recordID] = record
    }
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let changes = syncEngine.state.pendingRecordZoneChanges.filter {
      context.options.scope.contains($0)
    }
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
      self.state.withLock { $0.records[recordID] }
    }
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    switch event {
    case .fetchedRecordZoneChanges(let changes):
      for change in changes.modifications { show(change.record) }
    case .sentRecordZoneChanges(let sent):
      state.withLock { state in
        for record in sent.savedRecords { state.records[record.recordID] = record }
      }
      for failed in sent.failedRecordSaves {
        // An underlying error says that values of the server's record are missing.
        let isWhole = failed.error.userInfo[NSUnderlyingErrorKey] == nil
        if let server = failed.error.serverRecord, isWhole { show(server) }
      }
    default: break
    }
  }

  private func show(_ record: CKRecord) {
    let (s, t): (String?, String?) = (record.encryptedValues["s"], record.encryptedValues["t"])
    state.withLock { state in
      state.records[record.recordID] = record
      state.shown.append((record.recordID.recordName, s, t))
    }
  }
}

/// Two sync engines of a user over a hostile server.
private final class HostileSync {
  private let cloud: HostileCloud
  private var chance: SeededGenerator
  private let zone = CKRecordZone(zoneName: "Z")
  private let devices: [(program: SecretProgram, engine: CKSyncEngine, container: CKContainer)]
  private var saved: [String: Set<String>] = [:]
  private var count = 0
  private(set) var violations: [String] = []
  private(set) var shown = 0

  var performed: [HostileCloud.Attack] { cloud.performed }

  init(seed: UInt64) async throws {
    cloud = try await HostileCloud(seed: seed, probability: 0.15)
    chance = SeededGenerator(seed: seed)
    cloud.isHostile = false
    var devices: [(SecretProgram, CKSyncEngine, CKContainer)] = []
    var code: String?
    for _ in 0..<2 {
      let (container, program) = (try await cloud.signIn("ada").container, SecretProgram())
      if case .readyWithNewKeys(let new) = try await container.encryption.status() { code = new }
      if let code, !devices.isEmpty { try await container.encryption.recover(with: code) }
      var configuration = CKSyncEngine.Configuration(
        database: container.privateCloudDatabase, stateSerialization: nil, delegate: program)
      configuration.automaticallySync = false
      devices.append((program, CKSyncEngine(configuration), container))
    }
    self.devices = devices
    try await devices[0].2.privateCloudDatabase.save(zone)
    write(0)
    try await devices[0].1.sendChanges()
    try await cloud.learnKeys(of: zone.zoneID, from: devices[0].2)
    cloud.isHostile = true
  }

  private func write(_ device: Int) {
    count += 1
    let (name, value) = ("r\(Int.random(in: 0..<4, using: &chance))", "value \(count)")
    saved[name, default: []].insert(value)
    devices[device].program.write(
      value, to: CKRecord.ID(recordName: name, zoneID: zone.zoneID), devices[device].engine)
  }

  func run(steps: Int) async {
    for _ in 0..<steps {
      let device = Int.random(in: 0..<2, using: &chance)
      switch Int.random(in: 0..<6, using: &chance) {
      case 0...1: write(device)
      case 2...3: try? await devices[device].engine.sendChanges()
      default: try? await devices[device].engine.fetchChanges()
      }
      check()
      guard violations.isEmpty else { return }
    }
  }

  private func check() {
    for (name, s, t) in devices.flatMap({ $0.program.takeShown() }) where s != nil || t != nil {
      shown += 1
      if s != t { violations.append("\(name) shows \(s ?? "-") beside \(t ?? "-")") }
      for value in [s, t].compactMap(\.self) where saved[name]?.contains(value) != true {
        violations.append("\(name) shows \(value)")
      }
    }
    for leak in cloud.leaks { violations.append("\(leak)") }
  }
}

@Suite("Sync engines over a hostile server", .endsAtAll) struct HostileSyncTests {
  /// Runs with `PARHELION_HOSTILE_SEEDS` seeds, starting at `PARHELION_SEED`.
  @Test func `Programs get saved values of one save, or none`() async throws {
    let wanted: Set<HostileCloud.Attack> = [.impersonate, .omitValue, .mixVersions, .forgeValue]
    var (shown, performed) = (0, Set<HostileCloud.Attack>())
    let seeds = try await SeededGenerator.forEachHostileSeed(
      16, until: { performed.isSuperset(of: wanted) }
    ) { seed in
      let life = try await HostileSync(seed: seed)
      await life.run(steps: 30)
      #expect(life.violations.isEmpty, "PARHELION_SEED=\(seed)")
      shown += life.shown
      performed.formUnion(life.performed)
    }
    // Otherwise the runs would prove little.
    guard seeds >= 16 else { return }
    #expect(shown > 0)
    #expect(performed.isSuperset(of: wanted))
  }
}
