import { Part } from '../part.ts'
import type { Reading } from '../reading.ts'

/** The settings of a deployment, with those of the credential that it names behind its own, as in LiteLLM. */
class WithCredential extends Part {
  readonly #values: Part

  constructor(reading: Reading, own: Part, values: Part) {
    super(reading, own.path, own.value)
    this.#values = values
  }

  override at(key: string | number): Part {
    const own = super.at(key)
    return own.isThere ? own : this.#values.at(key)
  }
}

/** Where the values of a credential are in `credential_list`; `undefined` for a name that is not there. */
export function credentialValues(list: Part, name: unknown): Part | undefined {
  return list
    .items()
    .find(entry => typeof name === 'string' && entry.at('credential_name').value === name)
    ?.at('credential_values')
}

/** Resolves `litellm_credential_name`. Reports a name that `credential_list` does not have. */
export function withCredential(given: Part, list: Part, reading: Reading): Part {
  const name = given.at('litellm_credential_name')
  if (!name.isThere) return given
  const values = credentialValues(list, name.value)
  if (values === undefined) {
    name.lose(
      'credential_list has no credential of that name.',
      "Check the apiKey of this model's provider: it is the vendor's usual variable now.",
    )
    return given
  }
  name.take()
  for (const entry of list.items()) {
    const known = entry.at('credential_name')
    if (known.value === name.value) known.take()
  }
  return new WithCredential(reading, given, values)
}
