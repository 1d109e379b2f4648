import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Target } from '@sluice/core'

/** What a vendor was asked, in no vendor's words. */
export interface Question {
  /** The text of the last message of the user. */
  readonly text: string
  /** The results of tools that came last. */
  readonly results: readonly string[]
  /** The names of the tools on offer. */
  readonly tools: readonly string[]
  /** Whether an answer in the form of a JSON schema is wanted. */
  readonly wantsJson: boolean
  readonly stream: boolean
  /** The media types of images and documents, in order. */
  readonly media: readonly string[]
  /** Signatures of thoughts that came back. */
  readonly signatures: readonly string[]
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: IncomingMessage['headers']
}

/** What a vendor says, in no vendor's words. */
export interface Saying {
  readonly thought?: { readonly text: string; readonly signature: string }
  readonly text?: string
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: object }[]
  /** An error instead of an answer, in the words of the vendor. */
  readonly error?: { readonly status: number; readonly message: string; readonly headers?: object }
  /** Breaks off after this many characters of its body. */
  readonly cutAfter?: number
}

/** What a vendor says to a question. */
export type Script = (question: Question) => Saying

/** Tokens of each answer: prompt, of which cached, and completion. */
export const used = { prompt: 21, cached: 5, completion: 9 } as const

/** A vendor of a family, over HTTP. */
export interface Vendor {
  /** The model of the vendor, for a table of models. */
  readonly entry: Target
  /** `http://127.0.0.1:port` */
  readonly origin: string
  readonly questions: readonly Question[]
  close(): Promise<void>
}

/** The response of a vendor. */
export interface WireResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** The protocol of a family. */
export interface Family {
  readonly name: string
  question(body: Readonly<Record<string, unknown>>, path: string): Omit<Question, 'body' | 'headers'>
  answer(saying: Saying, stream: boolean, body: Question['body']): WireResponse
  error(status: number, message: string): WireResponse
  entry(baseURL: string): Target
}

/** Starts a vendor of a family on a free port. */
export async function startVendor(family: Family, script: Script): Promise<Vendor> {
  const questions: Question[] = []
  const server = createServer((request, response) => {
    void textOf(request).then(text => {
      // These vendors count no tokens: the gateway estimates them.
      if (/count-?tokens|count_tokens/i.test(request.url ?? '')) {
        return send(response, family.error(404, 'Not found.'))
      }
      const body = JSON.parse(text)
      const question = { ...family.question(body, request.url ?? ''), body, headers: request.headers }
      questions.push(question)
      reply(response, family, script(question), question)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  return {
    entry: family.entry(origin),
    origin,
    questions,
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

function reply(
  response: ServerResponse,
  family: Family,
  saying: Saying,
  { stream, body }: Pick<Question, 'stream' | 'body'>,
): void {
  const { error, cutAfter } = saying
  const wire =
    error === undefined ? family.answer(saying, stream, body) : family.error(error.status, error.message)
  if (cutAfter === undefined) send(response, wire, error?.headers)
  else {
    response.writeHead(wire.status, { ...wire.headers, ...error?.headers })
    response.write(wire.body.slice(0, cutAfter), () => response.destroy())
  }
}

function send(response: ServerResponse, { status, headers, body }: WireResponse, more: object = {}): void {
  response.writeHead(status, { ...headers, ...more }).end(body)
}

export function json(status: number, body: object, headers: Record<string, string> = {}): WireResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

export function sse(events: readonly string[]): WireResponse {
  const body = events.map(event => `${event}\n\n`).join('')
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body }
}

/** Halves of a text: streams have more than one delta. */
export function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter(half => half !== '')
}
