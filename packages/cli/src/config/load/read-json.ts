import { CommandFault } from '../../command.ts'
import { jsonFault } from './json-fault.ts'
import { parsed } from './read-yaml.ts'
import { nowhere, type Source } from './source.ts'
import { deepest } from './with-environment.ts'

/** Reads JSON. Throws `CommandFault` that says in which line it is none, or has a name twice. */
export function readJson(given: string, name: string): Source {
  const text = given.startsWith('\uFEFF') ? given.slice(1) : given
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const { line, column, expected } = jsonFault(text)
    throw new CommandFault(`${name} is no JSON: line ${line}, column ${column}: expected ${expected}.`)
  }
  // What is deeper is refused elsewhere, and would be looked at for long.
  if (isDeep(value)) return { value, positionOf: nowhere }
  const { document, positionOf } = parsed(text)
  const twice = document.errors.find(({ code }) => code === 'DUPLICATE_KEY')
  if (twice !== undefined) {
    const { line, col } = twice.linePos?.[0] ?? { line: 1, col: 1 }
    throw new CommandFault(
      `${name}: line ${line}, column ${col}: a name is given twice in one object. Leave one out.`,
    )
  }
  return { value, positionOf }
}

function isDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; depth <= deepest; depth++) {
    level = level.flatMap(each => (typeof each === 'object' && each !== null ? Object.values(each) : []))
    if (level.length === 0) return false
  }
  return true
}
