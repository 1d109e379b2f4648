import { CommandFault } from '../../command.ts'
import { jsonFault } from './json-fault.ts'
import { parsed } from './read-yaml.ts'
import type { Source } from './source.ts'

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
