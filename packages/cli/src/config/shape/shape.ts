import type { IssueDetails, IssueList } from '../issues/issue-list.ts'
import { describeValue, type Path, pathText, quoted } from '../issues/issue-text.ts'
import type { Definitions, JsonSchema } from './json-schema.ts'

/** What a part of a configuration may be: it is read by it, and described to editors. */
export interface Shape {
  /** Returns the value as it is used. Adds an issue for each error in it. */
  read(value: unknown, location: ConfigLocation): unknown
  schema(definitions: Definitions): JsonSchema
}

/** Where a value stands, while it is read. */
export class ConfigLocation {
  readonly path: Path
  readonly issues: IssueList

  constructor(path: Path, issues: IssueList) {
    this.path = path
    this.issues = issues
  }

  at(step: string | number): ConfigLocation {
    return new ConfigLocation([...this.path, step], this.issues)
  }

  /** The text of the file, where a variable of the environment replaced it. */
  get reference(): string | undefined {
    return this.issues.origin.references.get(pathText(this.path))
  }

  /** What stands here, without telling what the environment gave. */
  describe(value: unknown): string {
    const { reference } = this
    return typeof value === 'string' && reference !== undefined ? quoted(reference) : describeValue(value)
  }

  reject(value: unknown, expected: string, fix?: string): undefined {
    this.add({ got: this.describe(value), expected, fix })
  }

  /** A value gets one issue only: the first. */
  add(finding: IssueDetails): undefined {
    if (!this.issues.isAt(this.path)) this.issues.add(this.path, finding)
  }
}
