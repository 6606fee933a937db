/// What must come back when somebody has deleted everything in the cloud.
///
///     purge ──▶ a device sends everything again: all that it has is there in the end
///           ├─▶ a device removes what it has: nothing is asked of it
///           └─▶ what is saved from then on is there in the end, whoever decides how
///
/// Whoever fills a zone first may not have heard of a newer value, and nothing tells which is
/// newer. But where all devices had the same, that is there or something newer.
extension AcknowledgedWrites {
  struct Purge {
    /// The objects that must be there in the end, unless somebody deletes them.
    var kept: Set<String> = []
    /// What all devices had at a place, and how much had been written there.
    fileprivate var agreed: [Place: (text: String, count: Int)] = [:]
  }

  /// The zone is deleted now.
  ///
  /// - Parameter contents: What each device has.
  mutating func notePurge(_ contents: [DeviceContents]) {
    purge = Purge()
    for place in Set(contents.flatMap(\.places)) where place.property != Place.claim {
      let texts = Set(contents.compactMap { $0.text(at: place) })
      guard let text = texts.first, texts.count == 1 else { continue }
      purge.agreed[place] = (text, written[place]?.count ?? 0)
    }
  }

  /// A device sends everything again.
  mutating func noteSentAgain(_ contents: DeviceContents) {
    purge.kept.formUnion(contents.objects.keys)
  }

  /// A device removes what it has; what was there before is there no more, as far as this device
  /// tells.
  mutating func noteRemoval() { removals += 1 }

  /// Objects that some device has sent again, or that were made since, and that are not there.
  func lostBehindPurge(in contents: DeviceContents) -> [Violation] {
    lost(in: contents, of: purge.kept)
  }

  /// Properties that have neither what all devices had at the purge, nor what was written since.
  func wrongBehindPurge(in contents: DeviceContents) -> [Violation] {
    purge.agreed.keys.sorted().compactMap { place in
      guard let agreed = purge.agreed[place], let text = contents.text(at: place),
        text != agreed.text
      else {
        return nil
      }
      let newer = written[place]?.texts.dropFirst(agreed.count) ?? []
      let leadsNowhere =
        text.isEmpty && newer.appending(agreed.text).contains(where: deleted.contains)
      let isApart = text == Place.gone && place.member.map(deleted.contains) ?? false
      guard !newer.contains(text), !leadsNowhere, !isApart else { return nil }
      return Violation(
        invariant: .value,
        message: "\(place) is \(text); all devices had \(agreed.text) when the zone was deleted.")
    }
  }
}

extension Sequence {
  fileprivate func appending(_ element: Element) -> [Element] { self + [element] }
}
