import { CommandError } from '../../command.ts'
import type { Position } from '../issues/issue-list.ts'
import { parseYaml } from './read-yaml.ts'
import { noPosition, type Source } from './source.ts'
import { maxDepth } from './with-environment.ts'

/** Reads JSON. Throws `CommandError` that says in which line it is none, or has a name twice. */
export function readJson(given: string, name: string): Source {
  const text = given.startsWith('\uFEFF') ? given.slice(1) : given
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const { line, column, expected } = jsonFault(text)
    throw new CommandError(`${name} is not valid JSON: line ${line}, column ${column}: expected ${expected}.`)
  }
  // What is deeper is refused elsewhere, and would be looked at for long.
  if (isDeep(value)) return { value, positionOf: noPosition }
  const { document, positionOf } = parseYaml(text)
  const twice = document.errors.find(({ code }) => code === 'DUPLICATE_KEY')
  if (twice !== undefined) {
    const { line, col } = twice.linePos?.[0] ?? { line: 1, col: 1 }
    throw new CommandError(`${name}: line ${line}, column ${col}: duplicate key in an object. Remove one.`)
  }
  return { value, positionOf }
}

function isDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; depth <= maxDepth; depth++) {
    level = level.flatMap(each => (typeof each === 'object' && each !== null ? Object.values(each) : []))
    if (level.length === 0) return false
  }
  return true
}

const token =
  /\s*(?:("(?:[^"\\\n\r\t]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])|([{}[\],:]))/y

/** What may come next. */
type Expecting = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'nothing'

const wordings: Readonly<Record<Expecting, string>> = {
  value: 'a value: a string in double quotes, a number, true, false, null, { or [',
  'value or end': 'a value or ]',
  name: 'a key in double quotes (JSON has no trailing comma)',
  'name or end': 'a key in double quotes, or }',
  colon: 'a colon after the key',
  'comma or end': 'a comma, or the end of the object or list',
  nothing: 'the end of the file',
}

/** Where a text stops being JSON, and what was expected there. What stands there is not told: it may be a secret. */
function jsonFault(text: string): Position & { readonly expected: string } {
  const open: ('{' | '[')[] = []
  let expecting: Expecting = 'value'
  let offset = 0
  const after = (): Expecting => (open.length === 0 ? 'nothing' : 'comma or end')
  for (;;) {
    token.lastIndex = offset
    const match = token.exec(text)
    if (match === null) break
    const next = step(expecting, match[1] !== undefined, match[2] !== undefined, match[3], open, after)
    if (next === undefined) break
    expecting = next
    offset = token.lastIndex
  }
  const at = offset + (/^\s*/.exec(text.slice(offset))?.[0].length ?? 0)
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: before.at(-1)!.length + 1, expected: wordings[expecting] }
}

function step(
  expecting: Expecting,
  isText: boolean,
  isPlain: boolean,
  mark: string | undefined,
  open: ('{' | '[')[],
  after: () => Expecting,
): Expecting | undefined {
  if (expecting === 'colon') return mark === ':' ? 'value' : undefined
  if (expecting === 'name' || expecting === 'name or end') {
    if (isText) return 'colon'
    return expecting === 'name or end' && mark === '}' ? closed(open, after) : undefined
  }
  if (expecting === 'comma or end') {
    if (mark === ',') return open.at(-1) === '{' ? 'name' : 'value'
    return mark === (open.at(-1) === '{' ? '}' : ']') ? closed(open, after) : undefined
  }
  if (expecting === 'nothing') return undefined
  if (isText || isPlain) return after()
  if (mark === ']' && expecting === 'value or end') return closed(open, after)
  if (mark !== '{' && mark !== '[') return undefined
  open.push(mark)
  return mark === '{' ? 'name or end' : 'value or end'
}

function closed(open: unknown[], after: () => Expecting): Expecting {
  open.pop()
  return after()
}
