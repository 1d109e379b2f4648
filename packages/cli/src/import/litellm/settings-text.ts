import type { Part } from '../part.ts'
import { Variables } from '../variables.ts'

const fromEnvironment = /^os\.environ\/(.+)$/

/** Says that a server without keys has none. */
const placeholder =
  /^(?:none|null|empty|dummy|fake|fake-key|any|anything|no-key|not-needed|not-used|unused|x+)$/i

export function isPlaceholder(part: Part): boolean {
  return typeof part.value === 'string' && placeholder.test(part.value.trim())
}

/** A text of LiteLLM's in our words: `os.environ/NAME` becomes `${NAME}`, and what looks like a secret a variable. */
export function settingsText(part: Part, variables: Variables, wanted: string): string | undefined {
  return reference(part) ?? plainText(part, variables, wanted)
}

/** The same for what is a secret by its place, whatever it looks like. */
export function secretText(part: Part, variables: Variables, wanted: string): string | undefined {
  const known = reference(part)
  if (known !== undefined) return known
  const text = isReference(part) ? undefined : part.text()
  return text === undefined ? undefined : variables.secret(text, wanted, part)
}

/**
 * A value in which every text `os.environ/NAME` is `${NAME}`, within lists and objects too; `undefined` where a name is no
 * variable.
 */
export function withReferences(value: unknown): unknown {
  if (typeof value === 'string') {
    const name = fromEnvironment.exec(value)?.[1]
    return name === undefined ? value : Variables.reference(name)
  }
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, inner]) => [key, withReferences(inner)] as const)
  if (members.some(([, inner]) => inner === undefined)) return undefined
  return Array.isArray(value) ? members.map(([, inner]) => inner) : Object.fromEntries(members)
}

/** All variables that a configuration of LiteLLM names. */
export function variablesIn(root: Part): string[] {
  return root.leaves().flatMap(({ value }) => {
    const name = typeof value === 'string' ? fromEnvironment.exec(value)?.[1] : undefined
    return name === undefined ? [] : [name]
  })
}

function isReference(part: Part): boolean {
  return typeof part.value === 'string' && fromEnvironment.test(part.value)
}

function reference(part: Part): string | undefined {
  const name = typeof part.value === 'string' ? fromEnvironment.exec(part.value)?.[1] : undefined
  const written = name === undefined ? undefined : Variables.reference(name)
  if (written !== undefined) part.take()
  return written
}

function plainText(part: Part, variables: Variables, wanted: string): string | undefined {
  const text = isReference(part) ? undefined : part.text()
  return text === undefined ? undefined : variables.plain(text, wanted, part)
}
