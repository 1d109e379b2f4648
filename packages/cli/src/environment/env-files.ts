import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { type CommandContext, CommandError } from '../command.ts'

/** Later files replace the variables of earlier ones, as with Vite and Next.js. */
const files = ['.env', '.env.local']

/**
 * Adds the variables of `.env` and `.env.local` in the working directory to the environment. Variables that are set
 * already stay as they are, empty ones included. Throws `CommandError` for a file that cannot be read.
 */
export function addEnvFiles({ cwd, env }: Pick<CommandContext, 'cwd' | 'env'>): void {
  const added = Object.assign({}, ...files.map(file => variablesIn(join(cwd, file), file)))
  for (const [name, value] of Object.entries<string>(added)) {
    if (env[name] === undefined) env[name] = value
  }
}

function variablesIn(path: string, shown: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A directory of that name is a virtual environment of Python.
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return {}
    throw new CommandError(`Cannot read ${shown} (${code ?? 'unknown'}). Make it readable, or remove it.`)
  }
}
