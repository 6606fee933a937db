/// Devices with two stores in one coordinator: one that is mirrored, and one of which nobody else
/// ever hears.
///
///     Cloud: notes, folders ──▶ the server ──▶ every device
///     Local: drafts         ──▶ nobody; what faults do to the other store changes nothing of them
extension World {
  /// Notes what a save did in both stores of a device.
  func note(_ effects: [Effect], by device: SimulatedDevice) {
    book.note(effects.filter { !$0.isOfDraft }, by: device.name)
    guard plan.workload.keepsDrafts else { return }
    drafts[device.name, default: AcknowledgedWrites()].note(
      effects.filter(\.isOfDraft), by: device.name)
  }

  /// A device has its own drafts, as it was left with them, and no others.
  ///
  /// Its user alone changes them, one thing after the other: whatever goes wrong, each has what was
  /// written last.
  func checkDrafts(_ device: SimulatedDevice, _ everything: DeviceContents) {
    let contents = everything.without(Set(everything.objects.keys).subtracting(everything.drafts))
    let own = drafts[device.name, default: AcknowledgedWrites()]
    for key in contents.objects.keys.sorted() where own.inserted[key] == nil {
      violate(.secrecy, "\(device.name) has \(key), which another device keeps to itself.")
    }
    add(
      own.lost(in: contents) + own.resurrected(in: contents)
        + own.wrongValues(in: contents, isStrict: true))
  }

  /// The server has nothing of what stays on devices.
  func checkDraftsOnServer() async throws {
    for key in try await view.keys(ofType: "CD_\(Draft.entity)") {
      violate(.secrecy, "The server has \(key), which a device keeps to itself.")
    }
  }
}

/// What stays on the device on which it was made.
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
