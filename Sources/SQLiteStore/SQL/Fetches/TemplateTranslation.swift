import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver

/// The SQL of all fetches of one template, and the sources of their constants.
///
/// It is valid for arguments of the same kinds as in the first fetch; others need other SQL.
// Sendable: immutable; its constants are numbers, texts, and bytes.
final class TemplateTranslation: @unchecked Sendable {
  let translation: TranslatedFetch
  /// The order; nil if it is ignored.
  private let order: [SortShape]?
  /// The constants, with null in place of the arguments.
  private let constants: [ConstantValue]
  /// The index of each argument among the constants.
  private var places: [Int] = []
  /// The kind of each argument.
  private var kinds: [ConstantKind] = []

  /// Creates the translation of a template from that of a fetch.
  ///
  /// Nil if the shape of the fetch depends on more than the kinds of its arguments.
  ///
  /// - Parameter reader: The reader of the shape, which recorded the sources.
  init?(
    _ translation: TranslatedFetch, order: [SortShape]?, _ reader: ShapeReader, _ fetch: RowFetch,
    _ form: TemplateFetch
  ) {
    self.translation = translation
    self.order = order
    var constants = reader.constants
    guard reader.isFormFixed, let sources = reader.sources,
      Self.takeArguments(out: &constants, sources, reader, fetch, form, &places, &kinds),
      constants.allSatisfy(\.isPlain)
    else { return nil }
    self.constants = constants
  }

  /// Removes the arguments from the constants, and records their indexes.
  ///
  /// Returns false if an argument's kind does not determine the shape.
  private static func takeArguments(
    out constants: inout [ConstantValue], _ sources: [PredicateLanguage.NSExpression],
    _ reader: ShapeReader,
    _ fetch: RowFetch, _ form: TemplateFetch, _ places: inout [Int], _ kinds: inout [ConstantKind]
  ) -> Bool {
    var isComplete = true
    form.forEachArgument(of: fetch) { argument in
      guard let place = sources.firstIndex(where: { $0 === argument }),
        constants[place].kind.hasFixedForm,
        !reader.decisive.contains(where: { $0 === argument })
      else { return isComplete = false }
      places.append(place)
      kinds.append(constants[place].kind)
      constants[place] = .plain(.null, .null)
    }
    return isComplete
  }

  /// The constants of another fetch; nil if the kinds of its arguments or its order differ.
  func constants(of fetch: RowFetch, _ form: TemplateFetch) throws(TranslationError)
    -> [ConstantValue]?
  {
    guard try hasOrder(of: fetch) else { return nil }
    var constants = constants
    var number = 0
    var fits = true
    form.forEachArgument(of: fetch) { argument in
      guard fits, case .constant(let value) = argument.node else { return fits = false }
      let constant = ConstantValue(value)
      guard constant.kind == kinds[number] else { return fits = false }
      constants[places[number]] = constant
      number += 1
    }
    return fits ? constants : nil
  }

  private func hasOrder(of fetch: RowFetch) throws(TranslationError) -> Bool {
    guard let order else { return true }
    guard let descriptors = fetch.specification.sortDescriptors, !descriptors.isEmpty else {
      return order.isEmpty
    }
    return try ShapeReader().order(descriptors) == order
  }
}

extension ConstantKind {
  /// Whether all values of the kind produce the same shape.
  ///
  /// A value of an unknown kind may be a range.
  fileprivate var hasFixedForm: Bool {
    if case .other = self { false } else { true }
  }
}

extension ConstantValue {
  fileprivate var isPlain: Bool {
    if case .plain = self { true } else { false }
  }
}
