/// Devices with two stores in one coordinator: a mirrored one and a local one.
///
///     Cloud: notes, folders ──▶ the server ──▶ every device
///     Local: drafts         ──▶ not exported; faults of the other store do not affect them
extension World {
  /// Records the effects of a save in both stores of a device.
  func note(_ effects: [Effect], by device: SimulatedDevice) {
    acknowledged.note(effects.filter { !$0.isOfDraft }, by: device.name)
    guard plan.workload.keepsDrafts else { return }
    drafts[device.name, default: AcknowledgedWrites()].note(
      effects.filter(\.isOfDraft), by: device.name)
  }

  /// Checks that a device has exactly its own drafts, unchanged.
  ///
  /// Only its user changes them, in sequence, so each has the last written value whatever the
  /// faults.
  func checkDrafts(_ device: SimulatedDevice, _ everything: DeviceContents) {
    let contents = everything.without(Set(everything.objects.keys).subtracting(everything.drafts))
    let own = drafts[device.name, default: AcknowledgedWrites()]
    for key in contents.objects.keys.sorted() where own.inserted[key] == nil {
      violate(.secrecy, "\(device.name) has \(key), which should stay on another device.")
    }
    add(
      own.lost(in: contents) + own.resurrected(in: contents)
        + own.wrongValues(in: contents, isStrict: true))
  }

  /// Checks that the server has no local-only objects.
  func checkDraftsOnServer() async throws {
    for key in try await view.keys(ofType: "CD_\(Draft.entity)") {
      violate(.secrecy, "The server has \(key), which should stay on a device.")
    }
  }
}

/// An object that stays on its device.
enum Draft {
  static let entity = "Draft"

  static func has(_ key: String) -> Bool { key.hasPrefix("\(entity)-") }
}

extension DeviceContents {
  /// The keys of drafts.
  var drafts: Set<String> { Set(objects.keys.filter(Draft.has)) }
}

extension Effect {
  fileprivate var isOfDraft: Bool {
    switch self {
    case .inserted(let key), .deleted(let key): Draft.has(key)
    case .wrote(let place, _, _), .arranged(let place, _, _): Draft.has(place.key)
    }
  }
}
