/// What one save made of many objects, as far as it is there: each object's key says what belongs
/// to it.
///
///     Note-12n0of3 ┐
///     Note-12n1of3 ├─ Note-12: three notes of one save, which are changed and deleted together
///     Note-12n2of3 ┘
package struct SavedGroup: Sendable, Equatable {
  /// The common part of the keys.
  package let name: String
  /// How many objects the save made.
  package let count: Int
  /// The titles of those that are there, in the order of their keys.
  package private(set) var titles: [String] = []

  package var isWhole: Bool { titles.count == count }
  /// Whether all look as the same save has left them.
  package var isAlike: Bool { Set(titles).count <= 1 }

  /// What is behind the number of the save in the key of an object.
  static func suffix(_ index: Int, of count: Int) -> String { "n\(index)of\(count)" }

  /// The name of the group to which an object belongs, and how many there were; nil for what was
  /// not made with many.
  static func place(of key: String) -> (name: String, count: Int)? {
    guard let count = key.firstRange(of: "of"), let index = key.lastIndex(of: "n"),
      index < count.lowerBound,
      let number = Int(key[count.upperBound...])
    else { return nil }
    return (String(key[..<index]), number)
  }

  /// The groups of which something is there, in order.
  ///
  /// - Parameter titles: What is there: titles of objects, by key.
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
  /// Groups of one save that fit into one request and that are there in part, or look as several
  /// saves have left them.
  var parts: [Violation] {
    Self.parts(of: titles, on: device)
      + fitting(titles).filter { !$0.isAlike }.map {
        let looks = Set($0.titles).sorted().joined(separator: ", ")
        return Violation(
          invariant: .together,
          message: "\($0.name) is on \(device) in parts of several saves: \(looks).")
      }
  }

  /// Groups of any size that are there in part.
  var remains: [Violation] { Self.remains(of: titles, mostCount: .max, on: device) }

  /// Groups that fit into one request and are somewhere in part.
  static func parts(of titles: [String: String], on place: String) -> [Violation] {
    remains(of: titles, mostCount: SimulationLimits.recordsInRequest, on: place)
  }

  private static func remains(of titles: [String: String], mostCount: Int, on place: String)
    -> [Violation]
  {
    SavedGroup.all(in: titles).filter { $0.count <= mostCount && !$0.isWhole }.map {
      Violation(
        invariant: .together,
        message: "Of the \($0.count) of \($0.name) \($0.titles.count) alone are on \(place).")
    }
  }

  private func fitting(_ titles: [String: String]) -> [SavedGroup] {
    SavedGroup.all(in: titles).filter { $0.count <= SimulationLimits.recordsInRequest }
  }

  private var titles: [String: String] { contents.objects.mapValues { $0["title", default: ""] } }
}
