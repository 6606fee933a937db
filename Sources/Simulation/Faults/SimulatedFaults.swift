/// The kinds of injected faults in a world.
package struct SimulatedFaults: OptionSet, Sendable, Hashable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Requests and responses are lost or duplicated, and servers are busy.
  package static let network = Self(rawValue: 1)
  /// Requests arrive long after their device has given up on them, and after later ones.
  package static let late = Self(rawValue: 2)
  /// Devices crash, between steps and at requests within them.
  package static let crash = Self(rawValue: 4)
  /// Devices' clocks are wrong, and time passes.
  package static let clock = Self(rawValue: 8)
  /// The account's quota is exhausted.
  package static let quota = Self(rawValue: 16)
  /// So much time passes that the server forgets tombstones, and tokens expire.
  package static let expiry = Self(rawValue: 32)
  /// The user deletes the program's data in the cloud, and devices upload it again.
  package static let zone = Self(rawValue: 64)
  /// The server crashes before or after a write to its storage, and restarts.
  package static let server = Self(rawValue: 128)
  /// A device's disk is full: saves and steps that need space fail.
  package static let disk = Self(rawValue: 256)

  /// Devices crash before or after any transaction of their stores, also within steps.
  package static let transaction = Self(rawValue: 512)
  /// Devices lose power: unsynced writes may be missing.
  package static let power = Self(rawValue: 1_024)
  /// Pushes are lost, delayed, or duplicated.
  package static let push = Self(rawValue: 2_048)

  /// The faults with their command-line names, in order.
  package static let byName: [(name: String, faults: Self)] = [
    ("network", .network), ("late", .late), ("crash", .crash), ("clock", .clock), ("quota", .quota),
    ("expiry", .expiry), ("zone", .zone), ("server", .server), ("disk", .disk),
    ("transaction", .transaction), ("power", .power), ("push", .push),
  ]
  /// All faults.
  package static let all = Self(byName.map { $0.faults })
  /// The faults after which nothing may be lost or come back.
  package static let harmless: Self = [
    .network, .crash, .clock, .quota, .server, .disk, .transaction, .power, .push,
  ]

  /// The combinations that a seed chooses from: most have few faults, so that checks can be strict,
  /// and one has all.
  static let choices: [Self] = [
    [], .push, [.network, .push], .crash, [.crash, .push], [.transaction, .push],
    [.network, .power], .harmless,
    [.network, .late, .push], [.harmless, .late], [.harmless, .expiry], [.harmless, .zone], .all,
  ]

  /// Parses names of faults, separated by commas.
  ///
  /// The names `all`, `harmless` and `none` stand for sets. Nil if a name is unknown.
  package init?(named text: String) {
    var faults: Self = []
    for name in text.split(separator: ",") {
      switch name {
      case "all": faults.formUnion(.all)
      case "harmless": faults.formUnion(.harmless)
      case "none": break
      default:
        guard let known = Self.byName.first(where: { $0.name == name }) else { return nil }
        faults.formUnion(known.faults)
      }
    }
    self = faults
  }

  /// The names, separated by commas.
  package var text: String {
    let names = Self.byName.filter { contains($0.faults) }.map { $0.name }
    return names.isEmpty ? "none" : names.joined(separator: ",")
  }
}
