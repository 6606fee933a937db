import ManagedObjectModel
import ObjectRows
import PredicateLanguage
import SQLiteDriver

/// The SQL of the fetches of one form, and where their constants come from.
///
/// It holds for arguments of the kinds that the first fetch had; others make another SQL.
// Sendable: immutable; constants of its own are numbers, texts and bytes.
final class TemplateTranslation: @unchecked Sendable {
  let translation: TranslatedFetch
  /// The order; nil where none counts.
  private let order: [SortShape]?
  /// The constants, with null in the places of the arguments.
  private let constants: [ConstantValue]
  /// By the number of an argument, its place among the constants.
  private var places: [Int] = []
  /// By the number of an argument, its kind.
  private var kinds: [ConstantKind] = []

  /// Nil where the form of the fetch depends on more than the kinds of its arguments.
  ///
  /// - Parameter reader: What read the form, and noted the sources.
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

  /// Takes the arguments out of the constants, and notes where they were.
  ///
  /// Returns false where an argument is no constant of a kind by which another one would make the
  /// same form.
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

  /// The constants of another fetch; nil where its arguments are of other kinds, or its order is
  /// another.
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
  /// Whether all values of the kind make the same form.
  ///
  /// Those without a kind of their own may be ranges.
  fileprivate var hasFixedForm: Bool {
    if case .other = self { false } else { true }
  }
}

extension ConstantValue {
  fileprivate var isPlain: Bool {
    if case .plain = self { true } else { false }
  }
}
