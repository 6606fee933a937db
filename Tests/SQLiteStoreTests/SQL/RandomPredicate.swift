import Foundation
import ManagedObjectModel
import PredicateLanguage

/// Makes random predicates from everything that a store translates.
struct RandomPredicate {
  var random: RandomLibrary
  private var arguments: [Any] = []
  private var depth = 3
  /// The entity of the tested objects.
  private var start: NSEntityDescription?

  init(_ random: RandomLibrary) { self.random = random }

  /// A predicate over an entity's objects.
  mutating func predicate(of entity: NSEntityDescription) -> NSPredicate {
    arguments = []
    start = entity
    let format = compound(Place(entity: entity))
    return NSPredicate(format: format, argumentArray: arguments)
  }

  /// The start of a key path: the object or a variable.
  private struct Place {
    let entity: NSEntityDescription
    var prefix = ""
  }

  private mutating func compound(_ place: Place) -> String {
    guard depth > 0 else { return comparison(place) }
    depth -= 1
    defer { depth += 1 }
    switch random.number(7) {
    case 0: return "(\(compound(place)) AND \(compound(place)))"
    case 1: return "(\(compound(place)) OR \(compound(place)))"
    case 2: return "NOT (\(compound(place)))"
    default: return comparison(place)
    }
  }

  private mutating func comparison(_ place: Place) -> String {
    let relationships = place.entity.relationshipsByName.values.sorted { $0.name < $1.name }
    let toMany = relationships.filter(\.isToMany)
    let toOne = relationships.filter { !$0.isToMany }
    switch random.number(12) {
    case 0 where !toOne.isEmpty: return object(place, random.pick(toOne))
    case 1 where !toMany.isEmpty: return count(place, random.pick(toMany))
    case 2 where !toMany.isEmpty && depth > 0: return subquery(place, random.pick(toMany))
    case 3 where !toMany.isEmpty: return membership(place, random.pick(toMany))
    case 4 where !toMany.isEmpty && place.prefix.isEmpty:
      return quantified(place, random.pick(toMany))
    case 5: return "\(row(place)) \(random.pick(["==", "!=", "IN"])) \(objects(place.entity))".fixed
    case 6: return calculated(place)
    default:
      let (path, attribute) = path(place)
      return comparison(path, attribute)
    }
  }

  private func row(_ place: Place) -> String {
    place.prefix.isEmpty ? "SELF" : String(place.prefix.dropLast())
  }

  private mutating func argument(_ value: Any) -> String {
    arguments.append(value)
    return "%@"
  }

  private mutating func objects(_ entity: NSEntityDescription) -> String {
    let all = random.store.objects(of: entity.name ?? "")
    return argument((0...random.number(3)).map { _ in random.pick(all) })
  }

  private mutating func object(_ entity: NSEntityDescription) -> String {
    argument(random.pick(random.store.objects(of: entity.name ?? "")))
  }
}

// MARK: - Attributes

extension RandomPredicate {
  /// A key path to an attribute over up to two to-one relationships.
  private mutating func path(_ place: Place) -> (String, NSAttributeDescription) {
    var path = place.prefix
    var entity = place.entity
    for _ in 0..<2 where random.chance(3) {
      let toOne = entity.relationshipsByName.values.filter { !$0.isToMany }.sorted {
        $0.name < $1.name
      }
      guard !toOne.isEmpty else { break }
      let relationship = random.pick(toOne)
      path += "\(relationship.name)."
      entity = relationship.destinationEntity ?? entity
    }
    let attribute = attribute(of: entity)
    if let composite = attribute as? NSCompositeAttributeDescription {
      let element = random.pick(composite.elements)
      return ("\(path)\(composite.name).\(element.name)", element)
    }
    return (path + attribute.name, attribute)
  }

  private mutating func attribute(of entity: NSEntityDescription) -> NSAttributeDescription {
    random.pick(
      entity.attributesByName.values.filter { !$0.isTransient }.sorted { $0.name < $1.name })
  }

  private mutating func comparison(_ path: String, _ attribute: NSAttributeDescription) -> String {
    if random.chance(6) { return "\(path) \(random.pick(["==", "!="])) nil" }
    switch attribute.attributeType {
    case .stringAttributeType: return text(path)
    case .URIAttributeType: return address(path, attribute)
    case .binaryDataAttributeType, .transformableAttributeType:
      return "\(path) \(random.pick(["==", "!="])) \(value(attribute))"
    case .booleanAttributeType:
      return "\(path) \(random.pick(["==", "!="])) \(random.pick(["YES", "NO"]))"
    default: break
    }
    switch random.number(4) {
    case 0: return "\(path) BETWEEN {\(value(attribute)), \(value(attribute))}"
    case 1: return "\(path) IN {\(values(attribute))}"
    default: return "\(path) \(random.pick(["==", "!=", "<", "<=", ">", ">="])) \(value(attribute))"
    }
  }

  /// A comparison of a URL with another or with a text.
  private mutating func address(_ path: String, _ attribute: NSAttributeDescription) -> String {
    if random.chance(2) { return text(path) }
    let other =
      random.chance(2) ? value(attribute) : argument("http://example.com/\(random.number(3))")
    return "\(path) \(random.pick(["==", "!=", "<", "<=", ">", ">="])) \(other)"
  }

  private mutating func value(_ attribute: NSAttributeDescription) -> String {
    argument(random.value(of: attribute) ?? 0)
  }

  private mutating func values(_ attribute: NSAttributeDescription) -> String {
    var values = (0...random.number(12)).map { _ in value(attribute) }
    if random.chance(3) { values.append("nil") }
    return values.joined(separator: ", ")
  }

  private mutating func text(_ path: String) -> String {
    let options = random.pick(["", "", "[c]", "[d]", "[cd]", "[n]", "[l]", "[cdl]"])
    let text = argument(random.pick(RandomLibrary.texts))
    switch random.number(4) {
    case 0: return "\(path) \(random.pick(["==", "!=", "<", "<=", ">", ">="]))\(options) \(text)"
    case 1 where random.chance(3):
      arguments.removeLast()
      let pattern = random.pick([".*a.*", "[ab]+", "", "ä?b.*", "\\w", "(?i)A.", ".{2}"])
      return "\(path) MATCHES\(random.pick(["", "[c]", "[cd]"])) \(argument(pattern))"
    case 1:
      let plain = random.pick(["", "[c]", "[cd]"])
      return "\(path) IN\(plain) {\(text), \(argument(random.pick(RandomLibrary.texts)))}"
    case 2:
      let pattern = random.pick(["*a*", "?b", "a*", "*", "??", "\\**", "Ä?"])
      arguments.removeLast()
      return "\(path) LIKE\(options) \(argument(pattern))"
    default:
      return
        "\(path) \(random.pick(["CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE"]))\(options) \(text)"
    }
  }

  private mutating func calculated(_ place: Place) -> String {
    let numbers = place.entity.attributesByName.values.filter { $0.isNumber && !$0.isTransient }
      .sorted { $0.name < $1.name }
    guard numbers.count > 0 else {
      let (path, attribute) = path(place)
      return comparison(path, attribute)
    }
    let (one, other) = (
      place.prefix + random.pick(numbers).name, place.prefix + random.pick(numbers).name
    )
    let sides = [
      "\(one) + \(other)", "\(one) * 2 - \(other)", "abs(\(one))", "\(one) / 2",
      "modulus:by:(\(one), 3)",
      "floor:(\(one))", "ceiling:(\(one))", "trunc:(\(one))", "\(one) ** 2",
      "TERNARY(\(one) > 0, \(one), \(other))",
      "TERNARY(\(one) == nil, 1, \(one))",
    ]
    return
      "\(random.pick(sides)) \(random.pick(["==", "!=", "<", ">="])) \(random.pick([other, "\(random.number(5) - 2)"]))"
  }
}

// MARK: - Relationships

extension RandomPredicate {
  private mutating func object(_ place: Place, _ relationship: NSRelationshipDescription) -> String
  {
    let path = place.prefix + relationship.name
    guard let entity = relationship.destinationEntity else { return "TRUEPREDICATE" }
    switch random.number(5) {
    case 0: return "\(path) == nil"
    case 1: return "\(path) != nil"
    case 2: return "\(path) IN \(objects(entity))"
    case 3:
      return "\(path) == \(entity.lineage.last === start?.lineage.last ? "SELF" : object(entity))"
    default: return "\(path) \(random.pick(["==", "!="])) \(object(entity))"
    }
  }

  private mutating func count(_ place: Place, _ relationship: NSRelationshipDescription) -> String {
    let path = place.prefix + relationship.name
    let sign = random.pick(["==", "!=", "<", "<=", ">", ">="])
    let numbers = (relationship.destinationEntity?.attributesByName.values.filter(\.isNumber) ?? [])
      .filter { !$0.isTransient && $0.attributeType != .booleanAttributeType }.sorted {
        $0.name < $1.name
      }
    if !numbers.isEmpty, random.chance(2) {
      let name = random.pick(numbers).name
      let operation = random.pick(["sum", "avg", "min", "max"])
      let side =
        random.chance(2) ? "\(path).@\(operation).\(name)" : "\(path).\(name).@\(operation)"
      return "\(side) \(sign) \(random.number(7) - 3)"
    }
    return "\(path).@count \(sign) \(random.number(4))"
  }

  private mutating func subquery(_ place: Place, _ relationship: NSRelationshipDescription)
    -> String
  {
    guard let entity = relationship.destinationEntity else { return "TRUEPREDICATE" }
    let variable = "$x\(depth)"
    depth -= 1
    defer { depth += 1 }
    let path = place.prefix + relationship.name
    let condition = compound(Place(entity: entity, prefix: variable + "."))
    let sign = random.pick(["==", "!=", "<", "<=", ">", ">="])
    return "SUBQUERY(\(path), \(variable), \(condition)).@count \(sign) \(random.number(4))"
  }

  private mutating func membership(_ place: Place, _ relationship: NSRelationshipDescription)
    -> String
  {
    let path = place.prefix + relationship.name
    guard let entity = relationship.destinationEntity else { return "TRUEPREDICATE" }
    return random.chance(2) ? "\(object(entity)) IN \(path)" : "\(path) CONTAINS \(object(entity))"
  }

  private mutating func quantified(_ place: Place, _ relationship: NSRelationshipDescription)
    -> String
  {
    let quantifier = random.pick(["ANY", "ALL", "NONE", "SOME"])
    guard let entity = relationship.destinationEntity else { return "TRUEPREDICATE" }
    if random.chance(3) {
      return
        "\(quantifier) \(relationship.name) \(random.chance(2) ? "IN \(objects(entity))" : "== \(object(entity))")"
    }
    let (path, attribute) = path(Place(entity: entity, prefix: "\(relationship.name)."))
    return "\(quantifier) \(comparison(path, attribute))"
  }
}

extension NSAttributeDescription {
  fileprivate var isNumber: Bool {
    switch attributeType {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .doubleAttributeType,
      .floatAttributeType, .decimalAttributeType:
      true
    default: false
    }
  }
}

extension String {
  /// The predicate with IN in place of ==, since a list accepts only IN.
  fileprivate var fixed: String { replacing(" == ", with: " IN ").replacing(" != ", with: " IN ") }
}
