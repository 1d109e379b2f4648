import { createGateway, type Gateway, type Target } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { expectations } from '../../../packages/providers/test/vendors/replay/expected.ts'
import { recordings as ownProtocols } from '../../../packages/providers/test/vendors/replay/recordings.ts'
import { vendors } from '../../../packages/providers/test/vendors/replay/vendors.ts'
import type { Answer } from './exchanges.ts'
import { recordedStream, recordedWhole } from './recorded.ts'
import { recordings as chatRecordings } from './recordings.ts'
import type { Answered } from './said.ts'

/** A vendor's answer, and the model that gave it. */
export interface RecordedAnswer {
  readonly name: string
  readonly recording: Answer
  readonly target: Target
}

const origin = 'http://127.0.0.1:9'
const chat = openaiCompatible({ name: 'chat', baseURL: `${origin}/v1` })('model')

/** Every recorded answer of a vendor that was asked in its own protocol, or in chat completions. */
export const vendorAnswers: readonly RecordedAnswer[] = [
  ...chatRecordings.map(recording => ({ name: recording.name, recording, target: chat })),
  ...ownProtocols.map(recording => {
    const { connect, model } = vendors[recording.vendor]
    // It was recorded where the vendor was asked in its own protocol.
    const options = ['azure', 'gemini'].includes(recording.vendor) ? {} : { speaks: [] }
    const target = connect(origin, options)(expectations.get(recording.name)?.model ?? model)
    return { name: recording.name, recording, target }
  }),
].filter(({ recording }) => recording.kind !== 'error')

/** Returns a gateway in front of a vendor that gives one answer. Nothing leaves the process. */
export function answering({ recording, target }: RecordedAnswer): Gateway {
  const { status, contentType, bytes } = recording
  return createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: () => [target],
    maxAttempts: 1,
    breaker: false,
    transport: async () => ({
      status,
      headers: new Headers({ 'content-type': contentType }),
      body: (async function* () {
        yield bytes
      })(),
    }),
  })
}

/** Returns what a gateway answers in chat completions. */
export async function askChat(gateway: Gateway, stream: boolean): Promise<Answered> {
  const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'm',
      messages: [{ role: 'user', content: 'Hello!' }],
      ...(stream && { stream, stream_options: { include_usage: true } }),
    }),
  })
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (response.status !== 200) return { choices: [], usage: undefined, error: true }
  return stream ? recordedStream(bytes) : recordedWhole(bytes)
}
