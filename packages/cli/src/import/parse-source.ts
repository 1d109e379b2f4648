import { type Document, parseDocument } from 'yaml'
import { CommandError } from '../command.ts'

/** Kinds of values that JSON has not: what looks like a date stays a text, as it is meant. */
const foreign = /:(?:binary|omap|pairs|set|timestamp)$/

/**
 * The value in the text of a configuration, which is YAML as LiteLLM's parser reads it (1.1), or JSON. Throws a
 * `CommandError` that names the line of an error and shows none of its text, which may be a key.
 */
export function parseSource(text: string, kind: 'yaml' | 'json'): unknown {
  const document = parseDocument(text, {
    version: kind === 'yaml' ? '1.1' : '1.2',
    customTags: tags => tags.filter(tag => typeof tag === 'string' || !foreign.test(tag.tag)),
    logLevel: 'silent',
  })
  const [fault] = document.errors
  if (fault !== undefined) {
    const at = fault.linePos?.[0]
    const where = at === undefined ? '' : ` at line ${at.line}, column ${at.col}`
    throw new CommandError(
      `The file is not valid ${kind === 'yaml' ? 'YAML' : 'JSON'}: ${fault.code}${where}.`,
    )
  }
  const value = plainValue(document)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new CommandError('The file is not an object, so it has no configuration.')
}

function plainValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 1_000 })
  } catch {
    throw new CommandError('The file has aliases that cannot be resolved, or too many of them.')
  }
}
