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

/** Asks `{url}/messages` with the key in `x-api-key` alone, as Anthropic's clients do. Returns the status and the text. */
export async function askMessages(url: string, key: string, model = 'demo') {
  const response = await fetch(`${url}/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'What is 12 * 7?' }],
    }),
  })
  const { content } = (await response.json()) as { content?: readonly { text?: string }[] }
  return { status: response.status, text: content?.[0]?.text }
}
