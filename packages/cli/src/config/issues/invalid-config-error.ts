import { CommandError } from '../../command.ts'

/** One error in a configuration. Contains no secrets. */
export interface ConfigIssue {
  /** Such as `models.smart[1]`. */
  readonly path: string
  /** What was received and expected: `got '8o80', expected a whole number from 0 to 65535`. */
  readonly problem: string
  /** How to fix it. */
  readonly fix?: string
  /** From 1, for JSON and YAML. */
  readonly line?: number
  readonly column?: number
}

/** A configuration with errors. The message lists all of them. */
export class InvalidConfigError extends CommandError {
  readonly issues: readonly ConfigIssue[]

  constructor(name: string, issues: readonly ConfigIssue[]) {
    const count = issues.length === 1 ? 'an error' : `${issues.length} errors`
    super(`${name} has ${count}:\n${issues.map(issueText).join('\n')}`)
    this.name = 'InvalidConfigError'
    this.issues = issues
  }
}

function issueText({ path, problem, fix, line }: ConfigIssue): string {
  const at = line === undefined ? '' : ` (line ${line})`
  return `- ${path}${at}: ${problem}.${fix === undefined ? '' : ` ${fix}`}`
}
