import { Variables } from '../import-context.ts'
import { ImportNode, type ImportReader } from '../import-reader.ts'

/** Settings that stand in `router_settings` or in `litellm_settings`. */
export interface Settings {
  at(key: string): ImportNode
}

/** Where both have a setting, that of `router_settings` counts, as with LiteLLM, and the other is reported. */
export function settingsOf(root: ImportNode): Settings {
  const [router, general] = [root.at('router_settings'), root.at('litellm_settings')]
  return {
    at(key) {
      const own = router.at(key)
      if (!own.isThere) return general.at(key)
      general
        .at(key)
        .reportUnsupported(
          'The same setting in router_settings takes precedence.',
          'Nothing: LiteLLM does the same.',
        )
      return own
    },
  }
}

const fromEnvironment = /^os\.environ\/(.+)$/

/** Says that a server without keys has none. */
const placeholder =
  /^(?:none|null|empty|dummy|fake|fake-key|any|anything|no-key|not-needed|not-used|unused|x+)$/i

export function isPlaceholder(part: ImportNode): boolean {
  return typeof part.value === 'string' && placeholder.test(part.value.trim())
}

/** A text of LiteLLM's in our words: `os.environ/NAME` becomes `${NAME}`, and what looks like a secret a variable. */
export function settingsText(part: ImportNode, variables: Variables, wanted: string): string | undefined {
  return reference(part) ?? plainText(part, variables, wanted)
}

/** The same for what is a secret by its place, whatever it looks like. */
export function secretText(part: ImportNode, variables: Variables, wanted: string): string | undefined {
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
export function variablesIn(root: ImportNode): string[] {
  return root.leaves().flatMap(({ value }) => {
    const name = typeof value === 'string' ? fromEnvironment.exec(value)?.[1] : undefined
    return name === undefined ? [] : [name]
  })
}

function isReference(part: ImportNode): boolean {
  return typeof part.value === 'string' && fromEnvironment.test(part.value)
}

function reference(part: ImportNode): string | undefined {
  const name = typeof part.value === 'string' ? fromEnvironment.exec(part.value)?.[1] : undefined
  const written = name === undefined ? undefined : Variables.reference(name)
  if (written !== undefined) part.markRead()
  return written
}

function plainText(part: ImportNode, variables: Variables, wanted: string): string | undefined {
  const text = isReference(part) ? undefined : part.text()
  return text === undefined ? undefined : variables.plain(text, wanted, part)
}

/** The settings of a deployment, with those of the credential that it names behind its own, as in LiteLLM. */
class WithCredential extends ImportNode {
  readonly #values: ImportNode

  constructor(reader: ImportReader, own: ImportNode, values: ImportNode) {
    super(reader, own.path, own.value)
    this.#values = values
  }

  override at(key: string | number): ImportNode {
    const own = super.at(key)
    return own.isThere ? own : this.#values.at(key)
  }
}

/** Where the values of a credential are in `credential_list`; `undefined` for a name that is not there. */
export function credentialValues(list: ImportNode, name: unknown): ImportNode | undefined {
  return list
    .items()
    .find(entry => typeof name === 'string' && entry.at('credential_name').value === name)
    ?.at('credential_values')
}

/** Resolves `litellm_credential_name`. Reports a name that `credential_list` does not have. */
export function withCredential(given: ImportNode, list: ImportNode, reader: ImportReader): ImportNode {
  const name = given.at('litellm_credential_name')
  if (!name.isThere) return given
  const values = credentialValues(list, name.value)
  if (values === undefined) {
    name.reportUnsupported(
      'credential_list has no credential of that name.',
      "Check the apiKey of this model's provider: it uses the vendor's default variable.",
    )
    return given
  }
  name.markRead()
  for (const entry of list.items()) {
    const known = entry.at('credential_name')
    if (known.value === name.value) known.markRead()
  }
  return new WithCredential(reader, given, values)
}
