/// What a world's devices have acknowledged: what the world is held to.
struct Book {
  private(set) var inserted: [String: String] = [:]
  private(set) var deleted: Set<String> = []
  /// What each device wrote last, by object, property and device.
  private(set) var written: [String: [String: [String: String]]] = [:]
  /// What somebody saw and wrote something else over, by object and property; no text is written twice.
  private(set) var replaced: [String: [String: Set<String>]] = [:]

  /// Notes what a save of a device did.
  mutating func note(_ effects: [Effect], by device: String) {
    for effect in effects {
      switch effect {
      case .inserted(let key): inserted[key] = device
      case .deleted(let key): deleted.insert(key)
      case .wrote(let key, let property, let text, let former):
        written[key, default: [:]][property, default: [:]][device] = text
        if let former { replaced[key, default: [:]][property, default: []].insert(former) }
      }
    }
  }

  // MARK: What is wrong

  /// Objects that nobody deleted and that are not there.
  func lost(in contents: DeviceContents) -> [Violation] {
    inserted.keys.filter { !deleted.contains($0) && contents.objects[$0] == nil }.sorted().map {
      Violation(invariant: .lost, message: "\($0) of \(inserted[$0] ?? "") is gone, and nobody deleted it.")
    }
  }

  /// Objects that somebody deleted and that are there.
  func resurrected(in contents: DeviceContents) -> [Violation] {
    deleted.filter { contents.objects[$0] != nil }.sorted().map {
      Violation(invariant: .resurrection, message: "\($0) was deleted, and is there again.")
    }
  }

  /// Properties that have what nobody wrote last.
  ///
  /// - Parameter isStrict: Whether objects count that somebody deleted: who brings one back without having heard of that brings what it had.
  func wrongValues(in contents: DeviceContents, isStrict: Bool) -> [Violation] {
    var violations: [Violation] = []
    for (key, properties) in written.sorted(by: { $0.key < $1.key }) where isStrict || !deleted.contains(key) {
      guard let texts = contents.objects[key] else { continue }
      for (property, values) in properties.sorted(by: { $0.key < $1.key }) {
        guard let text = texts[property], !values.values.contains(text) else { continue }
        let last = values.sorted { $0.key < $1.key }.map { "\($0.value) by \($0.key)" }.joined(separator: ", ")
        violations.append(
          Violation(invariant: .value, message: "\(key).\(property) is \(text); last were written \(last)."))
      }
    }
    return violations
  }

  /// Properties that have again what somebody has seen and replaced.
  func formerValues(in contents: DeviceContents) -> [Violation] {
    replaced.sorted { $0.key < $1.key }.flatMap { key, properties in
      properties.sorted { $0.key < $1.key }.compactMap { property, formers in
        guard let text = contents.objects[key]?[property], formers.contains(text) else { return nil }
        return Violation(
          invariant: .value, message: "\(key).\(property) is \(text) again, which somebody had replaced.")
      }
    }
  }
}
