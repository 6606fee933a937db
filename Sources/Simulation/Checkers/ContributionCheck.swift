/// Conditions on a device's contributions after a complete import.
struct ContributionCheck {
  let device: String
  let contributions: [Contribution]
  let order: ContributionOrder
  let acknowledged: AcknowledgedWrites

  init(_ contents: DeviceContents, on device: String, _ acknowledged: AcknowledgedWrites) {
    (self.device, self.acknowledged) = (device, acknowledged)
    contributions = contents.contributions
    order = ContributionOrder(contributions)
  }

  /// The violations that do not depend on earlier states.
  var violations: [Violation] { cycles + missingParents + altered + reversals }

  /// Contributions whose relative order has changed on the device.
  func changes(since former: ContributionOrder) -> [Violation] {
    guard let (one, other) = order.changed(since: former) else { return [] }
    return [violation("\(one) and \(other) have changed their order")]
  }

  private func violation(_ text: String) -> Violation {
    Violation(invariant: .causality, message: "\(text) on \(device).")
  }

  private var cycles: [Violation] { order.cyclic.map { violation("\($0) follows itself") } }

  private var missingParents: [Violation] {
    order.orphans.map { violation("\($0) follows a missing contribution") }
  }

  /// Contributions whose parent, author, or date differs from the original, unless the parent was
  /// deleted.
  private var altered: [Violation] {
    contributions.filter { contribution in
      !wrote(contribution.author, "author", of: contribution)
        || !wrote("\(contribution.date)", "date", of: contribution)
        || !wrote(contribution.parent ?? "", "parent", of: contribution) && !isOrphan(contribution)
    }.map {
      violation(
        "\($0.key), which follows \($0.parent ?? "nothing") by \($0.author) at \($0.date), differs from the original"
      )
    }
  }

  private func wrote(_ text: String, _ property: String, of contribution: Contribution) -> Bool {
    acknowledged.written[Place(key: contribution.key, property: property)]?.texts.contains(text)
      ?? false
  }

  private func isOrphan(_ contribution: Contribution) -> Bool {
    guard contribution.parent == nil else { return false }
    return acknowledged.written[Place(key: contribution.key, property: "parent")]?.texts.contains(
      where: acknowledged.deleted.contains)
      ?? false
  }

  /// Contributions that precede their parent.
  private var reversals: [Violation] {
    let places = Dictionary(
      uniqueKeysWithValues: order.byTree.enumerated().map { ($0.element, $0.offset) })
    return contributions.filter { contribution in
      let parents =
        acknowledged.written[Place(key: contribution.key, property: "parent")]?.texts ?? []
      guard let place = places[contribution.key] else { return false }
      return parents.contains { places[$0].map { $0 > place } ?? false }
    }.map { violation("\($0.key) precedes its parent") }
  }
}

extension DeviceContents {
  /// The contributions, sorted by key.
  var contributions: [Contribution] {
    entities.filter { $0.value == "Contribution" }.keys.sorted().map { key in
      let texts = objects[key, default: [:]]
      let parent = texts["parent", default: ""]
      return Contribution(
        key: key, parent: parent.isEmpty ? nil : parent, author: texts["author", default: ""],
        date: texts["date"].flatMap(Int64.init) ?? 0)
    }
  }
}
