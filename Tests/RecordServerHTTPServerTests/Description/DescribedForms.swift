import Foundation

/// The answer schemas of a description, and the check of an answer against one.
struct DescribedForms {
  private let forms: [String: Any]

  init(_ document: JSONNode) { forms = document["components"]["schemas"].object }

  /// The errors of an answer, including members that the schema does not name.
  func mismatches(in text: String, as form: JSONNode) -> [String] {
    guard
      let tree = try? JSONSerialization.jsonObject(
        with: Data(text.utf8), options: .fragmentsAllowed)
    else {
      return ["it is not JSON"]
    }
    return mismatches(tree, form.object, "answer")
  }

  private func mismatches(_ value: Any, _ form: [String: Any], _ place: String) -> [String] {
    if let name = (form["$ref"] as? String)?.split(separator: "/").last {
      guard let found = forms[String(name)] as? [String: Any] else {
        return ["there is no schema \(name)"]
      }
      return mismatches(value, found, place)
    }
    switch form["type"] as? String {
    case "object": return mismatches(members: value as? [String: Any], form, place)
    case "array":
      guard let list = value as? [Any], let items = form["items"] as? [String: Any] else {
        return ["\(place) is not an array"]
      }
      return list.enumerated().flatMap { mismatches($1, items, "\(place)[\($0)]") }
    case "string": return value is String ? [] : ["\(place) is not a string"]
    case "boolean": return value is Bool ? [] : ["\(place) is not a boolean"]
    case "integer":
      return (value as? NSNumber).map { $0.doubleValue.rounded() == $0.doubleValue } == true
        ? [] : ["\(place) is not an integer"]
    default: return []
    }
  }

  private func mismatches(members: [String: Any]?, _ form: [String: Any], _ place: String)
    -> [String]
  {
    guard let members else { return ["\(place) is not an object"] }
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
        return mismatches(value, form, "\(place).\(key)")
      }
  }
}
