import { type Document, parseDocument } from 'yaml'
import { CommandFault } from '../command.ts'

/** Kinds of values that JSON has not: what looks like a date stays a text, as it is meant. */
const foreign = /:(?:binary|omap|pairs|set|timestamp)$/

/**
 * The value in the text of a configuration, which is YAML as LiteLLM's parser reads it (1.1), or JSON. Throws a
 * `CommandFault` that names the line of a fault and shows nothing of it: it may hold a key.
 */
export function foreignValue(text: string, kind: 'yaml' | 'json'): unknown {
  const document = parseDocument(text, {
    version: kind === 'yaml' ? '1.1' : '1.2',
    customTags: tags => tags.filter(tag => typeof tag === 'string' || !foreign.test(tag.tag)),
    logLevel: 'silent',
  })
  const [fault] = document.errors
  if (fault !== undefined) {
    const at = fault.linePos?.[0]
    const where = at === undefined ? '' : ` at line ${at.line}, column ${at.col}`
    throw new CommandFault(`The file is no ${kind === 'yaml' ? 'YAML' : 'JSON'}: ${fault.code}${where}.`)
  }
  const value = plainValue(document)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new CommandFault('The file holds no object, and so no configuration.')
}

function plainValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 1_000 })
  } catch {
    throw new CommandFault('The file has aliases that cannot be resolved, or too many of them.')
  }
}
