import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { CommandError } from '../../command.ts'
import { readJson } from './read-json.ts'
import { readModule } from './read-module.ts'
import { readYaml } from './read-yaml.ts'
import type { Source } from './source.ts'

/** 1 MiB: nobody writes more by hand, and what comes by mistake may be anything. */
const maxBytes = 1_048_576

/** Reads a file by its ending. Throws `CommandError` for what cannot be read. */
export async function readSource(file: string, name: string): Promise<Source> {
  const ending = extname(file)
  const isModule = /^\.[cm]?[jt]s$/.test(ending)
  if (!isModule && !['.json', '.yaml', '.yml'].includes(ending)) {
    throw new CommandError(`${name} ends with '${ending}', expected .ts, .js, .json, .yaml or .yml.`)
  }
  const text = await textOf(file, name)
  if (isModule) return readModule(file, name)
  return ending === '.json' ? readJson(text, name) : readYaml(text, name)
}

async function textOf(file: string, name: string): Promise<string> {
  let bytes: Buffer
  try {
    const { size } = await stat(file)
    if (size > maxBytes) throw new CommandError(`${name} has ${size} bytes, expected at most ${maxBytes}.`)
    bytes = await readFile(file)
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`Cannot read ${name} (${codeOf(error)}).`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new CommandError(`${name} is not valid UTF-8.`)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
