import ManagedObjectModel
import ModelSource

/// An attribute in the command line's notation: `title:String`, `read:Bool=NO`, `date:Date?`.
struct AttributeShorthand: Equatable {
  let name: String
  /// The type, in the notation of models.
  let type: String
  let isOptional: Bool
  let defaultValue: String?

  init(_ text: String) throws(CommandError) {
    guard let colon = text.firstIndex(of: ":") else { throw Self.malformed(text) }
    name = String(text[..<colon])
    try ModelSourceDraft.requireName(name, of: "an attribute", pattern: \.isLowercase)
    let parts = text[text.index(after: colon)...].split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let typeText = parts.first ?? ""
    isOptional = typeText.hasSuffix("?")
    let wanted = String(isOptional ? typeText.dropLast() : typeText)
    let known = Self.names[wanted] ?? wanted
    guard NSAttributeType(sourceName: known) != nil, !known.isEmpty else {
      throw CommandError(
        "\(text): there is no type \"\(wanted)\". Write one of \(Self.names.keys.sorted().joined(separator: ", "))."
      )
    }
    type = known
    let given = parts.count > 1 ? String(parts[1]) : nil
    defaultValue = given ?? (isOptional ? nil : Self.startValues[known])
  }

  /// The attribute's element in a model's source.
  var element: String {
    var parts = ["<attribute name=\"\(name)\""]
    if isOptional { parts.append("optional=\"YES\"") }
    parts.append("attributeType=\"\(type)\"")
    // Xcode stores the default of a date in a separate attribute, in seconds.
    let defaultKey = type == "Date" ? "defaultDateTimeInterval" : "defaultValueString"
    if let defaultValue { parts.append("\(defaultKey)=\"\(Self.escaped(defaultValue))\"") }
    if Self.startValues[type] != nil {
      parts.append("usesScalarValueType=\"\(isOptional ? "NO" : "YES")\"")
    }
    return parts.joined(separator: " ") + "/>"
  }

  private static let names = [
    "String": "String", "Bool": "Boolean", "Int": "Integer 64", "Int16": "Integer 16",
    "Int32": "Integer 32",
    "Int64": "Integer 64", "Double": "Double", "Float": "Float", "Decimal": "Decimal",
    "Date": "Date", "Data": "Binary",
    "UUID": "UUID", "URL": "URI", "Transformable": "Transformable",
  ]

  /// The default values of required numbers and Booleans, as in Xcode.
  private static let startValues = [
    "Boolean": "NO", "Integer 16": "0", "Integer 32": "0", "Integer 64": "0", "Double": "0",
    "Float": "0",
  ]

  private static func malformed(_ text: String) -> CommandError {
    CommandError(
      "\(text) is not an attribute. Write NAME:TYPE, such as title:String, date:Date? or count:Int=1."
    )
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }
}
