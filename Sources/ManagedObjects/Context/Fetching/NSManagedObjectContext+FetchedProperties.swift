import Foundation
import ManagedObjectModel
import ObjectRows
import PredicateLanguage

private typealias NSExpression = PredicateLanguage.NSExpression

extension NSManagedObjectContext {
  /// The value of a fetched property: the results of its request, with the object as
  /// `$FETCH_SOURCE`.
  func objects(
    ofFetchedProperty property: NSFetchedPropertyDescription, of object: NSManagedObject
  ) -> [NSManagedObject] {
    guard let request = property.fetchRequest else { return [] }
    var specification = request.specification
    specification.resultType = .managedObjectResultType
    do {
      specification.predicate = try specification.predicate?.replacingExpressions { expression in
        FetchSource(object: object, property: property).value(of: expression).map {
          NSExpression(forConstantValue: $0)
        }
      }
      return try fetchObjects(
        FetchPlan(specification, limitedTo: request.limitedToStores, in: self))
    } catch {
      preconditionFailure("\(object.place(property)) cannot be fetched. \(error)")
    }
  }
}

/// The values of the variables in a fetched property's request.
private struct FetchSource {
  let object: NSManagedObject
  let property: NSFetchedPropertyDescription

  /// The value of a variable, or of a key path that begins with one; nil for any other expression.
  func value(of expression: NSExpression) -> Any? {
    if case .variable(let name) = expression.node { return value(of: name) }
    guard let (operand, path) = expression.node.keyPathOfOperand,
      case .variable(let name) = operand.node
    else {
      return nil
    }
    switch value(of: name) {
    case let source as NSManagedObject: return source.value(forKeyPath: path.text) ?? NSNull()
    case let property as NSFetchedPropertyDescription:
      return value(at: path.components, of: property)
    default: return nil
    }
  }

  /// The value of a key path in the property's description, mostly of its user info.
  private func value(at path: [String], of property: NSFetchedPropertyDescription) -> Any {
    switch path.first {
    case "userInfo" where path.count > 1:
      property.userInfo?[path.dropFirst().joined(separator: ".")] ?? NSNull()
    case "name" where path.count == 1: property.name
    default:
      preconditionFailure(
        "The request of \(object.place(property)) asks $FETCHED_PROPERTY for \(path.joined(separator: ".")). Ask for name, or for userInfo and one of its keys."
      )
    }
  }

  private func value(of variable: String) -> Any? {
    switch variable {
    case "FETCH_SOURCE": object
    case "FETCHED_PROPERTY": property
    default: nil
    }
  }
}
