/// The existing objects among those that one save inserted; their keys identify the group.
///
///     Note-12n0of3 ┐
///     Note-12n1of3 ├─ Note-12: three notes of one save, which are changed and deleted together
///     Note-12n2of3 ┘
package struct SavedGroup: Sendable, Equatable {
  /// The common prefix of the keys.
  package let name: String
  /// The number of objects in the save.
  package let count: Int
  /// The titles of the existing objects, sorted by key.
  package private(set) var titles: [String] = []

  package var isWhole: Bool { titles.count == count }
  /// Whether all titles come from the same save.
  package var isAlike: Bool { Set(titles).count <= 1 }

  /// The suffix of an object's key, after the number of the save.
  static func suffix(_ index: Int, of count: Int) -> String { "n\(index)of\(count)" }

  /// The group's name and size from an object's key; nil for an object without a group.
  static func place(of key: String) -> (name: String, count: Int)? {
    guard let count = key.firstRange(of: "of"), let index = key.lastIndex(of: "n"),
      index < count.lowerBound,
      let number = Int(key[count.upperBound...])
    else { return nil }
    return (String(key[..<index]), number)
  }

  /// The groups of which any object exists, in order.
  ///
  /// - Parameter titles: The titles of the existing objects, by key.
  package static func all(in titles: [String: String]) -> [SavedGroup] {
    var groups: [String: SavedGroup] = [:]
    for (key, title) in titles.sorted(by: { $0.key < $1.key }) {
      guard let (name, count) = place(of: key) else { continue }
      groups[name, default: SavedGroup(name: name, count: count)].titles.append(title)
    }
    return groups.values.sorted { $0.name < $1.name }
  }

  private init(name: String, count: Int) { (self.name, self.count) = (name, count) }
}

extension ContentsCheck {
  /// Groups that fit into one request and are incomplete, or have titles from several saves.
  var parts: [Violation] {
    Self.parts(of: titles, on: device)
      + fitting(titles).filter { !$0.isAlike }.map {
        let looks = Set($0.titles).sorted().joined(separator: ", ")
        return Violation(
          invariant: .together,
          message: "\($0.name) on \(device) mixes several saves: \(looks).")
      }
  }

  /// Incomplete groups of any size.
  var remains: [Violation] { Self.remains(of: titles, mostCount: .max, on: device) }

  /// Incomplete groups that fit into one request.
  static func parts(of titles: [String: String], on place: String) -> [Violation] {
    remains(of: titles, mostCount: SimulationLimits.recordsInRequest, on: place)
  }

  private static func remains(of titles: [String: String], mostCount: Int, on place: String)
    -> [Violation]
  {
    SavedGroup.all(in: titles).filter { $0.count <= mostCount && !$0.isWhole }.map {
      Violation(
        invariant: .together,
        message: "Only \($0.titles.count) of the \($0.count) objects of \($0.name) are on \(place)."
      )
    }
  }

  private func fitting(_ titles: [String: String]) -> [SavedGroup] {
    SavedGroup.all(in: titles).filter { $0.count <= SimulationLimits.recordsInRequest }
  }

  private var titles: [String: String] { contents.objects.mapValues { $0["title", default: ""] } }
}
