import type { FaultList, Finding } from '../issues/issue-list.ts'
import { type Path, pathText, quoted, shownValue } from '../issues/issue-text.ts'
import type { Definitions, JsonSchema } from './json-schema.ts'

/** What a part of a configuration may be: it is read by it, and described to editors. */
export interface Shape {
  /** The value as it is used. Adds to the faults what is wrong with it. */
  read(value: unknown, place: Place): unknown
  schema(definitions: Definitions): JsonSchema
}

/** Where a value stands, while it is read. */
export class Place {
  readonly path: Path
  readonly faults: FaultList

  constructor(path: Path, faults: FaultList) {
    this.path = path
    this.faults = faults
  }

  at(step: string | number): Place {
    return new Place([...this.path, step], this.faults)
  }

  /** The text as it stands in the file, where the environment gave it another. */
  get reference(): string | undefined {
    return this.faults.origin.references.get(pathText(this.path))
  }

  /** What stands here, without telling what the environment gave. */
  shown(value: unknown): string {
    const { reference } = this
    return typeof value === 'string' && reference !== undefined ? quoted(reference) : shownValue(value)
  }

  wrong(value: unknown, expected: string, mend?: string): undefined {
    this.add({ got: this.shown(value), expected, mend })
  }

  /** One fault of a value is enough: the first that was found. */
  add(finding: Finding): undefined {
    if (!this.faults.isAt(this.path)) this.faults.add(this.path, finding)
  }
}
