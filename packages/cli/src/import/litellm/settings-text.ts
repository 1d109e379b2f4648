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
