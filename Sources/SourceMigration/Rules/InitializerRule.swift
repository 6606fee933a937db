/// Makes a custom `init(context:)` required, like the initializer that it overrides, and warns of
/// `init(entity:insertInto:)` on a type that is known only at run time.
struct InitializerRule: MigrationRule {
  func apply(to draft: inout FileDraft) {
    requireContextInitializers(in: &draft)
    let parameters = genericParameters(of: draft.source)
    for index in draft.source.tokens.indices
    where isDynamicCreation(index, parameters, in: draft.source) {
      guard !draft.source.needsObjectiveC(index) else { continue }
      draft.report(
        .warning, atToken: index,
        "without the Objective-C runtime a type that is known only at run time has no init(entity:insertInto:); write "
          + "“\(draft.source.spelling(index))(context: context)”, which is correct on every platform"
      )
    }
  }

  // MARK: - init(context:)

  private func requireContextInitializers(in draft: inout FileDraft) {
    let source = draft.source
    for type in draft.declarations.types where type.keyword == "class" {
      guard draft.index.managedClasses.contains(type.name) else { continue }
      for member in draft.declarations.members(of: type) where member.keyword == "init" {
        guard let parameters = member.parameters,
          source.isWord(parameters.lowerBound + 1, "context"),
          !(parameters).contains(where: { source.isPunctuation($0, ",") }),
          !member.prefix.contains("required"),
          !source.needsObjectiveC(member.introducer)
        else { continue }
        // A required initializer overrides without the keyword.
        if let override = member.prefix.elements.first(where: { $0.name == "override" })?.tokens
          .lowerBound
        {
          draft.add(Edit(source.tokens[override].range, "required"))
          continue
        }
        let convenience = member.prefix.elements.first { $0.name == "convenience" }?.tokens
          .lowerBound
        draft.add(
          .insertion(
            "required ", at: source.tokens[convenience ?? member.introducer].range.lowerBound))
      }
    }
  }

  // MARK: - init(entity:insertInto:)

  /// Whether the call is `Self(entity:` or `T(entity:`, with or without `.init`.
  private func isDynamicCreation(_ index: Int, _ parameters: Set<String>, in source: ScannedSource)
    -> Bool
  {
    guard source.isName(index), !source.isPunctuation(index - 1, "."),
      parameters.contains(source.spelling(index))
    else {
      return false
    }
    let open =
      source.isPunctuation(index + 1, ".") && source.isWord(index + 2, "init")
      ? index + 3 : index + 1
    return source.isPunctuation(open, "(") && source.isWord(open + 1, "entity")
      && source.isPunctuation(open + 2, ":")
  }

  /// `Self`, and the names of generic parameters: those after `<` or `,` and before `:`.
  private func genericParameters(of source: ScannedSource) -> Set<String> {
    var names: Set<String> = ["Self"]
    for index in source.tokens.indices
    where source.isPunctuation(index, "<") && source.isName(index - 1) {
      var next = index + 1
      while source.isName(next), next < index + Limits.declarationPrefix {
        names.insert(source.spelling(next))
        while next < source.tokens.count, !source.isPunctuation(next, ","),
          !source.isPunctuation(next, ">")
        {
          next += 1
        }
        guard source.isPunctuation(next, ",") else { break }
        next += 1
      }
    }
    return names
  }
}
