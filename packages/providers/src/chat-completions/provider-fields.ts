import { configurationError } from '@sluice/core/adapter'
import type { JsonValue, ProviderSpecificFields } from '@sluice/core/provider'
import { type Fields, isFields } from '../wire/json-value.ts'

/**
 * The fields outside the protocol that answers keep, by where the server writes them. `'a.b'` is the member `b` of the object
 * `a`. Callers receive them, so they must not hold hosts, keys or account ids.
 */
export interface ProviderFields {
  /** Of a complete answer or a chunk: `citations`. */
  readonly response?: readonly string[]
  /** Of a choice: `native_finish_reason`. */
  readonly choice?: readonly string[]
  /** Of a message, or of the delta of a chunk: `executed_tools`. */
  readonly message?: readonly string[]
  /** Of `usage`: `cost`, `prompt_tokens_details.image_tokens`. */
  readonly usage?: readonly string[]
}

/** A field to keep; only some of its members if `members` is set. */
interface FieldSelection {
  readonly name: string
  readonly members: readonly FieldSelection[] | undefined
}

/** `ProviderFields`, prepared for reading. */
export type SelectedFields = { readonly [Level in keyof ProviderFields]-?: readonly FieldSelection[] }

/** In UTF-16 code units of JSON text: the fields of one level of a complete answer or of a chunk. */
const maxFieldChars = 65_536
/** The same for all fields of a stream. */
const maxStreamChars = 1_048_576

/**
 * Returns the fields to keep, or `undefined` if there are none. Throws `ConfigurationError` for a value that is neither `false`
 * nor an object of field names by level.
 */
export function selectFields(
  given: ProviderFields | false | undefined,
  owner: string,
): SelectedFields | undefined {
  if (given === undefined || given === false) return undefined
  const source = `${owner}()`
  const levels = ['response', 'choice', 'message', 'usage'] as const
  if (!isFields(given)) {
    throw configurationError(source, ['providerFields'], given, 'false or an object of field names by level')
  }
  for (const [level, names] of Object.entries(given as Fields)) {
    if (!levels.some(known => known === level) || !(Array.isArray(names) || names === undefined)) {
      const expected = `arrays of field names for some of ${levels.join(', ')}`
      throw configurationError(source, ['providerFields', level], names, expected)
    }
    const index = (names ?? []).findIndex(name => !isFieldPath(name))
    if (index >= 0) {
      const expected = "the name of a field, or a path to it such as 'usage_breakdown.models'"
      throw configurationError(
        source,
        ['providerFields', level, index],
        (names as readonly unknown[])[index],
        expected,
      )
    }
  }
  const { response, choice, message, usage } = given as ProviderFields
  const all = {
    response: selectionsOf(pathsOf(response)),
    choice: selectionsOf(pathsOf(choice)),
    message: selectionsOf(pathsOf(message)),
    usage: selectionsOf(pathsOf(usage)),
  }
  return Object.values(all).some(selections => selections.length > 0) ? all : undefined
}

/** No segment may be a name that every object has. */
function isFieldPath(path: unknown): boolean {
  return typeof path === 'string' && path.split('.').every(name => name !== '' && !(name in Object.prototype))
}

function pathsOf(names: readonly string[] = []): readonly (readonly string[])[] {
  return names.map(name => name.split('.'))
}

function selectionsOf(paths: readonly (readonly string[])[]): readonly FieldSelection[] {
  return [...new Set(paths.map(([name]) => name!))].map(name => {
    const own = paths.filter(path => path[0] === name).map(path => path.slice(1))
    return { name, members: own.some(path => path.length === 0) ? undefined : selectionsOf(own) }
  })
}

/**
 * Reads the provider-specific fields of one answer. A field without a value (`null`, `{}`) is omitted: Azure ends a stream
 * with `{}` for the results of its filters. A field is dropped as a whole if it is too large, or holds a name by which objects
 * are polluted. In a stream, a field is returned when it first arrives and whenever its value has changed: some vendors repeat
 * all of them in every event.
 */
export class ProviderFieldReader {
  readonly #selected: SelectedFields
  readonly #isStream: boolean
  /** The JSON text of each field that was last returned of a stream. Created with the first: most streams have none. */
  #sent: Map<string, string> | undefined
  #left = maxStreamChars

  constructor(selected: SelectedFields, isStream: boolean) {
    this.#selected = selected
    this.#isStream = isStream
  }

  response(answer: Fields): ProviderSpecificFields | undefined {
    return fieldsOf(answer, this.#selected.response, this.#isNew, '')
  }

  choice(choice: Fields, index: number): ProviderSpecificFields | undefined {
    return fieldsOf(choice, this.#selected.choice, this.#isNew, `choice ${index} `)
  }

  message(message: Fields, index: number): ProviderSpecificFields | undefined {
    return fieldsOf(message, this.#selected.message, this.#isNew, `message ${index} `)
  }

  readonly #isNew = (key: string, text: string): boolean => {
    if (!this.#isStream) return true
    if (this.#sent?.get(key) === text || text.length > this.#left) return false
    this.#left -= text.length
    this.#sent ??= new Map()
    this.#sent.set(key, text)
    return true
  }
}

/** Returns the provider-specific fields of `usage`. Each event of a stream has all of them: the last counts. */
export function usageFields(usage: Fields, selected: SelectedFields): ProviderSpecificFields | undefined {
  return fieldsOf(usage, selected.usage, () => true, '')
}

/** Adds the fields to their level, if there are any. */
export function addFields(
  target: { provider_specific_fields?: ProviderSpecificFields },
  fields: ProviderSpecificFields | undefined,
): void {
  if (fields !== undefined) target.provider_specific_fields = fields
}

function fieldsOf(
  source: Fields,
  selections: readonly FieldSelection[],
  isNew: (key: string, text: string) => boolean,
  level: string,
): ProviderSpecificFields | undefined {
  let fields: Record<string, JsonValue> | undefined
  let left = maxFieldChars
  for (const selection of selections) {
    const value = selectedValue(source[selection.name], selection.members)
    if (value === undefined) continue
    const text = JSON.stringify(value)
    if (text.length > left || pollutes(text) || !isNew(level + selection.name, text)) continue
    left -= text.length
    fields ??= {}
    fields[selection.name] = value
  }
  return fields
}

function selectedValue(
  value: unknown,
  members: readonly FieldSelection[] | undefined,
): JsonValue | undefined {
  if (value === undefined || value === null) return undefined
  if (members === undefined) return isFields(value) && isEmpty(value) ? undefined : (value as JsonValue)
  if (!isFields(value)) return undefined
  let selected: Record<string, JsonValue> | undefined
  for (const { name, members: inner } of members) {
    const member = selectedValue(value[name], inner)
    if (member === undefined) continue
    selected ??= {}
    selected[name] = member
  }
  return selected
}

function isEmpty(value: Fields): boolean {
  for (const _name in value) return false
  return true
}

/** Whether a JSON text has a key that pollutes prototypes where objects are merged without care. */
function pollutes(text: string): boolean {
  return text.includes('"__proto__":') || text.includes('"constructor":')
}
