extension ModelBundle {
  /// Reads the bytes of one `contents` file that stands in no folder.
  ///
  /// The fuzzer feeds the reader through this; the errors name the file by `name`.
  package init(contents bytes: [UInt8], name: String, module: String? = nil)
    throws(ModelSourceError)
  {
    let log = IssueLog()
    let reader = ModelReader(file: SourceFile(path: name, bytes: bytes, log: log), module: module)
    let model = reader.read()
    try log.throwIfFailed(file: name)
    let versions = model.map { [Version(name: name, model: $0, source: reader.info)] } ?? []
    self.init(
      name: name, versions: versions, currentVersionName: name, isVersioned: false,
      warnings: log.warnings)
  }
}
