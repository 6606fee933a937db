/// Rewrites `addObserver(self, selector: #selector(method), name:object:)` with a closure if that
/// is equivalent; otherwise reports the reason.
struct NotificationObserverRule: MigrationRule {
  func apply(to draft: inout FileDraft) {
    for call in ObserverCall.all(in: draft.source) {
      do throws(UnsupportedReason) {
        let method = try observedMethod(of: call, in: draft)
        rewrite(call, calling: method, in: &draft)
      } catch {
        draft.report(
          .warning, atToken: call.selector,
          "\(error.reason); use addObserver(forName:object:queue:using:), keep the token it returns and remove it "
            + "when the observer ends")
      }
    }
  }

  /// The `#selector` tokens that this rule rewrites or reports.
  static func handledSelectors(in draft: FileDraft) -> Set<Int> {
    Set(ObserverCall.all(in: draft.source).map(\.selector))
  }

  private struct UnsupportedReason: Error { let reason: String }

  private struct Method {
    let name: String
    /// The label of the only parameter, empty for `_`; nil without a parameter.
    let label: String?
    let takesObjectiveCType: Bool
  }

  private func rewrite(_ call: ObserverCall, calling method: Method, in draft: inout FileDraft) {
    let source = draft.source
    let arguments =
      method.label.map { label in
        let value = method.takesObjectiveCType ? "notification as NSNotification" : "notification"
        return label.isEmpty ? value : "\(label): \(value)"
      } ?? ""
    let parameter = method.label == nil ? "_" : "notification"
    let changed = draft.replace(
      source.bytes(from: call.observer, through: call.nameLabel + 1), by: "forName:",
      advice: "call addObserver(forName:object:queue:using:)")
    guard changed else { return }
    draft.add(.insertion("_ = ", at: source.tokens[call.start].range.lowerBound))
    draft.add(
      Edit(
        source.tokens[call.end].range,
        ", queue: nil) { [weak self] \(parameter) in self?.\(method.name)(\(arguments)) }"))
    draft.report(
      .note, atToken: call.selector,
      "the observation now lasts as long as the program and does nothing once the observer is gone; "
        + "keep the returned token to end it earlier")
  }

  // MARK: - Safety

  private func observedMethod(of call: ObserverCall, in draft: FileDraft) throws(UnsupportedReason)
    -> Method
  {
    guard draft.source.isWord(call.observer, "self"), call.isStatement else {
      throw UnsupportedReason(reason: "#selector needs the Objective-C runtime")
    }
    guard let type = draft.declarations.type(around: call.start),
      let observer = draft.index.classes(named: type.name).first?.type
    else {
      throw UnsupportedReason(
        reason:
          "#selector needs the Objective-C runtime, and the class of self is not in these files")
    }
    try checkIsolation(of: observer, in: draft)
    try checkContext(of: call, in: type, draft: draft)
    let bodies = draft.index.bodies(of: type.name)
    let isRemoved = bodies.contains { isObserverRemoved(in: $0, of: draft.index) }
    if isRemoved {
      throw UnsupportedReason(
        reason: "\(type.name) also calls removeObserver, which needs the token of a closure")
    }
    return try method(
      named: selectorName(of: call, type: type, in: draft), bodies: bodies, in: draft)
  }

  private func checkIsolation(of observer: TypeDeclaration, in draft: FileDraft)
    throws(UnsupportedReason)
  {
    let isUserInterface = observer.inherits.contains { $0.hasPrefix("UI") }
    if isUserInterface || observer.prefix.isIsolated {
      throw UnsupportedReason(
        reason: "\(observer.name) is isolated to an actor, but the closure is not")
    }
    if draft.options.isSwift6Mode && !observer.inherits.contains("Sendable") {
      throw UnsupportedReason(
        reason:
          "\(observer.name) is not Sendable, so the closure cannot capture it in Swift 6 mode")
    }
  }

  private func checkContext(of call: ObserverCall, in type: TypeDeclaration, draft: FileDraft)
    throws(UnsupportedReason)
  {
    let around = draft.declarations.members(of: type).last { $0.introducer < call.start }
    if around?.prefix.contains("static") == true || around?.prefix.contains("class") == true {
      throw UnsupportedReason(reason: "self is a class here, not an object")
    }
  }

  /// Whether a type's body removes an observer before its deinitialization.
  ///
  /// `removeObserver(self)` in `deinit` is harmless: the closure holds its observer weakly and does
  /// nothing from then on.
  private func isObserverRemoved(in place: DeclarationIndex.Place, of index: DeclarationIndex)
    -> Bool
  {
    let source = index.files[place.file].source
    let contents = place.type.contents
    let ends = contents.filter { source.isWord($0, "deinit") && source.isPunctuation($0 + 1, "{") }
      .compactMap { start in source.partners[start + 1].map { start...$0 } }
    return contents.contains { token in
      guard source.isWord(token, "removeObserver") else { return false }
      let removesSelf =
        source.isPunctuation(token + 1, "(") && source.isWord(token + 2, "self")
        && source.isPunctuation(token + 3, ")")
      return !(removesSelf && ends.contains { $0.contains(token) })
    }
  }

  private func selectorName(
    of call: ObserverCall, type: TypeDeclaration, in draft: FileDraft
  ) throws(UnsupportedReason) -> String {
    let source = draft.source
    var index = call.selector + 2
    let owner = type.name.split(separator: ".").last.map(String.init) ?? type.name
    if source.isPunctuation(index + 1, "."),
      ["self", "Self", owner].contains(source.spelling(index))
    {
      index += 2
    }
    let end =
      source.isPunctuation(index + 1, "(") ? (source.partners[index + 1] ?? index) + 1 : index + 1
    guard source.isName(index), end == source.partners[call.selector + 1] else {
      throw UnsupportedReason(reason: "this #selector does not name a method of \(type.name)")
    }
    return source.spelling(index)
  }

  private func method(
    named name: String, bodies: [DeclarationIndex.Place], in draft: FileDraft
  ) throws(UnsupportedReason) -> Method {
    var found: [(file: SourceDeclarations, member: MemberDeclaration)] = []
    for place in bodies {
      let file = draft.index.files[place.file]
      found += file.members(of: place.type).filter { $0.name == name && $0.keyword == "func" }.map {
        (file, $0)
      }
    }
    guard let only = found.first, found.count == 1 else {
      throw UnsupportedReason(
        reason:
          "“\(name)” is declared \(found.isEmpty ? "nowhere" : "more than once") in these files")
    }
    guard let method = signature(of: only.member, in: only.file.source) else {
      throw UnsupportedReason(
        reason: "“\(name)” is not a plain method that takes a Notification or nothing")
    }
    return method
  }

  private func signature(of member: MemberDeclaration, in source: ScannedSource) -> Method? {
    let isPlain =
      !member.prefix.contains("static") && !member.prefix.contains("class")
      && !member.prefix.isIsolated
    guard isPlain, let parameters = member.parameters,
      source.isPunctuation(parameters.upperBound + 1, "{")
    else { return nil }
    let words = Array((parameters.lowerBound + 1)..<parameters.upperBound)
    if words.isEmpty { return Method(name: member.name, label: nil, takesObjectiveCType: false) }
    guard let colon = words.firstIndex(where: { source.isPunctuation($0, ":") }),
      (1...2).contains(colon),
      words.count == colon + 2, words[..<colon].allSatisfy(source.isName)
    else { return nil }
    let type = source.spelling(words[colon + 1])
    guard type == "Notification" || type == "NSNotification" else { return nil }
    let label = source.spelling(words[0])
    return Method(
      name: member.name, label: label == "_" ? "" : label,
      takesObjectiveCType: type == "NSNotification")
  }
}

extension DeclarationPrefix {
  /// Whether an attribute isolates the declaration to an actor.
  fileprivate var isIsolated: Bool {
    elements.contains { $0.name.hasPrefix("@") && $0.name.hasSuffix("Actor") }
  }
}
