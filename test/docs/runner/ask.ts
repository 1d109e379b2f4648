/** What a caller got. */
export interface Got {
  readonly status: number
  /** The answer's text: of the first choice, or of all of a stream. */
  readonly text: string
  readonly code: string | null | undefined
  readonly headers: Headers
}

export interface Asking {
  readonly key?: string
  readonly model?: string
  readonly content?: string
  readonly stream?: boolean
  readonly headers?: Readonly<Record<string, string>>
  /** In place of the network. */
  readonly fetch?: (request: Request) => Response | Promise<Response>
}

/** Asks a service by `{baseURL}/chat/completions`, as a client without a library would. */
export async function ask(baseURL: string, asking: Asking = {}): Promise<Got> {
  const { key = 'sk-test', model = 'demo', content = 'What is 12 * 7?', stream = false } = asking
  const request = new Request(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...asking.headers },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content }] }),
  })
  const response = await (asking.fetch ?? fetch)(request)
  const body = await response.text()
  const { status, headers } = response
  if (headers.get('content-type')?.startsWith('text/event-stream')) {
    return { status, headers, text: textOfStream(body), code: undefined }
  }
  const { choices, error } = JSON.parse(body)
  return { status, headers, text: choices?.[0].message.content ?? '', code: error?.code }
}

function textOfStream(body: string): string {
  const events = body.split('\n\n').filter(event => event.startsWith('data: '))
  if (events.at(-1) !== 'data: [DONE]') throw new Error(`The stream has no end mark:\n${body}`)
  return events
    .slice(0, -1)
    .map(event => JSON.parse(event.slice('data: '.length)).choices[0]?.delta.content ?? '')
    .join('')
}
