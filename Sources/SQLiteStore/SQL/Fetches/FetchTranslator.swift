import ManagedObjectModel
package import ObjectRows
import PredicateLanguage
import Synchronization

/// Translates fetches into SQL.
///
/// The SQL depends only on the shape of a fetch, not on its values. It is cached by shape, so a
/// repeated fetch costs only reading its predicate and binding its values:
///
/// ```
/// RowFetch ──ShapeReader──▶ FetchShape ──QueryWriter──▶ TranslatedFetch (cached by shape)
///                 └───────▶ constants ──ConstantBinder──────────┴──▶ FetchStatement
/// ```
///
/// A predicate with a known template is not even read: its arguments replace those of the
/// template's first predicate (`TemplateTranslation`).
package final class FetchTranslator: Sendable {
  private let schema: StoreSchema
  private let identity: StoreIdentity?
  private let fullTextIndexes: Mutex<[FullTextIndex]>
  private let cache = TranslationCache<FetchShape, TranslatedFetch>(capacity: Limits.translations)
  private let templates = TranslationCache<TemplateFetch, TemplateTranslation>(
    capacity: Limits.translations)

  /// Creates a translator for a store.
  ///
  /// - Parameters:
  ///   - identity: The store's identity. If a predicate names objects of other stores, they match
  ///     no row of this one, whatever their keys.
  ///   - fullTextIndexes: The full-text indexes of the file.
  package init(
    schema: StoreSchema, identity: StoreIdentity? = nil, fullTextIndexes: [FullTextIndex] = []
  ) {
    self.fullTextIndexes = Mutex(fullTextIndexes)
    self.schema = schema
    self.identity = identity
  }

  /// Whether searches use a full-text index.
  var usesFullTextIndex: Bool { fullTextIndexes.withLock { !$0.isEmpty } }

  /// Replaces the full-text indexes, and returns whether the new ones differ from the former.
  func useFullTextIndexes(_ indexes: [FullTextIndex]) -> Bool {
    let isNew = fullTextIndexes.withLock { known in
      defer { known = indexes }
      return known != indexes
    }
    guard isNew else { return false }
    cache.removeAll()
    templates.removeAll()
    return true
  }

  /// The number of cached translations by shape.
  package var rememberedTranslations: Int { cache.count }

  /// The number of cached translations by template.
  package var rememberedTemplates: Int { templates.count }

  /// The rows that a fetch finds: `Z_ENT`, `Z_PK`, `Z_OPT`, and then the columns, all of the table
  /// `t0`.
  package func rows(_ fetch: RowFetch, selecting columns: [String]) throws(StoreError)
    -> FetchStatement
  {
    try translate(fetch, giving: .rows(columns: columns)).statement
  }

  /// The keys that a fetch finds: `Z_ENT` and `Z_PK`.
  package func keys(_ fetch: RowFetch) throws(StoreError) -> FetchStatement {
    try translate(fetch, giving: .keys).statement
  }

  /// The number of rows, or of dictionaries, that a fetch finds, within its limit and offset.
  package func count(_ fetch: RowFetch) throws(StoreError) -> FetchStatement {
    guard fetch.specification.resultType == .dictionaryResultType,
      fetch.specification.propertiesToFetch != nil
    else {
      return try translate(fetch, giving: .count).statement
    }
    let (shape, reader) = try dictionaryShape(of: fetch)
    return try translate(fetch, giving: .dictionaryCount(shape), reader).statement
  }

  /// The dictionaries that a fetch finds.
  package func dictionaries(_ fetch: RowFetch) throws(StoreError) -> DictionaryStatement {
    let (shape, reader) = try dictionaryShape(of: fetch)
    let (statement, columns) = try translate(fetch, giving: .dictionaries(shape), reader)
    return DictionaryStatement(statement: statement, columns: columns)
  }

  private func dictionaryShape(of fetch: RowFetch) throws(StoreError) -> (
    DictionaryShape, ShapeReader
  ) {
    var reader = ShapeReader()
    do {
      return (try reader.dictionaries(of: fetch), reader)
    } catch {
      throw StoreError(error, fetch)
    }
  }

  private func translate(
    _ fetch: RowFetch, giving result: FetchResult, _ reader: consuming ShapeReader = ShapeReader()
  ) throws(StoreError) -> (statement: FetchStatement, columns: [ResultColumn]) {
    do {
      if let form = TemplateFetch(fetch, giving: result) {
        return (try statement(of: fetch, form), [])
      }
      let translation = try translation(of: reader.shape(of: fetch, giving: result))
      return (try statement(of: fetch, translation, reader.constants), translation.columns)
    } catch {
      throw StoreError(error, fetch)
    }
  }

  /// The statement of a fetch whose predicate has a template.
  private func statement(of fetch: RowFetch, _ form: TemplateFetch) throws(TranslationError)
    -> FetchStatement
  {
    if let known = templates.translation(of: form),
      let constants = try known.constants(of: fetch, form)
    {
      return try statement(of: fetch, known.translation, constants)
    }
    var reader = ShapeReader(notesSources: true)
    let shape = try reader.shape(of: fetch, giving: form.result)
    let translation = try translation(of: shape)
    if let template = TemplateTranslation(
      translation, order: form.result.isCount ? nil : shape.order, reader, fetch, form)
    {
      templates.remember(template, of: form)
    }
    return try statement(of: fetch, translation, reader.constants)
  }

  private func statement(
    of fetch: RowFetch, _ translation: TranslatedFetch, _ constants: [ConstantValue]
  ) throws(TranslationError) -> FetchStatement {
    let limit = fetch.specification.fetchLimit
    return try translation.statement(
      ConstantBinder(schema: schema, identity: identity, constants: constants),
      limit: limit > 0 ? limit : -1,
      offset: fetch.specification.fetchOffset)
  }

  private func translation(of shape: FetchShape) throws(TranslationError) -> TranslatedFetch {
    if let known = cache.translation(of: shape) { return known }
    let indexes = fullTextIndexes.withLock { $0 }
    let translation = try QueryWriter(schema: schema, fullTextIndexes: indexes).fetch(shape)
    cache.remember(translation, of: shape)
    return translation
  }
}

extension StoreError {
  /// The error for a fetch that has no SQL.
  fileprivate init(_ refusal: TranslationError, _ fetch: RowFetch) {
    let predicate = fetch.specification.predicate?.formatText
    var message = refusal.message
    if refusal.isAboutPredicate, let predicate {
      message = "unimplemented SQL generation for predicate : (\(predicate)) (\(message))"
    }
    var context = ["entity": fetch.layout.entity.name ?? ""]
    context["predicate"] = predicate
    self.init(.unsupportedFetch, "\(message). \(refusal.remedy)", context: context)
  }
}
