import { execFile } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { bundledProgram } from '../../../scripts/bundle-program.mjs'
import { root } from './markdown.ts'

const run = promisify(execFile)

/** The commands of this project that pages call by npx, over the sources: what npx runs is their build. */
const commands: Readonly<Record<string, string>> = {
  'npx sluice ': 'packages/cli/src/bin.ts',
  'npx sluice-postgres ': 'packages/postgres/src/cli.ts',
  'npx sluice-sqlite ': 'packages/sqlite/src/cli.ts',
}

/**
 * Runs a snippet as a shell does that ends at its first failure, in `cwd`; resolves to what it printed. `folders` come first
 * in the PATH.
 */
export async function runCommands(
  code: string,
  {
    cwd,
    env = {},
    folders = [],
  }: {
    readonly cwd: string
    readonly env?: Readonly<Record<string, string>>
    readonly folders?: readonly string[]
  },
): Promise<string> {
  let script = code
  for (const [name, program] of Object.entries(commands)) {
    if (script.includes(name)) {
      const bundled = await bundledProgram(join(root, program))
      script = script.replaceAll(name, `'${process.execPath}' '${bundled}' `)
    }
  }
  const path = [...folders, process.env.PATH].join(delimiter)
  const { stdout } = await run('sh', ['-e', '-c', script], {
    cwd,
    env: { ...process.env, ...env, PATH: path },
    timeout: 60_000,
  })
  return stdout
}
