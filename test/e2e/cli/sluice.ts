import { join } from 'node:path'
import { bundledProgram } from '../../../scripts/bundle-program.mjs'
import { type SluiceProcess, type SluiceStart, startProcess } from './start-process.ts'

const script = await bundledProgram(join(import.meta.dirname, '../../../packages/cli/src/bin.ts'))

/** Runs `sluice`, on the sources, as a shell would; it is killed when the test ends. */
export function sluice(args: readonly string[], start: SluiceStart): SluiceProcess {
  return startProcess(process.execPath, [script, ...args], start)
}
