import Foundation

/// The answer schemas of a description, and the check of an answer against one.
struct DescribedForms {
  private let forms: [String: Any]

  init(_ document: JSONNode) { forms = document["components"]["schemas"].object }

  /// The errors of an answer, including members that the schema does not name.
  func faults(in text: String, as form: JSONNode) -> [String] {
    guard
      let tree = try? JSONSerialization.jsonObject(
        with: Data(text.utf8), options: .fragmentsAllowed)
    else {
      return ["it is no JSON"]
    }
    return faults(tree, form.object, "answer")
  }

  private func faults(_ value: Any, _ form: [String: Any], _ place: String) -> [String] {
    if let name = (form["$ref"] as? String)?.split(separator: "/").last {
      guard let found = forms[String(name)] as? [String: Any] else {
        return ["there is no form \(name)"]
      }
      return faults(value, found, place)
    }
    switch form["type"] as? String {
    case "object": return faults(members: value as? [String: Any], form, place)
    case "array":
      guard let list = value as? [Any], let items = form["items"] as? [String: Any] else {
        return ["\(place) is no list"]
      }
      return list.enumerated().flatMap { faults($1, items, "\(place)[\($0)]") }
    case "string": return value is String ? [] : ["\(place) is no string"]
    case "boolean": return value is Bool ? [] : ["\(place) is no boolean"]
    case "integer":
      return (value as? NSNumber).map { $0.doubleValue.rounded() == $0.doubleValue } == true
        ? [] : ["\(place) is no integer"]
    default: return []
    }
  }

  private func faults(members: [String: Any]?, _ form: [String: Any], _ place: String) -> [String] {
    guard let members else { return ["\(place) is no object"] }
    // Some answers are only described as objects.
    guard form["properties"] != nil || form["additionalProperties"] != nil else { return [] }
    let properties = form["properties"] as? [String: Any] ?? [:]
    let others = form["additionalProperties"] as? [String: Any]
    let missing = (form["required"] as? [String] ?? []).filter { members[$0] == nil }.map {
      "\(place) has no \($0)"
    }
    return missing
      + members.sorted { $0.key < $1.key }.flatMap { key, value -> [String] in
        guard let form = properties[key] as? [String: Any] ?? others else {
          return ["\(place) has a \(key)"]
        }
        return faults(value, form, "\(place).\(key)")
      }
  }
}
