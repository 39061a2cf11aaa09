internal import CSPP
internal import SecretMemory

extension SequentialDelayDomain {
  /// Reads the field `odisDomain` of a file.
  ///
  /// Fields that the format does not have are left out, as by Celo's own program.
  ///
  /// - Throws: `damaged`, `missing`, `unsupported`, `tooLarge`; the part is the field.
  init(_ field: CeloField, in text: RawSpan) throws(ForeignBackupError) {
    let fields = try field.fields(in: text)
    let name = try fields.required("name", in: text)
    guard try name.text(in: text) == Self.name else { throw .unsupported(part: name.part) }
    let version = try fields.required("version", in: text)
    guard try version.text(in: text) == Self.version else { throw .unsupported(part: version.part) }
    let address = try fields.required("address", in: text)
    self.address = try address.optional(in: text) { value throws(ForeignBackupError) in
      try value.text(in: text)
    }
    // Where it is undefined, the zero value of a text may stand there too.
    guard
      EthereumAddress(self.address.value) != nil
        || (!self.address.isDefined && self.address.value.isEmpty)
    else { throw .damaged(part: address.part) }
    salt = try fields.required("salt", in: text).optional(in: text) {
      value throws(ForeignBackupError) in try value.text(in: text)
    }
    stages = try Self.stages(fields.required("stages", in: text), in: text)
  }

  private static func stages(
    _ field: CeloField, in text: RawSpan
  ) throws(ForeignBackupError) -> [Stage] {
    guard var elements = try? JSONElements(field.value, field: "stages") else {
      throw .damaged(part: field.part)
    }
    var stages: [Stage] = []
    // The whole text was checked: only an end gives nil.
    while let element = try? elements.next(in: text) {
      guard stages.count < stageLimit else {
        throw .tooLarge(part: "the number of stages in odisDomain", limit: stageLimit)
      }
      let part = "\(field.part)[\(stages.count)]"
      stages.append(try Stage(CeloField(value: element, part: part), in: text))
    }
    return stages
  }
}

extension SequentialDelayDomain.Stage {
  fileprivate init(_ field: CeloField, in text: RawSpan) throws(ForeignBackupError) {
    let fields = try field.fields(in: text)
    delay = try fields.required("delay", in: text).number(in: text)
    resetTimer = try fields.required("resetTimer", in: text).optional(in: text) {
      value throws(ForeignBackupError) in try value.bool()
    }
    batchSize = try fields.required("batchSize", in: text).optional(in: text) {
      value throws(ForeignBackupError) in try value.number(in: text)
    }
    repetitions = try fields.required("repetitions", in: text).optional(in: text) {
      value throws(ForeignBackupError) in try value.number(in: text)
    }
  }
}
