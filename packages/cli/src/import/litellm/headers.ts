import type { Importing } from '../importing.ts'
import type { Part } from '../part.ts'
import { secretText, settingsText } from './settings-text.ts'

/** Headers that hold no secret. */
const harmless =
  /^(?:anthropic-(?:beta|version)|accept|content-type|user-agent|http-referer|referer|x-title|openai-(?:organization|project|beta))$/i

/** Headers that a provider sets by itself. */
const own = /^(?:authorization|x-api-key|api-key|x-goog-api-key|anthropic-version)$/i

/**
 * Further headers of each request. What may be a credential is read from the environment. `isKeyed`: the provider has a
 * key of its own.
 */
export function headersOf(
  given: Part,
  { variables }: Importing,
  isKeyed: boolean,
): { readonly headers?: Record<string, string> } {
  const headers = ['extra_headers', 'headers'].flatMap(key =>
    given
      .at(key)
      .members()
      .flatMap(([name, part]) => {
        if (isKeyed && own.test(name)) {
          part.lose('The provider sets this header itself.', 'Write what has to be sent there as its apiKey.')
          return []
        }
        const read = harmless.test(name) ? settingsText : secretText
        const value = read(part, variables, `HEADER_${name}`)
        return value === undefined ? [] : [[name, value] as const]
      }),
  )
  return headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }
}
