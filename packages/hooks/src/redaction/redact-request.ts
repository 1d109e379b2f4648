import type { HookRequest, RequestDecision, RequestText } from '@sluice/core'
import { type Finder, findValues } from './finder.ts'
import { foldText } from './fold-text.ts'
import { JsonPosition } from './json-position.ts'
import type { Placeholders } from './placeholders.ts'

/** Members with the address of an image or a file: with a placeholder it would be another one. */
const addresses: ReadonlySet<unknown> = new Set(['url', 'image_url', 'file_url'])

/**
 * Replaces the values in the texts of a request by placeholders. Adds them to `values`: the value of each placeholder. Equal values
 * have one placeholder, in all texts.
 */
export function redactRequest(
  { texts }: Pick<HookRequest, 'texts'>,
  finders: readonly Finder[],
  placeholders: Placeholders,
  values: Map<string, string>,
): RequestDecision | undefined {
  const written = new Set<string>()
  for (const { text } of texts) placeholders.addWritten(text, written)
  const known = new Map<Finder, Map<string, string>>()
  const numbers = new Map<Finder, number>()
  const placeholderOf = (finder: Finder, value: string) => {
    const ofFinder = known.get(finder) ?? new Map<string, string>()
    known.set(finder, ofFinder)
    const existing = ofFinder.get(value)
    if (existing !== undefined) return existing
    let number = numbers.get(finder) ?? 0
    let placeholder: string
    // What a caller has written is no placeholder of this request, and stays what it is.
    do {
      number++
      placeholder = placeholders.of(finder, number)
    } while (written.has(placeholder) || values.has(placeholder))
    numbers.set(finder, number)
    ofFinder.set(value, placeholder)
    values.set(placeholder, value)
    return placeholder
  }
  const edits = texts.flatMap(each => {
    if (addresses.has(each.path.at(-1))) return []
    const value = redactText(each, finders, placeholderOf)
    return value === undefined ? [] : [{ path: each.path, value }]
  })
  return edits.length === 0 ? undefined : { edits }
}

function redactText(
  { text, path }: RequestText,
  finders: readonly Finder[],
  placeholderOf: (finder: Finder, value: string) => string,
): string | undefined {
  const folded = foldText(text)
  // The arguments of a tool call are JSON.
  const position = path.at(-1) === 'arguments' ? new JsonPosition() : undefined
  let redacted = ''
  let at = 0
  for (const span of findValues(folded.text, finders)) {
    const start = folded.originOf(span.start)
    const end = folded.originOf(span.end)
    const raw = text.slice(start, end)
    position?.read(text, at, start)
    const placeholder = placeholderOf(span.finder, position === undefined ? raw : unescaped(raw))
    redacted +=
      text.slice(at, start) + (position?.isInString === false ? JSON.stringify(placeholder) : placeholder)
    position?.read(text, start, end)
    at = end
  }
  return at === 0 ? undefined : redacted + text.slice(at)
}

/** Returns a part of a JSON string as the text that it stands for. */
function unescaped(raw: string): string {
  if (!raw.includes('\\')) return raw
  try {
    return String(JSON.parse(`"${raw}"`))
  } catch {
    return raw
  }
}
