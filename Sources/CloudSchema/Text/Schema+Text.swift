package import CloudRecords

extension Schema {
  /// The schema that a text in Apple's language of schemas (`.ckdb`) defines.
  ///
  /// The same text is what servers store: it is readable, has no version, and any tool for it can repair it. Comments are not kept.
  package init(text: [UInt8], limits: ServiceLimits = ServiceLimits()) throws(SchemaProblems) {
    guard text.count <= SchemaLimits.textBytes else {
      throw SchemaProblems(
        SchemaProblem(
          "The text of the schema is longer than \(SchemaLimits.textBytes) bytes.",
          remedy: "Look whether it is the right file: schemas are a few thousand bytes long."))
    }
    var parser = SchemaParser(text, limits: limits)
    self = try parser.parse()
  }

  package init(text: String, limits: ServiceLimits = ServiceLimits()) throws(SchemaProblems) {
    try self.init(text: Array(text.utf8), limits: limits)
  }
}
