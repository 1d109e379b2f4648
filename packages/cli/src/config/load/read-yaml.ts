import {
  type Document,
  isCollection,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
} from 'yaml'
import { CommandError } from '../../command.ts'
import type { Position } from '../issues/issue-list.ts'
import type { Path } from '../issues/issue-text.ts'
import type { Source } from './source.ts'

/** Maximum number of aliases: a small file with many of them expands to a very large value. */
const maxAliases = 100

/** Reads YAML 1.2. Throws `CommandError` that says in which line it is none. */
export function readYaml(text: string, name: string): Source {
  const { document, positionOf } = orThrow(
    () => parseYaml(text),
    `${name} is not valid YAML: it is nested too deeply.`,
  )
  const [error] = document.errors
  if (error !== undefined) {
    const { line, column } = error.linePos?.[0] ? at(error.linePos[0]) : { line: 1, column: 1 }
    throw new CommandError(
      `${name} is not valid YAML: line ${line}, column ${column}: ${messages[error.code] ?? 'syntax error'}.`,
    )
  }
  const value: unknown = orThrow(
    () => document.toJS({ maxAliasCount: maxAliases }),
    `${name} is not valid YAML: an alias has no anchor, or there are too many aliases.`,
  )
  return { value, positionOf }
}

/** What the library throws quotes the file, in which secrets may stand. */
function orThrow<T>(make: () => T, otherwise: string): T {
  try {
    return make()
  } catch {
    throw new CommandError(otherwise)
  }
}

/** Where things stand in YAML, of which JSON is a part; also keys that are given twice. */
export function parseYaml(text: string): {
  readonly document: Document.Parsed
  readonly positionOf: (path: Path) => Position | undefined
} {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: true,
    uniqueKeys: true,
    logLevel: 'silent',
  })
  return {
    document,
    positionOf: path => {
      const offset = offsetOf(document.contents, path)
      if (offset === undefined) return undefined
      const { line, col } = lines.linePos(offset)
      return { line, column: col }
    },
  }
}

/** Where the key of the last step stands, or the value; of what is not there, what should hold it. */
function offsetOf(root: Node | null, path: Path): number | undefined {
  let node: unknown = root
  let offset = isNode(root) ? root.range?.[0] : undefined
  for (const step of path) {
    if (!isCollection(node)) break
    const found: unknown = node.items.find((item, index) =>
      isPair(item) ? isScalar(item.key) && String(item.key.value) === String(step) : index === step,
    )
    if (found === undefined) break
    const shown: unknown = isPair(found) ? found.key : found
    offset = isNode(shown) ? (shown.range?.[0] ?? offset) : offset
    node = isPair(found) ? found.value : found
  }
  return offset
}

function at({ line, col }: { readonly line: number; readonly col: number }): Position {
  return { line, column: col }
}

/** What the library says of them quotes the file, in which secrets may stand. */
const messages: Readonly<Record<string, string>> = {
  BAD_INDENT: 'wrong indentation',
  TAB_AS_INDENT: 'tab indentation; use spaces',
  DUPLICATE_KEY: 'duplicate key in an object',
  MISSING_CHAR: 'a bracket, a quote or a space is missing',
  BAD_ALIAS: 'an alias has no anchor',
  MULTIPLE_DOCS: 'a second document; expected one',
  UNEXPECTED_TOKEN: 'unexpected token; is a quote or a colon missing before it?',
  BLOCK_AS_IMPLICIT_KEY: 'an object starts within a line; start it on a new line',
  MULTILINE_IMPLICIT_KEY: 'a key spans several lines; is a colon missing?',
  TAG_RESOLVE_FAILED: 'unknown tag',
}
