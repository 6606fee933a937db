/// Moves members with `override` from extensions, where they need the Objective-C runtime, into the
/// body of their class.
///
/// It runs after the other rules, so that moved members include their edits. It changes all files
/// together, because the class is often in another file.
struct ExtensionOverrideRule {
  func apply(to drafts: inout [FileDraft]) {
    for number in drafts.indices {
      for type in drafts[number].declarations.types where type.keyword == "extension" {
        moveOverrides(of: type, inFile: number, drafts: &drafts)
      }
    }
  }

  private struct UnsupportedReason: Error { let reason: String }

  private func moveOverrides(
    of type: TypeDeclaration, inFile number: Int, drafts: inout [FileDraft]
  ) {
    let draft = drafts[number]
    var moved: [Range<Int>] = []
    for member in draft.declarations.members(of: type) where member.prefix.contains("override") {
      guard !draft.source.needsObjectiveC(member.introducer) else { continue }
      do throws(UnsupportedReason) {
        let place = try destination(of: member, in: type, file: draft)
        let range = try MovedMember(member, of: type, in: draft.source).map(\.range).orThrow(
          UnsupportedReason(reason: "the end of “\(member.name)” was not found"))
        try check(range, from: number, to: place, drafts: drafts)
        move(member, of: type, range: range, from: number, to: place, drafts: &drafts)
        moved.append(range)
      } catch {
        drafts[number].report(
          .warning, atToken: member.introducer,
          "an override in an extension needs the Objective-C runtime; move it into the class: \(error.reason)"
        )
      }
    }
    removeIfEmpty(type, moved: moved, draft: &drafts[number])
  }

  // MARK: - Safety

  private func destination(
    of member: MemberDeclaration, in type: TypeDeclaration, file: FileDraft
  ) throws(UnsupportedReason) -> DeclarationIndex.Place {
    let classes = file.index.classes(named: type.name)
    guard let place = classes.first else {
      throw UnsupportedReason(
        reason: "class \(type.name) is not in these files; if it is generated, choose the model's "
          + "“Category/Extension” code generation and write the class yourself")
    }
    guard classes.count == 1 else {
      throw UnsupportedReason(reason: "class \(type.name) is declared more than once")
    }
    let target = file.index.files[place.file]
    guard file.source.conditions.depths[member.introducer] == 0,
      target.source.conditions.depths[place.type.introducer] == 0
    else { throw UnsupportedReason(reason: "the class or the override is in an #if block") }
    let attributes = type.prefix.elements.filter {
      $0.name.hasPrefix("@") && !$0.name.hasPrefix("@objc")
    }
    guard !type.hasRequirements, attributes.isEmpty else {
      throw UnsupportedReason(reason: "the extension has attributes or requirements")
    }
    let all = member.prefix.elementsWithConditional(before: member.introducer, in: file.source)
    if all.count > member.prefix.elements.count {
      throw UnsupportedReason(reason: "attributes in an #if block precede it")
    }
    return place
  }

  private func check(
    _ range: Range<Int>, from number: Int, to place: DeclarationIndex.Place, drafts: [FileDraft]
  ) throws(UnsupportedReason) {
    guard number != place.file else { return }
    let origin = drafts[number].declarations
    let missing = origin.imports.subtracting(drafts[place.file].declarations.imports).subtracting([
      "Foundation"
    ])
    if let module = missing.min() {
      throw UnsupportedReason(
        reason: "\(drafts[place.file].source.file.path) does not import \(module)")
    }
    let hidden = origin.privateNames
    let used = origin.source.tokens.first { token in
      token.kind == .word && range.contains(token.range.lowerBound)
        && hidden.contains(token.spelling)
    }
    if let used {
      throw UnsupportedReason(reason: "it uses “\(used.spelling)”, which is private to its file")
    }
  }

  // MARK: - Moving

  private func move(
    _ member: MemberDeclaration, of type: TypeDeclaration, range: Range<Int>, from number: Int,
    to place: DeclarationIndex.Place, drafts: inout [FileDraft]
  ) {
    let origin = drafts[number].source
    if let access = type.prefix.access, member.prefix.access == nil {
      let start =
        member.prefix.elements.first { !$0.name.hasPrefix("@") }?.tokens.lowerBound
        ?? member.introducer
      drafts[number].add(.insertion(access + " ", at: origin.tokens[start].range.lowerBound))
    }
    var text = drafts[number].takeText(of: range)
    drafts[number].remove(MovedMember.removal(of: range, in: origin))

    let target = drafts[place.file].source
    text = text.replacingLineEndings(by: target.newline)
    let brace = place.type.body.upperBound
    let offset = target.tokens[brace].range.lowerBound
    if !text.hasSuffix(target.newline) { text += target.newline }
    if target.startsItsLine(brace) {
      let line = target.lineStart(of: offset)
      let isFirst = place.type.contents.isEmpty && !drafts[place.file].inserts(at: line)
      drafts[place.file].add(.insertion((isFirst ? "" : target.newline) + text, at: line))
    } else {
      drafts[place.file].add(
        .insertion(target.newline + text + target.indentation(of: offset), at: offset))
    }
  }

  /// Removes an extension that contained only moved members.
  private func removeIfEmpty(_ type: TypeDeclaration, moved: [Range<Int>], draft: inout FileDraft) {
    let source = draft.source
    let isCovered: (Int) -> Bool = { offset in moved.contains { $0.contains(offset) } }
    guard !moved.isEmpty, type.inherits.isEmpty,
      type.contents.allSatisfy({ isCovered(source.tokens[$0].range.lowerBound) })
    else { return }
    let start = type.prefix.start(before: type.introducer)
    let whole = source.bytes(from: start, through: type.body.upperBound)
    let hasOtherComments = source.comments.contains {
      $0.overlaps(whole) && !isCovered($0.lowerBound)
    }
    guard !hasOtherComments, source.startsItsLine(start), source.endsLine(whole.upperBound) else {
      return
    }
    let lines =
      source.lineStart(of: whole.lowerBound)..<source.nextLineStart(after: whole.upperBound)
    _ = draft.takeText(of: lines)
    draft.remove(MovedMember.removal(of: lines, in: source))
  }
}

extension Optional {
  fileprivate func orThrow<Failure: Error>(_ failure: Failure) throws(Failure) -> Wrapped {
    guard let self else { throw failure }
    return self
  }
}

extension String {
  /// The text with uniform line endings.
  ///
  /// A multi-line string literal has the same value with any line ending.
  fileprivate func replacingLineEndings(by newline: String) -> String {
    var result = ""
    for character in self {
      result += character.isNewline && character.isASCIILineEnd ? newline : String(character)
    }
    return result
  }
}

extension Character {
  fileprivate var isASCIILineEnd: Bool { self == "\n" || self == "\r" || self == "\r\n" }
}
