import type { UpstreamResponse } from '@sluice/core/provider'

/** What a test's upstream answers. */
export interface ScriptedAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The reads of the body; text is UTF-8. */
  readonly body?: string | Iterable<string | Uint8Array>
  /** Thrown where the body would end. */
  readonly failure?: unknown
}

/** An upstream's answer made in memory, for tests. `state` tells what became of its body. */
export function scriptedResponse(
  answer: ScriptedAnswer,
): UpstreamResponse & { readonly state: { reads: number; returned: boolean } } {
  const encoder = new TextEncoder()
  const state = { reads: 0, returned: false }
  const parts = typeof answer.body === 'string' ? [answer.body] : (answer.body ?? [])
  async function* bytes(): AsyncGenerator<Uint8Array, void> {
    try {
      for (const part of parts) {
        state.reads++
        yield typeof part === 'string' ? encoder.encode(part) : part
      }
    } finally {
      state.returned = true
    }
    if (answer.failure !== undefined) throw answer.failure
  }
  const body = bytes()
  const headers = new Headers(answer.headers)
  return {
    status: answer.status ?? 200,
    headers,
    body,
    state,
    async text() {
      const decoder = new TextDecoder()
      let text = ''
      for await (const chunk of body) text += decoder.decode(chunk, { stream: true })
      return text + decoder.decode()
    },
  }
}
