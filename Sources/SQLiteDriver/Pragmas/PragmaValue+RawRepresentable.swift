extension PragmaValue where Self: RawRepresentable, RawValue: PragmaValue {
  package init?(pragmaValue: Value) {
    guard let raw = RawValue(pragmaValue: pragmaValue) else { return nil }
    self.init(rawValue: raw)
  }

  package var pragmaLiteral: String { rawValue.pragmaLiteral }
}
