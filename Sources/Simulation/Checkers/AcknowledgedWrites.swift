/// All writes that a world's devices saved, with which the checks compare the devices' contents.
struct AcknowledgedWrites {
  /// The name of the device that inserted each object, by the object's key.
  private(set) var inserted: [String: String] = [:]
  private(set) var deleted: Set<String> = []
  private(set) var written: [Place: ValueAncestry] = [:]
  private(set) var arranged: [Place: ValueAncestry] = [:]
  /// The requirements after the latest purge of the zone.
  var purge = Purge()
  /// The number of times that a user let a device remove the data that the cloud no longer had.
  var removals = 0
  /// Objects that one device deleted while the device that inserted them did not know whether the
  /// server had them.
  private var unseenDeletions: Set<String> = []
  /// The objects with unique values, and the letters to them.
  private(set) var correspondence = Correspondence()

  /// Records the effects of a device's save.
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

  /// Records that a device deleted an object while the device that inserted it did not know whether
  /// the server had it.
  mutating func recordUnseenDeletions(_ key: String) { unseenDeletions.insert(key) }

  // MARK: Issues

  /// Objects that are missing and were not deleted.
  func lost(in contents: DeviceContents) -> [Violation] {
    lost(in: contents, of: Set(inserted.keys))
  }

  /// Objects among the given ones that are missing and were not deleted.
  func lost(in contents: DeviceContents, of keys: Set<String>) -> [Violation] {
    keys.filter { !deleted.contains($0) && contents.objects[$0] == nil && !mayBeCascaded($0) }
      .sorted().map {
        Violation(
          invariant: .lost,
          message: "\($0) of \(inserted[$0] ?? "") is missing, although it was not deleted.")
      }
  }

  /// Whether an object may have been deleted by cascade, with a present or former owner.
  ///
  /// The device that deletes the owner may not know the object, or its move to another owner.
  private func mayBeCascaded(_ key: String) -> Bool {
    DeviceContents.owners.contains { property in
      written[Place(key: key, property: property)]?.texts.contains {
        deleted.contains($0) || mayBeCascaded($0)
      }
        ?? false
    }
  }

  /// Objects that exist although their owner was deleted, and that were not moved elsewhere.
  ///
  /// - Parameter visited: Devices that several users have used, whose writes are not checked. In a
  ///   public database, such a device detects deletions only by comparing names, while a user who
  ///   can read the records is signed in. So it may add an object to an owner that another device
  ///   has deleted.
  func withoutOwner(in contents: DeviceContents, visited: Set<String> = []) -> [Violation] {
    contents.objects.keys.sorted().filter { !unseenDeletions.contains($0) }.filter { key in
      DeviceContents.owners.contains { property in
        let last = written[Place(key: key, property: property)]?.last(isStrict: true) ?? []
        return !last.isEmpty
          && last.allSatisfy {
            deleted.contains($0.text) && !unseenDeletions.contains($0.text)
              && !visited.contains($0.device)
          }
      }
    }.map {
      Violation(
        invariant: .resurrection, message: "\($0) exists, although its owner was deleted.")
    }
  }

  /// Objects that exist although they were deleted, and did not win a merge of duplicates.
  ///
  /// - Parameter isChecked: Whether an object is checked.
  func resurrected(
    in contents: DeviceContents, where isChecked: (String) -> Bool = { _ in true }
  ) -> [Violation] {
    deleted.subtracting(unseenDeletions).filter {
      contents.objects[$0] != nil && !correspondence.mayExist($0) && isChecked($0)
    }.sorted().map {
      Violation(invariant: .resurrection, message: "\($0) was deleted, but exists.")
    }
  }

  /// Properties whose value is not the last one written.
  ///
  /// - Parameters:
  ///   - isStrict: Whether a value that a later writer had seen is wrong, and whether deleted
  ///     objects are checked too.
  ///   - isChecked: Whether a place is checked.
  func wrongValues(
    in contents: DeviceContents, isStrict: Bool, where isChecked: (Place) -> Bool = { _ in true }
  ) -> [Violation] {
    let places = Set(written.keys).union(contents.places).filter(isChecked).sorted()
    // A device that uploads an object again, without knowing its deletion, uploads its values too.
    return places.filter { (isStrict || !isUncertain($0)) && !unseenDeletions.contains($0.key) }
      .compactMap { place in
        guard let text = contents.text(at: place) else { return nil }
        let last = written[place]?.last(isStrict: isStrict) ?? []
        guard !allows(text, at: place, last) else { return nil }
        let writes = last.map { "\($0.text.isEmpty ? "nothing" : $0.text) by \($0.device)" }
          .sorted()
          .joined(
            separator: ", ")
        return Violation(
          invariant: .value,
          message:
            "\(place) is \(text); the last writes were \(writes.isEmpty ? "nothing" : writes)."
        )
      }
  }

  /// Orders that differ from the last one, if its writer had seen all others.
  ///
  /// If several devices wrote concurrently, any order is correct.
  func wrongOrders(in contents: DeviceContents) -> [Violation] {
    arranged.keys.sorted().compactMap { place in
      guard let text = contents.text(at: place), let last = arranged[place]?.last(isStrict: true),
        last.count == 1
      else { return nil }
      let (present, wanted) = (Self.members(text), Self.members(last[0].text))
      guard present.filter(wanted.contains) != wanted.filter(present.contains) else { return nil }
      return Violation(
        invariant: .value,
        message: "\(place) is \(text); the last order, by \(last[0].device), was \(last[0].text).")
    }
  }

  private static func members(_ text: String) -> [String] {
    text.split(separator: ",").map(String.init)
  }

  /// The values that were written at a place.
  func texts(at place: Place) -> [String] { written[place]?.texts ?? [] }

  /// The owners of the devices that wrote at a place.
  ///
  /// - Parameter owners: The owner of each device, by its name.
  func writers(of place: Place, _ owners: [String: String]) -> Set<String> {
    Set(written[place]?.devices.compactMap { owners[$0] } ?? [])
  }

  private func isUncertain(_ place: Place) -> Bool {
    deleted.contains(place.key) || place.member.map(deleted.contains) ?? false
  }

  /// Whether one of the writes explains a value; a reference to a deleted object becomes nil.
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
  /// Whether another object may have, or may have had, the same exclusive destination: one of the
  /// two then loses it.
  private func isClaimed(_ claim: ValueAncestry.Writing, besides place: Place) -> Bool {
    written.contains { other, writings in
      other != place && other.property == place.property
        && (writings.last(isStrict: false).contains { $0.text == claim.text }
          || writings.texts(besidesThoseOf: claim.device).contains(claim.text))
    }
  }
}

extension Place {
  /// The exclusive reference to another object.
  static let claim = "member"

  /// The value of a place before any write.
  var initialText: String {
    if member != nil { return Self.gone }
    return DeviceContents.references.contains(property) ? "" : ValueText.of(nil)
  }
}

extension DeviceContents {
  /// The to-one relationships, except the inverses in `consequences`.
  static let references = [
    "album", "board", "folder", "home", "member", "parent", "person", "photo", "project", "shelf",
  ]
  /// The many-to-many relationships, each without its inverse.
  static let memberships = ["tags"]
  /// The inverses of `references` and `memberships`.
  static let consequences: Set = [
    "animals", "cards", "children", "comments", "letters", "locker", "notes", "photos", "volumes",
  ]
  static let relationships = consequences.union(references).union(memberships)
  /// The references to owners whose deletion cascades.
  static let owners = ["album", "photo"]

  /// All places of the content.
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

  /// The value at a place; nil if its object does not exist.
  func text(at place: Place) -> String? {
    guard let text = objects[place.key]?[place.property] else { return nil }
    guard let member = place.member else { return text }
    return text.split(separator: ",").contains(member[...]) ? Place.there : Place.gone
  }
}
