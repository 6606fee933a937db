/// What a world's devices have acknowledged: what the world is held to.
struct AcknowledgedWrites {
  private(set) var inserted: [String: String] = [:]
  private(set) var deleted: Set<String> = []
  private(set) var written: [Place: ValueAncestry] = [:]
  private(set) var arranged: [Place: ValueAncestry] = [:]
  /// What the latest purge of the zone has to do with the rest.
  var purge = Purge()
  /// How often somebody had a device remove what the cloud had no more.
  var removals = 0
  /// Objects that others deleted while their makers did not know that the server had them.
  private var unheard: Set<String> = []
  /// Who must be unique, and what was written to them.
  private(set) var correspondence = Correspondence()

  /// Notes what a save of a device did.
  mutating func note(_ effects: [Effect], by device: String) {
    for effect in effects {
      correspondence.note(effect, by: device)
      switch effect {
      case .inserted(let key):
        inserted[key] = device
        purge.kept.insert(key)
      case .deleted(let key): deleted.insert(key)
      case .wrote(let place, let text, let former):
        written[place, default: ValueAncestry()].note(text, over: former, by: device, deleted)
      case .arranged(let place, let members, let former):
        arranged[place, default: ValueAncestry()].note(
          members.joined(separator: ","), over: former.joined(separator: ","), by: device, deleted)
      }
    }
  }

  /// Notes that somebody was deleted of whom their maker's device does not know whether the server
  /// ever had them.
  mutating func noteUnheard(_ key: String) { unheard.insert(key) }

  // MARK: What is wrong

  /// Objects that nobody deleted and that are not there.
  func lost(in contents: DeviceContents) -> [Violation] {
    lost(in: contents, of: Set(inserted.keys))
  }

  /// The same, of some.
  func lost(in contents: DeviceContents, of keys: Set<String>) -> [Violation] {
    keys.filter { !deleted.contains($0) && contents.objects[$0] == nil && !mayHaveGoneAlong($0) }
      .sorted().map {
        Violation(
          invariant: .lost,
          message: "\($0) of \(inserted[$0] ?? "") is gone, and nobody deleted it.")
      }
  }

  /// Whether somebody may have deleted an object with what it belongs to, or belonged to once: who
  /// deletes that has perhaps not heard of the object, nor of its having been moved.
  private func mayHaveGoneAlong(_ key: String) -> Bool {
    DeviceContents.owners.contains { property in
      written[Place(key: key, property: property)]?.texts.contains {
        deleted.contains($0) || mayHaveGoneAlong($0)
      }
        ?? false
    }
  }

  /// Objects that are there although what they belong to was deleted, and nobody has moved them
  /// elsewhere.
  ///
  /// - Parameter visited: Devices that somebody else has used since perhaps. Of a public database
  ///   such a device hears of what was deleted by comparing names as who was told of it, and who
  ///   had put something there with it, unheard, may not come back: no other device knows of both.
  func forsaken(in contents: DeviceContents, visited: Set<String> = []) -> [Violation] {
    contents.objects.keys.sorted().filter { !unheard.contains($0) }.filter { key in
      DeviceContents.owners.contains { property in
        let last = written[Place(key: key, property: property)]?.last(isStrict: true) ?? []
        return !last.isEmpty
          && last.allSatisfy {
            deleted.contains($0.text) && !unheard.contains($0.text) && !visited.contains($0.device)
          }
      }
    }.map {
      Violation(
        invariant: .resurrection, message: "\($0) is there, and what it belongs to was deleted.")
    }
  }

  /// Objects that somebody deleted and that are there, although they stand for nobody else.
  func resurrected(in contents: DeviceContents) -> [Violation] {
    deleted.subtracting(unheard).filter {
      contents.objects[$0] != nil && !correspondence.mayBeBack($0)
    }.sorted().map {
      Violation(invariant: .resurrection, message: "\($0) was deleted, and is there again.")
    }
  }

  /// Properties that have what nobody wrote last.
  ///
  /// - Parameter isStrict: Whether what somebody saw and replaced must be gone, and objects count
  ///   that somebody deleted: who brings one back without having heard of that brings what it had.
  func wrongValues(in contents: DeviceContents, isStrict: Bool) -> [Violation] {
    let places = Set(written.keys).union(contents.places).sorted()
    // Who sends something again that others have deleted, unheard, sends it with what it had.
    return places.filter { (isStrict || !isUncertain($0)) && !unheard.contains($0.key) }.compactMap
    { place in
      guard let text = contents.text(at: place) else { return nil }
      let last = written[place]?.last(isStrict: isStrict) ?? []
      guard !allows(text, at: place, last) else { return nil }
      let told = last.map { "\($0.text.isEmpty ? "nothing" : $0.text) by \($0.device)" }.sorted()
        .joined(
          separator: ", ")
      return Violation(
        invariant: .value,
        message: "\(place) is \(text); last were written \(told.isEmpty ? "nothing" : told).")
    }
  }

  /// Orders that differ from what one device wrote who had seen all others.
  ///
  /// Where several wrote without having heard of each other, any order may come of it, as long as
  /// all have the same.
  func wrongOrders(in contents: DeviceContents) -> [Violation] {
    arranged.keys.sorted().compactMap { place in
      guard let text = contents.text(at: place), let last = arranged[place]?.last(isStrict: true),
        last.count == 1
      else { return nil }
      let (present, wanted) = (Self.members(text), Self.members(last[0].text))
      guard present.filter(wanted.contains) != wanted.filter(present.contains) else { return nil }
      return Violation(
        invariant: .value,
        message: "\(place) is \(text); \(last[0].device) has ordered it \(last[0].text).")
    }
  }

  private static func members(_ text: String) -> [String] {
    text.split(separator: ",").map(String.init)
  }

  private func isUncertain(_ place: Place) -> Bool {
    deleted.contains(place.key) || place.member.map(deleted.contains) ?? false
  }

  /// Whether one of the writings leaves a text; one that leads to what was deleted leads nowhere.
  private func allows(_ text: String, at place: Place, _ last: [ValueAncestry.Writing]) -> Bool {
    if last.isEmpty { return text == place.initialText }
    if place.member.map(deleted.contains) ?? false, text == Place.gone { return true }
    if text.isEmpty, place.property == Place.claim,
      last.contains(where: { isClaimed($0, besides: place) })
    {
      return true
    }
    return last.contains { $0.text == text || text.isEmpty && deleted.contains($0.text) }
  }
}

extension AcknowledgedWrites {
  /// Whether another object may have what one leads to, or may have had it when that was told: one
  /// of them loses it then, and the other one may let go of it later.
  private func isClaimed(_ claim: ValueAncestry.Writing, besides place: Place) -> Bool {
    written.contains { other, writings in
      other != place && other.property == place.property
        && (writings.last(isStrict: false).contains { $0.text == claim.text }
          || writings.texts(besidesThoseOf: claim.device).contains(claim.text))
    }
  }
}

extension Place {
  /// The reference that one object alone may have to another one.
  static let claim = "member"

  /// What the place says of an object in which nobody has written there.
  var initialText: String {
    if member != nil { return Self.gone }
    return DeviceContents.references.contains(property) ? "" : ValueText.of(nil)
  }
}

extension DeviceContents {
  /// The relationships that lead to one object, and one of each pair of those that lead to many
  /// from both sides.
  static let references = [
    "album", "board", "folder", "home", "member", "parent", "person", "photo", "project", "shelf",
  ]
  static let memberships = ["tags"]
  /// The relationships that follow from these.
  static let consequences: Set = [
    "animals", "cards", "children", "comments", "letters", "locker", "notes", "photos", "volumes",
  ]
  static let relationships = consequences.union(references).union(memberships)
  /// The references to what takes along what belongs to it.
  static let owners = ["album", "photo"]

  /// Everywhere that something is.
  var places: [Place] {
    objects.flatMap { key, texts in
      texts.flatMap { property, text in
        if Self.consequences.contains(property) { return [Place]() }
        guard Self.memberships.contains(property) else {
          return [Place(key: key, property: property)]
        }
        return text.split(separator: ",").map {
          Place(key: key, property: property, member: String($0))
        }
      }
    }
  }

  /// What is at a place; nil where its object is not there.
  func text(at place: Place) -> String? {
    guard let text = objects[place.key]?[place.property] else { return nil }
    guard let member = place.member else { return text }
    return text.split(separator: ",").contains(member[...]) ? Place.there : Place.gone
  }
}
