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
import { CommandFault } from '../../command.ts'
import type { Position } from '../issues/issue-list.ts'
import type { Path } from '../issues/issue-text.ts'
import type { Source } from './source.ts'

/** So many times what stands under an anchor may be repeated: a small file could be a very large one. */
const mostAliases = 100

/** Reads YAML 1.2. Throws `CommandFault` that says in which line it is none. */
export function readYaml(text: string, name: string): Source {
  const { document, positionOf } = tried(() => parsed(text), `${name} is no YAML: it nests too deep.`)
  const [error] = document.errors
  if (error !== undefined) {
    const { line, column } = error.linePos?.[0] ? at(error.linePos[0]) : { line: 1, column: 1 }
    throw new CommandFault(
      `${name} is no YAML: line ${line}, column ${column}: ${sayings[error.code] ?? 'it cannot be read there'}.`,
    )
  }
  const value: unknown = tried(
    () => document.toJS({ maxAliasCount: mostAliases }),
    `${name} is no YAML: an alias names no anchor, or aliases make too much of it.`,
  )
  return { value, positionOf }
}

/** What the library throws quotes the file, in which secrets may stand. */
function tried<T>(make: () => T, otherwise: string): T {
  try {
    return make()
  } catch {
    throw new CommandFault(otherwise)
  }
}

/** Where things stand in YAML, of which JSON is a part; also keys that are given twice. */
export function parsed(text: string): {
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
const sayings: Readonly<Record<string, string>> = {
  BAD_INDENT: 'what stands there is indented in another way than what it belongs to',
  TAB_AS_INDENT: 'it is indented by a tab; YAML takes spaces',
  DUPLICATE_KEY: 'a name is given twice in one object',
  MISSING_CHAR: 'a bracket, a quote or a space is missing',
  BAD_ALIAS: 'an alias names no anchor',
  MULTIPLE_DOCS: 'a second document begins; expected one',
  UNEXPECTED_TOKEN: 'something stands there that cannot; is a quote or a colon missing before it?',
  BLOCK_AS_IMPLICIT_KEY: 'an object begins within a line; begin it on a line of its own',
  MULTILINE_IMPLICIT_KEY: 'a name goes over several lines; is a colon missing?',
  TAG_RESOLVE_FAILED: 'a tag is not known',
}
