extension ModelBundle {
  /// Reads the bytes of a single `contents` file without a folder.
  ///
  /// The fuzzer calls it; errors use `name` as the file.
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
