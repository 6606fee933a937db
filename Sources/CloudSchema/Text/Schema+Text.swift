package import CloudRecords

extension Schema {
  /// The schema that a text in Apple's language of schemas (`.ckdb`) defines.
  ///
  /// The same text is what servers store: it is readable, has no version, and any tool for it can
  /// repair it. Comments are not kept.
  package init(text: [UInt8], limits: ServiceLimits = ServiceLimits()) throws(SchemaIssues) {
    guard text.count <= SchemaLimits.textBytes else {
      throw SchemaIssues(
        SchemaIssue(
          "The text of the schema is longer than \(SchemaLimits.textBytes) bytes.",
          remedy: "Look whether it is the right file: schemas are a few thousand bytes long."))
    }
    var parser = SchemaParser(text, limits: limits)
    self = try parser.parse()
  }

  /// The schema that a server stored as `text`: a number of fields that was lowered since does not
  /// keep it from being read.
  package init(stored text: [UInt8]) throws(SchemaIssues) {
    var limits = ServiceLimits()
    limits.fieldsPerRecordType = .max - 1
    try self.init(text: text, limits: limits)
  }

  package init(text: String, limits: ServiceLimits = ServiceLimits()) throws(SchemaIssues) {
    try self.init(text: Array(text.utf8), limits: limits)
  }
}
