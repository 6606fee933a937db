/// The objects that must come back after a user has deleted all data in the cloud.
///
///     purge ──▶ a device uploads its data again: all of it exists in the end
///           ├─▶ a device removes its data: no requirement follows
///           └─▶ objects that are saved afterwards exist in the end, whatever the users choose
///
/// The first device to fill a zone may not know a newer value, and nothing orders the two values.
/// But if all devices had the same value, that value or a newer one must exist.
extension AcknowledgedWrites {
  struct Purge {
    /// The objects that must exist in the end, unless they are deleted.
    var kept: Set<String> = []
    /// The notes that a device had without the other note of their pair.
    fileprivate(set) var halves: Set<String> = []
    /// The common value of all devices at each place, with the number of writes until then.
    fileprivate var agreed: [Place: (text: String, count: Int)] = [:]
  }

  /// Records that the zone is deleted.
  ///
  /// - Parameter contents: The content of each device.
  mutating func recordPurge(_ contents: [DeviceContents]) {
    purge = Purge()
    purge.halves = Set(contents.flatMap { ContentsCheck.halves(of: $0.objects.keys) })
    for place in Set(contents.flatMap(\.places)) where place.property != Place.claim {
      let texts = Set(contents.compactMap { $0.text(at: place) })
      guard let text = texts.first, texts.count == 1 else { continue }
      purge.agreed[place] = (text, written[place]?.count ?? 0)
    }
  }

  /// Records that a device uploads its data again.
  mutating func recordReupload(_ contents: DeviceContents) {
    purge.kept.formUnion(contents.objects.keys)
  }

  /// Records that a device removes its data, so that earlier objects need not exist on it.
  mutating func recordRemoval() { removals += 1 }

  /// Objects that a device uploaded again, or that were inserted after the purge, and that are
  /// missing.
  func lostAfterPurge(in contents: DeviceContents) -> [Violation] {
    lost(in: contents, of: purge.kept)
  }

  /// Properties with neither the common value at the purge nor one that was written afterwards.
  func wrongAfterPurge(in contents: DeviceContents) -> [Violation] {
    purge.agreed.keys.sorted().compactMap { place in
      guard let agreed = purge.agreed[place], let text = contents.text(at: place),
        text != agreed.text
      else {
        return nil
      }
      let newer = written[place]?.texts.dropFirst(agreed.count) ?? []
      let isCleared =
        text.isEmpty && newer.appending(agreed.text).contains(where: deleted.contains)
      let isApart = text == Place.gone && place.member.map(deleted.contains) ?? false
      guard !newer.contains(text), !isCleared, !isApart else { return nil }
      return Violation(
        invariant: .value,
        message: "\(place) is \(text); all devices had \(agreed.text) when the zone was deleted.")
    }
  }
}

extension Sequence {
  fileprivate func appending(_ element: Element) -> [Element] { self + [element] }
}
