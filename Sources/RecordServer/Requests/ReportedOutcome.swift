import BinaryCoding
import CloudRecords

/// The outcome of one item of a request, as needed to report it again.
enum ReportedOutcome: Hashable, Sendable {
  /// The item was created or saved.
  case there
  /// The item was deleted.
  case gone
  case failed(CloudError)
}

/// The outcomes of all items of a request, in order.
///
/// | | |
/// |---|---|
/// | count, errors | the distinct errors, each with its code, reason and further properties |
/// | count, numbers | for each item, 0 if it exists, 1 if deleted, or its error's index plus 2 |
struct ReportedOutcomes: Hashable, Sendable {
  var items: [ReportedOutcome]

  func write(to form: inout BinaryWriter) {
    // In a batch that failed as a whole, all items but one have the same error.
    var (errors, places): ([CloudError], [CloudError: UInt64]) = ([], [:])
    for case .failed(let error) in items where places[error] == nil {
      places[error] = UInt64(errors.count)
      errors.append(error)
    }
    form.count(errors.count)
    for error in errors { error.write(to: &form) }
    form.count(items.count)
    for item in items {
      switch item {
      case .there: form.number(0)
      case .gone: form.number(1)
      case .failed(let error): form.number((places[error] ?? 0) + 2)
      }
    }
  }

  init(items: [ReportedOutcome]) { self.items = items }

  init(from form: inout BinaryReader) throws(BinaryCodingError) {
    let errors = try form.list { (form) throws(BinaryCodingError) in try CloudError(from: &form) }
    items = try form.list { (form) throws(BinaryCodingError) in
      let number = try form.number()
      guard number > 1 else { return number == 0 ? .there : .gone }
      guard number - 2 < UInt64(errors.count) else {
        throw form.error("an item has an error that is not there")
      }
      return .failed(errors[Int(number - 2)])
    }
  }
}

extension ReportedOutcomes {
  /// The outcomes with messages cut or replaced to fit the size limit.
  ///
  /// Names from clients can make messages long.
  var bounded: ReportedOutcomes {
    var room =
      ServerLimits.rememberedOutcomeBytes - ServerLimits.rememberedBytesWithoutMessages - 2
      * items.count
    var kept: Set<CloudError> = []
    return ReportedOutcomes(
      items: items.map { item in
        guard case .failed(var error) = item else { return item }
        error.reason = error.reason.cut(toBytes: ServerLimits.rememberedMessageBytes)
        guard !kept.contains(error) else { return .failed(error) }
        let size = error.reason.utf8.count + ServerLimits.rememberedErrorBytes
        guard size <= room else { return .failed(error.withoutMessage) }
        room -= size
        kept.insert(error)
        return .failed(error)
      })
  }
}

extension CloudError {
  /// The error with a generic message, for a request whose messages do not fit.
  fileprivate var withoutMessage: CloudError {
    var error = self
    error.reason =
      "The operation failed when the request first arrived, and the reason is not remembered."
    return error
  }

  fileprivate func write(to form: inout BinaryWriter) {
    form.text(code.rawValue)
    form.text(reason)
    form.optional(`extension`) { $0.text($1.rawValue) }
    form.optional(retryAfterSeconds) { $0.signed(Int64($1)) }
  }

  fileprivate init(from form: inout BinaryReader) throws(BinaryCodingError) {
    guard let code = CloudErrorCode(rawValue: try form.text()) else {
      throw form.error("an unknown code of error")
    }
    self.init(code, try form.text())
    if let text = try form.optional({ (form) throws(BinaryCodingError) in try form.text() }) {
      guard let known = Extension(rawValue: text) else {
        throw form.error("an unknown extension of an error")
      }
      `extension` = known
    }
    retryAfterSeconds = try form.optional { (form) throws(BinaryCodingError) in
      Int(truncatingIfNeeded: try form.signed())
    }
  }
}
