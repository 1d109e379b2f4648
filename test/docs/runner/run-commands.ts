import { execFile } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './markdown.ts'

const run = promisify(execFile)
const tsx = `${process.execPath} --import ${import.meta.resolve('tsx')} --conditions=@sluice/source`

/** The commands of this project that pages call by npx, over the sources: what npx runs is their build. */
const commands: Readonly<Record<string, string>> = {
  'npx sluice ': `${tsx} ${join(root, 'packages/cli/src/bin.ts')} `,
  'npx sluice-postgres ': `${tsx} ${join(root, 'packages/postgres/src/cli.ts')} `,
  'npx sluice-sqlite ': `${tsx} ${join(root, 'packages/sqlite/src/cli.ts')} `,
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
  const script = Object.entries(commands).reduce(
    (text, [name, source]) => text.replaceAll(name, source),
    code,
  )
  const path = [...folders, process.env.PATH].join(delimiter)
  const { stdout } = await run('sh', ['-e', '-c', script], {
    cwd,
    env: { ...process.env, ...env, PATH: path },
    timeout: 60_000,
  })
  return stdout
}
