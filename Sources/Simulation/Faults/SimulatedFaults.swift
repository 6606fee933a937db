/// The kinds of faults that a world has.
package struct SimulatedFaults: OptionSet, Sendable, Hashable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Requests and answers are lost or come twice, and servers have no time.
  package static let network = Self(rawValue: 1)
  /// Requests arrive long after their device has given them up, behind later ones.
  package static let late = Self(rawValue: 2)
  /// Devices crash, between steps and at requests within them.
  package static let crash = Self(rawValue: 4)
  /// Clocks of devices are wrong, and time passes.
  package static let clock = Self(rawValue: 8)
  /// There is no room in the account.
  package static let quota = Self(rawValue: 16)
  /// So much time passes that the server forgets what was deleted, and tokens expire.
  package static let expiry = Self(rawValue: 32)
  /// The user deletes the program's data in the cloud; the devices send it again.
  package static let zone = Self(rawValue: 64)
  /// The server crashes before or behind a write of its storage, and starts again.
  package static let server = Self(rawValue: 128)
  /// A device's disk is full: saves and steps fail where they need more of it.
  package static let disk = Self(rawValue: 256)

  /// Devices crash within steps before or behind any transaction in their stores' files.
  package static let transaction = Self(rawValue: 512)
  /// Devices lose their power: what nobody has synced may be missing.
  package static let power = Self(rawValue: 1_024)
  /// Pushes are lost, late or come twice.
  package static let push = Self(rawValue: 2_048)

  /// The faults by the names that people give them, in order.
  package static let byName: [(name: String, faults: Self)] = [
    ("network", .network), ("late", .late), ("crash", .crash), ("clock", .clock), ("quota", .quota),
    ("expiry", .expiry), ("zone", .zone), ("server", .server), ("disk", .disk),
    ("transaction", .transaction), ("power", .power), ("push", .push),
  ]
  /// All of them.
  package static let all = Self(byName.map { $0.faults })
  /// Those behind which nobody may have lost anything, nor got anything back.
  package static let harmless: Self = [
    .network, .crash, .clock, .quota, .server, .disk, .transaction, .power, .push,
  ]

  /// Those of which a seed chooses: few at a time, so that checkers may ask for much, and all
  /// together.
  static let choices: [Self] = [
    [], .push, [.network, .push], .crash, [.crash, .push], [.transaction, .push],
    [.network, .power], .harmless,
    [.network, .late, .push], [.harmless, .late], [.harmless, .expiry], [.harmless, .zone], .all,
  ]

  /// The faults of names that commas separate.
  ///
  /// `all`, `harmless` and `none` stand for several. Nil where a name is none.
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

  /// The names, with commas.
  package var text: String {
    let names = Self.byName.filter { contains($0.faults) }.map { $0.name }
    return names.isEmpty ? "none" : names.joined(separator: ",")
  }
}
