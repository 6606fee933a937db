/// A file that is being read: its path, its bytes, and its issue log.
struct SourceFile {
  let path: String
  let bytes: [UInt8]
  let lines: LineIndex
  let log: IssueLog

  init(path: String, bytes: [UInt8], log: IssueLog) {
    self.path = path
    self.bytes = bytes
    self.log = log
    lines = LineIndex(bytes)
  }

  /// Records an issue at a position in the file.
  func record(
    _ severity: ModelSourceIssue.Severity, _ code: ModelSourceError.Code, at offset: Int?,
    element: String? = nil,
    attribute: String? = nil, _ problem: String, _ remedy: String
  ) {
    let position = offset.map { lines.position(ofByte: $0) }
    log.record(
      ModelSourceIssue(
        severity: severity, code: code, file: path, position: position, element: element,
        attribute: attribute,
        problem: problem, remedy: remedy))
  }

  /// Parses the root element; records the error and returns nil if the file is not XML.
  func readXML(
    documentType: XMLReader.DocumentType = .refused, largest: XMLReader.Size = .model
  ) -> SourceElement? {
    do throws(XMLSyntaxError) {
      return try XMLReader.read(bytes, documentType: documentType, largest: largest)
    } catch {
      record(.error, .syntax, at: error.offset, error.problem, error.remedy)
      return nil
    }
  }
}
