/// Conditions on one device's content, which hold after every complete import.
struct ContentsCheck {
  let device: String
  let contents: DeviceContents

  /// The violations for every workload.
  var violations: [Violation] {
    repeated + incomplete + changed + dangling + oneSided + doubleAddresses
  }

  private var repeated: [Violation] {
    contents.repeatedKeys.map {
      Violation(invariant: .once, message: "\($0) is on \(device) twice.")
    }
  }

  /// Objects without a key: every insertion sets one, so a part of their record is missing.
  private var incomplete: [Violation] {
    guard contents.objects[DeviceContents.noKey] != nil else { return [] }
    return [
      Violation(
        invariant: .integrity,
        message: "An object on \(device) has no key, although every insertion sets one.")
    ]
  }

  /// Objects whose entity has changed.
  private var changed: [Violation] {
    contents.entities.sorted(by: <).filter {
      $0.key != DeviceContents.noKey && !$0.key.hasPrefix("\($0.value)-")
    }.map {
      Violation(
        invariant: .integrity, message: "\($0.key) on \(device) has the entity \($0.value).")
    }
  }

  private var dangling: [Violation] {
    references.filter { contents.objects[$0.target] == nil }.map {
      Violation(
        invariant: .integrity,
        message: "\($0.key) on \(device) refers to \($0.target), which does not exist.")
    }
  }

  /// References without their inverse.
  private var oneSided: [Violation] {
    let inverses = Set(references.map { [$0.target, $0.key] })
    return references.filter { !inverses.contains([$0.key, $0.target]) }.map {
      Violation(
        invariant: .integrity,
        message: "\($0.key) on \(device) refers to \($0.target), which does not refer to it.")
    }
  }

  /// The references between objects, in order.
  private var references: [(key: String, target: String)] {
    let relationships = DeviceContents.relationships.sorted()
    return contents.objects.sorted { $0.key < $1.key }.flatMap { key, texts in
      relationships.flatMap { texts[$0, default: ""].split(separator: ",") }.map {
        (key, String($0))
      }
    }
  }

  private var doubleAddresses: [Violation] {
    let addresses = contents.objects.values.compactMap { $0["email"] }.filter { $0 != "-" }
    return Dictionary(grouping: addresses) { $0 }.filter { $0.value.count > 1 }.keys.sorted().map {
      Violation(invariant: .uniqueness, message: "\($0) is on \(device) twice.")
    }
  }

  /// Notes whose other half is missing: users insert and delete them only in pairs.
  ///
  /// - Parameter known: Notes whose other half was missing when the zone was deleted.
  func incompletePairs(except known: Set<String> = []) -> [Violation] {
    Self.incompletePairs(of: Self.halves(of: contents.objects.keys).subtracting(known), on: device)
  }

  /// Returns a violation for each note without its other half.
  static func incompletePairs(of halves: Set<String>, on place: String) -> [Violation] {
    halves.sorted().map {
      Violation(invariant: .together, message: "\($0) is on \(place) without its other half.")
    }
  }

  /// Returns the notes without their other halves.
  static func halves(of keys: some Sequence<String>) -> Set<String> {
    let pairs = keys.filter { $0.hasPrefix("Note-") && ($0.hasSuffix("a") || $0.hasSuffix("b")) }
    return Set(
      Dictionary(grouping: pairs) { $0.dropLast() }.values.filter { $0.count == 1 }
        .flatMap(\.self))
  }
}
