import { CommandFault } from '../../command.ts'

/** One thing in a configuration that has to be mended. No text of it holds a secret. */
export interface ConfigFault {
  /** Such as `models.smart[1]`. */
  readonly path: string
  /** What stands there, and what was expected: `got '8o80', expected a whole number from 0 to 65535`. */
  readonly problem: string
  /** How to mend it, where more can be said of that. */
  readonly mend?: string
  /** From 1, where the file is JSON or YAML. */
  readonly line?: number
  readonly column?: number
}

/** All that is wrong with a configuration, in one message. */
export class ConfigFaults extends CommandFault {
  readonly faults: readonly ConfigFault[]

  constructor(name: string, faults: readonly ConfigFault[]) {
    const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`
    super(`${name} has ${count}:\n${faults.map(faultText).join('\n')}`)
    this.name = 'ConfigFaults'
    this.faults = faults
  }
}

function faultText({ path, problem, mend, line }: ConfigFault): string {
  const at = line === undefined ? '' : ` (line ${line})`
  return `- ${path}${at}: ${problem}.${mend === undefined ? '' : ` ${mend}`}`
}
